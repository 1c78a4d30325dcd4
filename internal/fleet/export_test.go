package fleet

// Patient is a configuration whose commands in the background may take as long as a connection allows.
func Patient(c Config) Config {
	c.maxWait, c.patience = patience, patience
	return c
}
