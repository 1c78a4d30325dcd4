package main

import (
	"bytes"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// TestDo: an answer that is not the recorded one is an error.
func TestDo(t *testing.T) {
	recorded := []byte(strings.Repeat("a", 2*readAhead))
	other := append([]byte("b"), recorded[1:]...)
	for _, tt := range []struct {
		name   string
		answer []byte
		want   error
	}{
		{"good", response("200 OK", recorded), nil},
		{"other status", response("500 Internal Server Error", recorded), errStatus},
		{"shorter", response("200 OK", recorded[1:]), errAnswer},
		{"other begin", response("200 OK", other), errAnswer},
		{"no length", []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), errLength},
	} {
		t.Run(tt.name, func(t *testing.T) {
			listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			received := make(chan []byte, 1)
			go func() {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				request := make([]byte, len("request"))
				n, _ := conn.Read(request)
				received <- request[:n]
				_, _ = conn.Write(tt.answer)
			}()
			c, err := dial(t.Context(), listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.close()
			if err := c.do(exchange{[]byte("request"), recorded}); !errors.Is(err, tt.want) {
				t.Errorf("%v, not %v", err, tt.want)
			}
			if request := <-received; !bytes.Equal(request, []byte("request")) {
				t.Errorf("received %q", request)
			}
		})
	}
}

func TestCheckAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		good         bool
	}{
		{"data", `{"data":{"a":{"id":"1"}}}`, true},
		{"an error beside data", `{"data":{"a":{"id":"1"}},"errors":[{"message":"no"}]}`, false},
		{"null", `{"data":{"a":{"id":"1"},"b":null}}`, false},
		{"no data", `{"data":{}}`, false},
		{"no JSON", `<html>`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := checkAnswer([]byte(tt.answer)); (err == nil) != tt.good {
				t.Error(err)
			}
		})
	}
}

// TestProc reads this process: work takes processor time, memory is there.
func TestProc(t *testing.T) {
	deadline := time.Now().Add(time.Minute)
	for begin := time.Now(); ; {
		taken, err := cpuTime(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if taken >= 3*tick {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s of processor time in %s of work", taken, time.Since(begin))
		}
	}
	now, err := memoryOf(os.Getpid(), residentNow)
	if err != nil || now < 1<<20 {
		t.Errorf("%d bytes, %v", now, err)
	}
	if peak, err := memoryOf(os.Getpid(), residentPeak); err != nil || peak < 1<<20 {
		t.Errorf("%d bytes at most, %v", peak, err)
	}
	if _, err := memoryOf(os.Getpid(), "VmNothing"); err == nil {
		t.Error("a size that does not exist was read")
	}
}
