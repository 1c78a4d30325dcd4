package limits

import (
	"net/http"
	"net/netip"
	"strings"
)

// AddressKey tells the client of a request from others by its address, for the rate limit; "" without a limit by address.
func (l *Limits) AddressKey(r *http.Request) string {
	if l.rate == nil || l.rate.addresses == nil {
		return ""
	}
	return addressKeyOf(clientAddress(r, l.rate.trusted))
}

// ipv6Network is how much of an IPv6 address stands for a client: who has one address there has the network.
const ipv6Network = 64

// unknownAddress is the key that requests share whose address cannot be read.
const unknownAddress = "unknown"

// addressKeyOf is the key of a client.
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

// clientAddress is the address that a request came from: of the connection, or, where that is a trusted proxy's, the last
// one in X-Forwarded-For that is none of a trusted proxy. What stands before it anyone may have written.
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
				return client // what the proxy says cannot be read: it is the nearest that is known
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

// parseAddress reads an address with or without a port; the zero Addr when it is none.
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
