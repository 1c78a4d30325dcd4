package settings

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"pixgraph/upstream"
)

// Setting is one row of the table: a key, what it takes, its default, what it is for.
type Setting struct {
	Key     string
	Default string
	Takes   string // completes "must be …"
	Help    string
	set     func(*Settings, string) error
	get     func(Settings) string
}

var errValue = errors.New("cannot be taken")

// Table lists every setting. A new one is a row here, and a row of README's table, which a test compares.
func Table() []Setting {
	return []Setting{
		address("listen", "127.0.0.1:8080", "where GraphQL and the console are served",
			func(s *Settings) *string { return &s.Listen }),
		address("admin_listen", "127.0.0.1:9090", "where `/healthz` and `/readyz` are served",
			func(s *Settings) *string { return &s.AdminListen }),
		baseURL("core_url", "the core API; without it the sandbox is started",
			func(s *Settings) *string { return &s.CoreURL }),
		baseURL("dispatcher_url", "the dispatcher API",
			func(s *Settings) *string { return &s.DispatcherURL }),
		choice("auth_mode", "oidc", "verify tokens here, or only forward them and let the APIs decide",
			[]string{"oidc", "forward"}, func(s *Settings) *string { return &s.AuthMode }),
		list("auth_issuer", "", "the OIDC issuers whose tokens are taken",
			func(s *Settings) *[]string { return &s.AuthIssuers }),
		list("auth_audience", "", "the audiences of which a token must carry one",
			func(s *Settings) *[]string { return &s.AuthAudiences }),
		list("auth_algorithms", "RS256,ES256", "the signature algorithms that are taken",
			func(s *Settings) *[]string { return &s.AuthAlgorithms }),
		duration("auth_leeway", "30s", "how far an issuer's clock may be off",
			func(s *Settings) *time.Duration { return &s.AuthLeeway }),
		text("paging_page_param", "the name of the API's page number parameter, which the spec does not show",
			func(s *Settings) *string { return &s.PagingPageParam }),
		text("paging_per_page_param", "the name of its page size parameter",
			func(s *Settings) *string { return &s.PagingPerPageParam }),
		pointer("links_metadata_pointer", "where a transaction's metadata holds the ids of its notifications",
			func(s *Settings) *string { return &s.LinksMetadataPointer }),
		onOff("introspection", "on", "whether clients can read the schema",
			func(s *Settings) *bool { return &s.Introspection }),
		onOff("console", "on", "whether GraphiQL is served at `/`",
			func(s *Settings) *bool { return &s.Console }),
		duration("upstream_timeout", upstream.DefaultTimeout.String(), "for one call of an API, waiting for its turn included",
			func(s *Settings) *time.Duration { return &s.UpstreamTimeout }),
		number("upstream_max_body", upstream.DefaultMaxBody, "bytes that an API may answer, after decompression",
			func(s *Settings) *int64 { return &s.UpstreamMaxBody }),
		number("upstream_concurrency", upstream.DefaultConcurrency, "calls under way per API",
			func(s *Settings) *int { return &s.UpstreamConcurrency }),
		number("upstream_operation_concurrency", upstream.DefaultOperationConcurrency, "calls under way per operation",
			func(s *Settings) *int { return &s.UpstreamOperationConcurrency }),
		duration("shutdown_timeout", "15s", "how long running operations may finish on SIGTERM",
			func(s *Settings) *time.Duration { return &s.ShutdownTimeout }),
		choice("log_level", "info", "the least severe lines that are logged",
			[]string{"debug", "info", "warn", "error"}, func(s *Settings) *string { return &s.LogLevel }),
	}
}

func find(key string) (Setting, bool) {
	table := Table()
	i := slices.IndexFunc(table, func(s Setting) bool { return s.Key == key })
	if i < 0 {
		return Setting{}, false
	}
	return table[i], true
}

func text(key, help string, field func(*Settings) *string) Setting {
	return Setting{key, "", "a text", help,
		func(s *Settings, value string) error { *field(s) = value; return nil },
		func(s Settings) string { return *field(&s) },
	}
}

// checked is a text that has to pass a check unless it is empty.
func checked(row Setting, check func(string) error) Setting {
	set := row.set
	row.set = func(s *Settings, value string) error {
		if value != "" {
			if err := check(value); err != nil {
				return err
			}
		}
		return set(s, value)
	}
	return row
}

func address(key, fallback, help string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Default, row.Takes = fallback, "an address such as 127.0.0.1:8080, or :8080 for all interfaces"
	return checked(row, func(value string) error {
		_, port, err := net.SplitHostPort(value)
		if err != nil {
			return err
		}
		_, err = strconv.ParseUint(port, 10, 16)
		return err
	})
}

func baseURL(key, help string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Takes = "an absolute http or https URL without user, query and fragment"
	return checked(row, func(value string) error {
		_, err := upstream.ParseBaseURL(value)
		return err
	})
}

func pointer(key, help string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Takes = "a JSON Pointer such as /notificationIds"
	return checked(row, func(value string) error {
		_, err := upstream.ParsePointer(value)
		return err
	})
}

func choice(key, fallback, help string, values []string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Default, row.Takes = fallback, strings.Join(values, " or ")
	set := row.set
	row.set = func(s *Settings, value string) error {
		if !slices.Contains(values, value) {
			return errValue
		}
		return set(s, value)
	}
	return row
}

func list(key, fallback, help string, field func(*Settings) *[]string) Setting {
	return Setting{key, fallback, "a list: values separated by commas", help,
		func(s *Settings, value string) error {
			var values []string
			for item := range strings.SplitSeq(value, ",") {
				if item = strings.TrimSpace(item); item != "" {
					values = append(values, item)
				}
			}
			*field(s) = values
			return nil
		},
		func(s Settings) string { return strings.Join(*field(&s), ",") },
	}
}

func duration(key, fallback, help string, field func(*Settings) *time.Duration) Setting {
	return Setting{key, fallback, "a positive duration such as 10s or 500ms", help,
		func(s *Settings, value string) error {
			d, err := time.ParseDuration(value)
			if err == nil && d <= 0 {
				err = errValue
			}
			*field(s) = d
			return err
		},
		func(s Settings) string { return field(&s).String() },
	}
}

func number[N int | int64](key string, fallback N, help string, field func(*Settings) *N) Setting {
	return Setting{key, fmt.Sprint(fallback), "a positive whole number", help,
		func(s *Settings, value string) error {
			n, err := strconv.ParseInt(value, 10, 0)
			if err == nil && n <= 0 {
				err = errValue
			}
			*field(s) = N(n)
			return err
		},
		func(s Settings) string { return fmt.Sprint(*field(&s)) },
	}
}

func onOff(key, fallback, help string, field func(*Settings) *bool) Setting {
	return Setting{key, fallback, "on or off", help,
		func(s *Settings, value string) error {
			switch value {
			case "on", "true":
				*field(s) = true
			case "off", "false":
				*field(s) = false
			default:
				return errValue
			}
			return nil
		},
		func(s Settings) string {
			if *field(&s) {
				return "on"
			}
			return "off"
		},
	}
}
