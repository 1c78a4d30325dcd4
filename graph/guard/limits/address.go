package limits

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// AddressKey returns the key of the client's address for the rate limit, or "" if addresses are not limited.
func (l *Limits) AddressKey(r *http.Request) string {
	if l.rate.addresses == nil {
		return ""
	}
	return l.ClientKey(r)
}

// ClientKey returns the key of the client's address.
func (l *Limits) ClientKey(r *http.Request) string {
	return addressKeyOf(clientAddress(r, l.rate.TrustedProxies))
}

// ConnectionKey returns the key of the address of a connection, and whether it is that of a trusted proxy.
func (r *RateConfig) ConnectionKey(address string) (key string, trusted bool) {
	parsed := parseAddress(address)
	return addressKeyOf(parsed), slices.ContainsFunc(r.TrustedProxies, func(network netip.Prefix) bool { return network.Contains(parsed) })
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
	hops := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	isClient := func(network netip.Prefix) bool { return network.Contains(client) }
	for hops != "" && slices.ContainsFunc(trusted, isClient) {
		comma := strings.LastIndexByte(hops, ',')
		hop := parseAddress(strings.TrimSpace(hops[comma+1:]))
		if !hop.IsValid() {
			return client // the hop is malformed: the nearest known address counts
		}
		client, hops = hop, hops[:max(comma, 0)]
	}
	return client
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
