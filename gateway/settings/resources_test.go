package settings_test

import "testing"

// TestFit: in a container with little memory, or with few files, some limits are lower. Memory that is set is kept,
// from every source, and other limits are in proportion.
func TestFit(t *testing.T) {
	const mebi = 1 << 20
	type fitted struct {
		memory                          int64
		connections, streams, ofACaller int
	}
	defaults := fitted{192 * mebi, 25_000, 20_000, 1000}
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
		{name: "less", memory: 512 * mebi, want: fitted{120 * mebi, 15_697, 12_557, 627}},
		{name: "little", memory: 256 * mebi, want: fitted{49 * mebi, 6395, 5116, 255}},
		{name: "very little", memory: 128 * mebi, want: fitted{13 * mebi, 1744, 1395, 69}},
		{name: "next to nothing", memory: 1, want: fitted{3 * mebi, 390, 312, 15}},
		{name: "enough files", files: 25_576, want: defaults},
		{name: "few files", files: 1024, want: fitted{192 * mebi, 448, 358, 358}},
		{name: "very few files", files: 100, want: fitted{192 * mebi, 16, 12, 12}},
		{name: "little memory and few files", memory: 256 * mebi, files: 4096, want: fitted{49 * mebi, 3520, 2816, 255}},
		{name: "enough with TLS", memory: 2048 * mebi, args: secure, want: defaults},
		{name: "less with TLS", memory: 1024 * mebi, args: secure, want: fitted{92 * mebi, 11_991, 9592, 479}},
		{name: "much memory is set", args: []string{"--limits-memory=1920MiB"}, want: fitted{1920 * mebi, 250_000, 200_000, 10_000}},
		{name: "little memory is set", args: []string{"--limits-memory=48MiB"}, want: fitted{48 * mebi, 6250, 5000, 250}},
		{name: "all memory is set", args: []string{"--limits-memory=1TiB"}, want: fitted{1 << 40, 1_000_000, 800_000, 800_000}},
		{name: "memory is set, in a container", memory: 512 * mebi, args: []string{"--limits-memory=192MiB"}, want: fitted{192 * mebi, 15_697, 12_557, 627}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, tt.yaml, tt.environ, tt.args)
			s.Fit(tt.memory, tt.files)
			if got := (fitted{s.Memory, s.Connections, s.Streams.Streams, s.Streams.StreamsPerCaller}); got != tt.want {
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
