package persisted_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/apierror"
	"pixgraph/graph/persisted"
)

// mount is a directory as Kubernetes mounts a ConfigMap: manifest.json -> ..data/manifest.json, ..data -> a directory of
// one version, all of which hold one manifest each.
type mount struct {
	t   *testing.T
	dir string
}

func newMount(t *testing.T, manifest string) mount {
	m := mount{t, t.TempDir()}
	m.version("..1", manifest)
	m.must(os.Symlink("..1", m.at("..data")))
	m.must(os.Symlink("..data/manifest.json", m.at("manifest.json")))
	return m
}

func (m mount) at(name string) string { return filepath.Join(m.dir, name) }

func (m mount) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m mount) version(name, manifest string) {
	m.must(os.Mkdir(m.at(name), 0o700))
	m.put(name+"/manifest.json", manifest)
}

// put writes a file in place.
func (m mount) put(name, text string) { m.must(os.WriteFile(m.at(name), []byte(text), 0o600)) }

// dated sets the time of a file's last write, so that tests do not depend on how finely a file system keeps it.
func (m mount) dated(name string, day int) {
	at := time.Date(2026, time.January, day, 0, 0, 0, 0, time.UTC)
	m.must(os.Chtimes(m.at(name), at, at))
}

// logBuffer is a log that one goroutine writes while another reads it.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(line)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func TestReload(t *testing.T) {
	const (
		before = "query Before { name }"
		after  = "query After { name }"
	)
	old, updated := encode(relay{"a": before}), encode(relay{"a": after})
	tests := []struct {
		name   string
		change func(mount)
		runs   string // by the id a, afterwards
		logs   string // the one line of the log, or "" for none
	}{
		{"nothing", func(mount) {}, before, ""},
		{"swapped as Kubernetes does", func(m mount) {
			m.version("..2", updated)
			m.must(os.Symlink("..2", m.at("..next")))
			m.must(os.Rename(m.at("..next"), m.at("..data")))
			m.must(os.RemoveAll(m.at("..1")))
		}, after, "trusted documents changed"},
		{"replaced by another file of the same size and time", func(m mount) {
			same := strings.Replace(old, "Before", "Bef0re", 1)
			m.put("next", same)
			m.dated("next", 1)
			m.must(os.Rename(m.at("next"), m.at("manifest.json")))
		}, "query Bef0re { name }", "trusted documents changed"},
		{"rewritten in place", func(m mount) {
			m.put("manifest.json", updated)
			m.dated("manifest.json", 2)
		}, after, "trusted documents changed"},
		{"rewritten in place, its time set back", func(m mount) {
			m.put("manifest.json", updated)
			m.dated("manifest.json", 1)
		}, after, "trusted documents changed"},
		{"written again as it was", func(m mount) { m.dated("manifest.json", 2) }, before, "trusted documents changed"},
		{"truncated", func(m mount) { m.put("manifest.json", updated[:len(updated)/2]) }, before, "is not JSON"},
		{"emptied", func(m mount) { m.put("manifest.json", "") }, before, "is not JSON"},
		{"without documents", func(m mount) { m.put("manifest.json", "{}") }, before, "holds no document"},
		{"not of the schema", func(m mount) {
			m.put("manifest.json", encode(relay{"a": after, "z": "{ nome }"}))
		}, before, `document \"z\"`},
		{"deleted", func(m mount) { m.must(os.Remove(m.at("manifest.json"))) }, before, "no such file"},
		{"a link to nowhere", func(m mount) { m.must(os.Rename(m.at("..1"), m.at("..2"))) }, before, "no such file"},
		{"a link to itself", func(m mount) {
			m.must(os.Remove(m.at("..data")))
			m.must(os.Symlink("..data", m.at("..data")))
		}, before, "too many levels of symbolic links"},
		{"a directory in its place", func(m mount) {
			m.must(os.Remove(m.at("manifest.json")))
			m.must(os.Mkdir(m.at("manifest.json"), 0o700))
		}, before, "is not a regular file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMount(t, old)
				m.dated("manifest.json", 1)
				var logs logBuffer
				ticks := make(chan time.Time)
				s := serve(t, persisted.Config{
					Manifest: m.at("manifest.json"), Only: true, Ticks: ticks, Log: slog.New(slog.NewJSONHandler(&logs, nil)),
				})
				poll := func() {
					ticks <- time.Now()
					synctest.Wait()
				}
				expect := func(runs string) {
					t.Helper()
					if got := s.get(url.Values{"documentId": {"a"}}); got.ran != runs {
						t.Errorf("a: %+v, want %q", got, runs)
					}
				}
				expect(before)
				tt.change(m)
				expect(before)
				poll()
				poll()
				poll()
				expect(tt.runs)
				lines := strings.Count(logs.String(), "\n")
				if tt.logs == "" && lines != 0 || tt.logs != "" && lines != 1 || !strings.Contains(logs.String(), tt.logs) {
					t.Errorf("%d lines in the log, want %q:\n%s", lines, tt.logs, &logs)
				}

				// However it went, the next good file is taken, and what it no longer has does not run.
				m.must(os.RemoveAll(m.at("manifest.json")))
				m.put("manifest.json", encode(relay{"b": after}))
				m.dated("manifest.json", 3)
				poll()
				if got := s.get(url.Values{"documentId": {"b"}}); got.ran != after {
					t.Errorf("b: %+v", got)
				}
				if got := s.get(url.Values{"documentId": {"a"}}); got.code != string(apierror.DocumentNotTrusted) {
					t.Errorf("a, which is gone: %+v", got)
				}
				if got := s.post(sent(before)); got.code != string(apierror.DocumentNotTrusted) {
					t.Errorf("the text of a, which is gone: %+v", got)
				}
			})
		})
	}
}

// TestReloadFails: a file that stays broken in one way is logged once, in another way again.
func TestReloadFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMount(t, encode(relay{"a": nameDocument}))
		var logs logBuffer
		serve(t, persisted.Config{ // without Ticks: by its own clock
			Manifest: m.at("manifest.json"), Log: slog.New(slog.NewJSONHandler(&logs, nil)),
		})
		for i, change := range []func(){
			func() { m.put("manifest.json", "") },
			func() { m.must(os.Remove(m.at("manifest.json"))) },
			func() {},
			func() { m.put("manifest.json", encode(relay{"a": nameDocument})) },
			func() { m.must(os.Rename(m.at("manifest.json"), m.at("away"))) },
			func() { m.must(os.Rename(m.at("away"), m.at("manifest.json"))) },
		} {
			change()
			<-time.After(2 * persisted.PollEvery)
			synctest.Wait()
			want := []int{1, 2, 2, 3, 4, 5}[i]
			if got := strings.Count(logs.String(), "\n"); got != want {
				t.Errorf("after change %d: %d lines in the log, want %d:\n%s", i, got, want, &logs)
			}
		}
	})
}

// TestReloadUnderLoad is for the race detector: every answer is of one manifest or the other, and Close waits.
func TestReloadUnderLoad(t *testing.T) {
	m := newMount(t, encode(relay{"a": nameDocument}))
	ticks := make(chan time.Time)
	s := serve(t, persisted.Config{
		Manifest: m.at("manifest.json"), Only: true, Ticks: ticks, Log: quiet(),
	})
	ctx, cancel := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for ctx.Err() == nil {
				if got := s.get(url.Values{"documentId": {"a"}}); got.ran != nameDocument && got.ran != "{ name }" {
					t.Errorf("got %+v", got)
					return
				}
			}
		})
	}
	for i := range 50 {
		m.put("next", encode(relay{"a": []string{"{ name }", nameDocument}[i%2]}))
		m.must(os.Rename(m.at("next"), m.at("manifest.json")))
		ticks <- time.Time{}
	}
	cancel()
	callers.Wait()
}

// TestCloseWaits: Close returns when a reload under way has ended, and requests are answered after it.
func TestCloseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMount(t, encode(relay{"a": nameDocument}))
		ticks, validating := make(chan time.Time), make(chan struct{}, 1)
		validating <- struct{}{} // the first reading is not held up
		documents := open(t, persisted.Config{
			Manifest: m.at("manifest.json"), Ticks: ticks,
			Rules: func() *rules.Rules {
				<-validating
				return rules.NewDefaultRules()
			},
		})
		m.must(os.Remove(m.at("manifest.json")))
		m.put("manifest.json", encode(relay{"b": nameDocument}))
		ticks <- time.Time{}
		closed := make(chan struct{})
		go func() {
			documents.Close()
			close(closed)
		}()
		synctest.Wait()
		select {
		case <-closed:
			t.Fatal("closed during a reload")
		default:
		}
		validating <- struct{}{}
		<-closed
		params := graphql.RawParams{Extensions: map[string]any{"documentId": "b"}}
		if err := documents.MutateOperationParameters(t.Context(), &params); err != nil || params.Query != nameDocument {
			t.Errorf("after Close: %v, %q", err, params.Query)
		}
	})
}
