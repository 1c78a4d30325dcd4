//go:build !unix

package listener

// lockDirectory does nothing: there are no locks of directories.
func lockDirectory(string) (unlock func()) { return func() {} }
