package settings_test

import "testing"

// TestFit: in a container with little memory, or with few files, the defaults of some limits are lower. Limits that are
// set are kept, from every source.
func TestFit(t *testing.T) {
	const mebi = 1 << 20
	type fitted struct {
		memory               int64
		connections, streams int
	}
	defaults := fitted{192 * mebi, 25_000, 20_000}
	secure := []string{"--tls-cert=tls.crt", "--tls-key=tls.key"}
	tests := []struct {
		name          string
		memory        int64
		files         int
		yaml          string
		environ, args []string
		want          fitted
	}{
		{name: "no limit", want: defaults},
		{name: "enough", memory: 768 * mebi, want: defaults},
		{name: "less", memory: 512 * mebi, want: fitted{120 * mebi, 15_697, 12_558}},
		{name: "little", memory: 256 * mebi, want: fitted{49 * mebi, 6395, 5116}},
		{name: "very little", memory: 128 * mebi, want: fitted{13 * mebi, 1744, 1395}},
		{name: "next to nothing", memory: 1, want: fitted{3 * mebi, 390, 312}},
		{name: "enough files", files: 25_576, want: defaults},
		{name: "few files", files: 1024, want: fitted{192 * mebi, 448, 358}},
		{name: "very few files", files: 100, want: fitted{192 * mebi, 16, 12}},
		{name: "little memory and few files", memory: 256 * mebi, files: 4096, want: fitted{49 * mebi, 3520, 2816}},
		{name: "connections are set, with few files", files: 1024, args: []string{"--limits-connections=30000"}, want: fitted{192 * mebi, 30_000, 20_000}},
		{name: "enough with TLS", memory: 2048 * mebi, args: secure, want: defaults},
		{name: "less with TLS", memory: 1024 * mebi, args: secure, want: fitted{92 * mebi, 11_991, 9593}},
		{name: "memory is set", memory: 512 * mebi, args: []string{"--limits-memory=192MiB"}, want: fitted{192 * mebi, 15_697, 12_558}},
		{name: "streams are set", memory: 512 * mebi, environ: []string{"PIXGRAPH_LIVE_STREAMS=20000"}, want: fitted{120 * mebi, 25_000, 20_000}},
		{name: "connections are set", memory: 512 * mebi, yaml: "limits: {connections: 30000}", want: fitted{120 * mebi, 30_000, 20_000}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, tt.yaml, tt.environ, tt.args)
			s.Fit(tt.memory, tt.files)
			if got := (fitted{s.Memory, s.Connections, s.Streams.Streams}); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMemoryNeeded: what the defaults need fits into every container of 96 MiB and more, with TLS 112 MiB, for which
// they are lowered.
func TestMemoryNeeded(t *testing.T) {
	const mebi = 1 << 20
	for lowest, flags := range map[int64][]string{96: nil, 112: {"--tls-cert=tls.crt", "--tls-key=tls.key"}} {
		defaults := load(t, "", nil, flags)
		for limit := lowest * mebi; limit <= 2048*mebi; limit += 2 * mebi {
			s := defaults
			s.Fit(limit, 0)
			if needed := s.MemoryNeeded(); needed > limit {
				t.Errorf("with %d MiB and %v, %d MiB are needed", limit/mebi, flags, needed/mebi)
			}
		}
	}
	if needed := load(t, "", nil, []string{"--live=off", "--limits-memory=100MiB"}).MemoryNeeded(); needed != 230*mebi {
		t.Errorf("%d bytes are needed without streams", needed)
	}
}
