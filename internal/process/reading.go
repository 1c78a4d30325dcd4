package process

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// Read gets a page of the admin address, such as /metrics.
func (g *Gateway) Read(ctx context.Context, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+g.Admin+path, nil)
	if err != nil {
		return "", err
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %d", path, resp.StatusCode)
	}
	return string(body), err
}

// Metric finds the value of a metric in the text of /metrics, by its name with its labels as they stand there.
func Metric(text, name string) (float64, error) {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("there is no metric %s", name)
}

// Resident is how many bytes the gateway has in memory.
func (g *Gateway) Resident() (int64, error) { return residentOf(g.proc("status")) }

// Files is how many file descriptors it has open.
func (g *Gateway) Files() (int, error) {
	files, err := os.ReadDir(g.proc("fd"))
	return len(files), err
}

func (g *Gateway) proc(name string) string {
	return fmt.Sprintf("/proc/%d/%s", g.cmd.Process.Pid, name)
}

func residentOf(path string) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("%s has no VmRSS", path)
}
