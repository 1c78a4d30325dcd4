package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// uid is the user of the image.
const uid = 65532

// container returns the process of an image in a root file system of its own, as the user of the image, without any
// environment. It needs root, or else the namespaces that the kernel lets a user create.
func container(root string, args ...string) *exec.Cmd {
	cmd := exec.Command("/pixgraph", args...)
	cmd.Dir, cmd.Env = "/", []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: uid}
	} else {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: os.Getegid(), Size: 1}}
	}
	return cmd
}

// served is a gateway of the image.
type served struct {
	url      string
	admin    string // host:port
	began    time.Time
	settings struct {
		Core       string `json:"core_url"`
		Dispatcher string `json:"dispatcher_url"`
		Issuer     string `json:"auth_issuer"`
		Audience   string `json:"auth_audience"`
	}
}

// serve starts a gateway of the image and returns when it serves. At the end of the test it must end by itself.
func serve(t *testing.T, root string, args ...string) served {
	t.Helper()
	cmd := container(root, append([]string{"--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	must(t, err)
	s := served{began: time.Now()}
	must(t, cmd.Start())
	var log bytes.Buffer
	lines := bufio.NewScanner(io.TeeReader(stderr, &log))
	lines.Buffer(nil, 1<<20)
	for s.url == "" && lines.Scan() {
		line := struct {
			Msg, Address, Admin string
			Settings            any
		}{Settings: &s.settings}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			s.url, s.admin = "http://"+line.Address, line.Admin
		}
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(&log, stderr)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-drained
		if err := cmd.Wait(); err != nil || s.url == "" {
			t.Errorf("the gateway ended: %v\n%s", err, log.String())
		}
	})
	if s.url == "" {
		t.FailNow()
	}
	return s
}

func get(t *testing.T, url, token string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	must(t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v: %s", url, resp.StatusCode, err, body)
	}
	return string(body)
}

// payments is an operation that needs the APIs, and the database of time zones.
const payments = `{deposits{totalCount nodes{id}} depositSummary(maxPages:1 timeZone:"America/Sao_Paulo" groupBy:[DAY]){groups{day}}}`

// answer sends the operation and returns the response, which must have no errors.
func (s served) answer(t *testing.T, token string) string {
	t.Helper()
	body := get(t, s.url+"/graphql?query="+url.QueryEscape(payments), token)
	if strings.Contains(body, `"errors"`) || !strings.Contains(body, `"totalCount":`) || !strings.Contains(body, `"day":"2`) {
		t.Fatalf("the response is %.2000s", body)
	}
	return body
}

// TestImageRuns: the binary of the image serves in a root file system that has nothing else and cannot be written, as
// the user of the image: over its sandbox, and over services with TLS whose certificates the file of the image has.
func TestImageRuns(t *testing.T) {
	root, config := rootOf(t)
	if config.User != fmt.Sprintf("%d:%[1]d", uid) {
		t.Fatalf("the image has the user %s", config.User)
	}
	before := tree(t, root)

	sandbox := serve(t, root)
	token := get(t, sandbox.url+"/sandbox/token", "")
	want := sandbox.answer(t, token)
	if out, err := container(root, "probe", "--admin-listen="+sandbox.admin).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("the probe of a gateway that is ready: %v: %s", err, out)
	}
	t.Logf("the sandbox: first answer after %s", time.Since(sandbox.began).Round(time.Millisecond))

	paths := make(chan string, 1000)
	secured := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths <- r.URL.Path
		service := sandbox.settings.Core
		if strings.HasPrefix(r.URL.Path, "/dispatcher/") {
			service = sandbox.settings.Dispatcher
		}
		(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host = "http", hostOf(service)
		}}).ServeHTTP(w, r)
	}))
	defer secured.Close()
	overTLS := func(service string) string {
		return secured.URL + strings.TrimPrefix(service, "http://"+hostOf(service))
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secured.Certificate().Raw})
	trusting := filepath.Join(root, certificates)
	must(t, os.Chmod(trusting, 0o644))
	must(t, os.WriteFile(trusting, certificate, 0o644))
	real := serve(t, root, "--core-url="+overTLS(sandbox.settings.Core), "--dispatcher-url="+overTLS(sandbox.settings.Dispatcher),
		"--auth-issuer="+strings.Split(sandbox.settings.Issuer, ",")[0], "--auth-audience="+sandbox.settings.Audience,
		"--paging-page-param=page", "--paging-per-page-param=perPage", "--shutdown-delay=0s")
	if got := real.answer(t, token); got != want {
		t.Errorf("over TLS the response is\n%s\nwant\n%s", got, want)
	}
	t.Logf("over TLS: first answer after %s", time.Since(real.began).Round(time.Millisecond))
	if path := <-paths; !strings.HasPrefix(path, "/core/") {
		t.Errorf("the API was called at %s", path)
	}
	if after := tree(t, root); !slices.Equal(after, before) {
		t.Errorf("the root file system has\n%v, before\n%v", after, before)
	}
}

// hostOf returns the host and the port of a URL without a user.
func hostOf(url string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	return host
}

// tree returns the names of the files below a directory.
func tree(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, err error) error {
		names = append(names, name)
		return err
	})
	must(t, err)
	return names
}
