package issuer

import (
	"net"
	"net/url"
)

// Loopback reports whether u is an http or https URL whose host is localhost or a loopback address.
func Loopback(u *url.URL) bool {
	if u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return false
	}
	if u.Hostname() == "localhost" {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}
