package persisted_test

import (
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
	"pixgraph/graph/guard/persisted"
	"pixgraph/internal/filewatch"
	"pixgraph/request"
	"pixgraph/test/gatewaytest"
)

// mount is a directory as Kubernetes mounts a ConfigMap: manifest.json -> ..data/manifest.json, and ..data -> the
// directory of a version, which has a manifest.
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
	must(m.t, err)
}

func (m mount) version(name, manifest string) {
	m.must(os.Mkdir(m.at(name), 0o700))
	m.put(name+"/manifest.json", manifest)
}

// put writes a file without replacing it.
func (m mount) put(name, text string) { m.must(os.WriteFile(m.at(name), []byte(text), 0o600)) }

// setTime sets the modification time of a file, so that tests do not depend on the precision of the file system.
func (m mount) setTime(name string, day int) {
	at := time.Date(2026, time.January, day, 0, 0, 0, 0, time.UTC)
	m.must(os.Chtimes(m.at(name), at, at))
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
		runs   string // by the id a, after the change
		logs   string // in the only line of the log; empty for no line
	}{
		{"no change", func(mount) {}, before, ""},
		{"replaced as by Kubernetes", func(m mount) {
			m.version("..2", updated)
			m.must(os.Symlink("..2", m.at("..next")))
			m.must(os.Rename(m.at("..next"), m.at("..data")))
			m.must(os.RemoveAll(m.at("..1")))
		}, after, "manifest reloaded"},
		{"replaced by another file of the same size and time", func(m mount) {
			same := strings.Replace(old, "Before", "Bef0re", 1)
			m.put("next", same)
			m.setTime("next", 1)
			m.must(os.Rename(m.at("next"), m.at("manifest.json")))
		}, "query Bef0re { name }", "manifest reloaded"},
		{"rewritten in place", func(m mount) {
			m.put("manifest.json", updated)
			m.setTime("manifest.json", 2)
		}, after, "manifest reloaded"},
		{"rewritten in place with the same time", func(m mount) {
			m.put("manifest.json", updated)
			m.setTime("manifest.json", 1)
		}, after, "manifest reloaded"},
		{"a new time only", func(m mount) { m.setTime("manifest.json", 2) }, before, "manifest reloaded"},
		{"truncated", func(m mount) { m.put("manifest.json", updated[:len(updated)/2]) }, before, "is not JSON"},
		{"emptied", func(m mount) { m.put("manifest.json", "") }, before, "is not JSON"},
		{"without documents", func(m mount) { m.put("manifest.json", "{}") }, before, "holds no document"},
		{"invalid for the schema", func(m mount) {
			m.put("manifest.json", encode(relay{"a": after, "z": "{ nome }"}))
		}, before, `document \"z\"`},
		{"deleted", func(m mount) { m.must(os.Remove(m.at("manifest.json"))) }, before, "no such file"},
		{"a dangling link", func(m mount) { m.must(os.Rename(m.at("..1"), m.at("..2"))) }, before, "no such file"},
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
				m.setTime("manifest.json", 1)
				another := write(t, encode(relay{"of another client": "query Another { name }"}))
				var logs gatewaytest.Log
				s := serve(t, persisted.Config{
					Manifests: []string{another, m.at("manifest.json")}, Only: persisted.OnlyOn, Log: slog.New(slog.NewJSONHandler(&logs, nil)),
				})
				poll := func() {
					time.Sleep(filewatch.Every)
					synctest.Wait()
				}
				wantRuns := func(runs string) {
					t.Helper()
					if got := s.get(url.Values{"documentId": {"of another client"}}); got.ran == "" {
						t.Errorf("of another client: %+v", got)
					}
					if got := s.get(url.Values{"documentId": {"a"}}); got.ran != runs {
						t.Errorf("a: %+v, want %q", got, runs)
					}
				}
				wantRuns(before)
				tt.change(m)
				wantRuns(before)
				poll()
				poll()
				poll()
				wantRuns(tt.runs)
				lines := strings.Count(logs.String(), "\n")
				if tt.logs == "" && lines != 0 || tt.logs != "" && lines != 1 || !strings.Contains(logs.String(), tt.logs) {
					t.Errorf("%d lines in the log, want %q:\n%s", lines, tt.logs, &logs)
				}

				// In every case the next valid file is loaded, and documents that it lacks do not run.
				m.must(os.RemoveAll(m.at("manifest.json")))
				m.put("manifest.json", encode(relay{"b": after}))
				m.setTime("manifest.json", 3)
				poll()
				if got := s.get(url.Values{"documentId": {"b"}}); got.ran != after {
					t.Errorf("b: %+v", got)
				}
				if got := s.get(url.Values{"documentId": {"a"}}); got.code != string(apierror.DocumentNotTrusted) {
					t.Errorf("a, which the manifest lacks: %+v", got)
				}
				if got := s.post(sent(before)); got.code != string(apierror.DocumentNotTrusted) {
					t.Errorf("the text of a, which the manifest lacks: %+v", got)
				}
			})
		})
	}
}

// TestReloadErrors: an error is logged once, and a different one later is logged too.
func TestReloadErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMount(t, encode(relay{"a": nameDocument}))
		var logs gatewaytest.Log
		serve(t, persisted.Config{Manifests: []string{m.at("manifest.json")}, Log: slog.New(slog.NewJSONHandler(&logs, nil))})
		for i, change := range []func(){
			func() { m.put("manifest.json", "") },
			func() { m.must(os.Remove(m.at("manifest.json"))) },
			func() {},
			func() { m.put("manifest.json", encode(relay{"a": nameDocument})) },
			func() { m.must(os.Rename(m.at("manifest.json"), m.at("away"))) },
			func() { m.must(os.Rename(m.at("away"), m.at("manifest.json"))) },
		} {
			change()
			time.Sleep(2 * filewatch.Every)
			synctest.Wait()
			want := []int{1, 2, 2, 3, 4, 5}[i]
			if got := strings.Count(logs.String(), "\n"); got != want {
				t.Errorf("after change %d: %d lines in the log, want %d:\n%s", i, got, want, &logs)
			}
		}
	})
}

// TestReloadUnderLoad is for the race detector: each response is of one of the manifests.
func TestReloadUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const reloads = 20
		m := newMount(t, encode(relay{"a": nameDocument}))
		s := serve(t, persisted.Config{Manifests: []string{m.at("manifest.json")}, Only: persisted.OnlyOn, Log: quiet()})
		var callers sync.WaitGroup
		for range 4 {
			callers.Go(func() {
				for range reloads {
					time.Sleep(filewatch.Every) // when the manifest is read again
					for range 10 {
						if got := s.get(url.Values{"documentId": {"a"}}); got.ran != nameDocument && got.ran != "{ name }" {
							t.Errorf("got %+v", got)
						}
					}
				}
			})
		}
		for i := range reloads {
			m.put("next", encode(relay{"a": []string{"{ name }", nameDocument}[i%2]}))
			m.must(os.Rename(m.at("next"), m.at("manifest.json")))
			time.Sleep(filewatch.Every)
		}
		callers.Wait()
	})
}

// TestCloseWaits: Close returns when a running reload has ended. Requests succeed after it.
func TestCloseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMount(t, encode(relay{"a": nameDocument}))
		validating := make(chan struct{}, 1)
		validating <- struct{}{} // the first load does not wait
		documents := open(t, persisted.Config{
			Manifests: []string{m.at("manifest.json")},
			Rules: func() *rules.Rules {
				<-validating
				return rules.NewDefaultRules()
			},
		})
		m.must(os.Remove(m.at("manifest.json")))
		m.put("manifest.json", encode(relay{"b": nameDocument}))
		time.Sleep(filewatch.Every)
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
		if err := documents.Resolve(&request.Call{}, &params); err != nil || params.Query != nameDocument {
			t.Errorf("after Close: %v, %q", err, params.Query)
		}
	})
}
