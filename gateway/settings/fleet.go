package settings

import (
	"errors"
	"regexp"

	"pixgraph/fleet"
)

// redisURL is the URL of a Redis server. It may have a password, so it is shown without.
func redisURL() kind[fleet.URL] {
	return kind[fleet.URL]{
		word: "URL", accepts: "a URL such as redis://host:6379/0, rediss://user@host:6379 or unix:///run/redis.sock, with &addr=host:6379 " +
			"for further hosts and cluster=on or master_set=name", format: fleet.URL.String,
		parse: func(text string) (fleet.URL, error) {
			_, err := fleet.URL(text).Parse()
			return fleet.URL(text), err
		},
	}
}

// prefixForm keeps a key of a bucket, its prefix and its value below 64 bytes.
var prefixForm = regexp.MustCompile(`^[A-Za-z0-9:._{}-]{1,24}$`)

func prefix() kind[string] {
	return checked("prefix", "1 to 24 letters, digits, or any of :._{}-", func(text string) error {
		if !prefixForm.MatchString(text) {
			return errValue
		}
		return nil
	})
}

// checkFleet validates the settings of Redis that depend on each other.
func (s Settings) checkFleet() error {
	if s.Fleet.URL == "" {
		if s.Fleet.PasswordFile != "" || s.Redis.CA != "" || s.Redis.ClientCert != "" || s.Redis.ClientKey != "" {
			return errors.New("redis_password_file, redis_ca, redis_client_cert and redis_client_key need redis_url")
		}
		return nil
	}
	target, err := s.Fleet.URL.Parse()
	switch {
	case err != nil:
		return err
	case target.Password && s.Fleet.PasswordFile != "":
		return errors.New("redis_password_file: redis_url has a password too; omit one of them")
	case !target.TLS && (s.Redis.CA != "" || s.Redis.ClientCert != ""):
		return errors.New("redis_ca and redis_client_cert are for rediss, but redis_url begins with another scheme")
	case (s.Redis.ClientCert == "") != (s.Redis.ClientKey == ""):
		return errors.New("redis_client_cert and redis_client_key must both be set, or neither")
	}
	return nil
}
