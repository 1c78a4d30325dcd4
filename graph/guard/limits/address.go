package limits

import (
	"net/http"
	"net/netip"
	"strings"
)

// AddressKey returns the key of the client's address for the rate limit, or "" if addresses are not limited.
func (l *Limits) AddressKey(r *http.Request) string {
	if l.rate == nil || l.rate.addresses == nil {
		return ""
	}
	return addressKeyOf(clientAddress(r, l.rate.trusted))
}

// ipv6Network is the prefix length that identifies an IPv6 client: one host usually controls its whole /64 network.
const ipv6Network = 64

// unknownAddress is the key shared by all requests whose address cannot be parsed.
const unknownAddress = "unknown"

// addressKeyOf returns the rate-limit key of an address.
func addressKeyOf(address netip.Addr) string {
	if !address.IsValid() {
		return unknownAddress
	}
	if address.Is4() {
		return address.String()
	}
	network, err := address.Prefix(ipv6Network)
	if err != nil {
		return unknownAddress
	}
	return network.String()
}

// clientAddress returns the address that a request came from. It is the address of the connection; if that belongs to a
// trusted proxy, it is the last address in X-Forwarded-For that does not. Addresses before that one are not
// trustworthy, since the client may have written them.
func clientAddress(r *http.Request, trusted []netip.Prefix) netip.Addr {
	client := parseAddress(r.RemoteAddr)
	if len(trusted) == 0 {
		return client
	}
	forwarded := r.Header.Values("X-Forwarded-For")
	for i := len(forwarded) - 1; i >= 0; i-- {
		rest, more := forwarded[i], true
		for more {
			if !isTrusted(client, trusted) {
				return client
			}
			var hop string
			if at := strings.LastIndexByte(rest, ','); at >= 0 {
				rest, hop = rest[:at], rest[at+1:]
			} else {
				hop, more = rest, false
			}
			next := parseAddress(strings.TrimSpace(hop))
			if !next.IsValid() {
				return client // the hop is malformed: the nearest known address counts
			}
			client = next
		}
	}
	return client
}

func isTrusted(address netip.Addr, trusted []netip.Prefix) bool {
	for _, network := range trusted {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// parseAddress parses an address with or without a port. It returns the zero Addr if the text is not an address.
func parseAddress(text string) netip.Addr {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone("")
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}
