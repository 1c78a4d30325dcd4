package settings_test

import "testing"

// TestFit: in a container with little memory the defaults of some limits are lower. Limits that were set are kept, from every source.
func TestFit(t *testing.T) {
	const mebi = 1 << 20
	type fitted struct {
		memory               int64
		connections, streams int
	}
	defaults := fitted{192 * mebi, 25_000, 20_000}
	tests := []struct {
		name          string
		memory        int64
		yaml          string
		environ, args []string
		want          fitted
	}{
		{name: "no limit", want: defaults},
		{name: "enough", memory: 1024 * mebi, want: defaults},
		{name: "half", memory: 512 * mebi, want: fitted{96 * mebi, 12_500, 10_000}},
		{name: "an eighth", memory: 128 * mebi, want: fitted{24 * mebi, 3125, 2500}},
		{name: "next to nothing", memory: 1, want: fitted{mebi, 100, 80}},
		{name: "memory is set", memory: 512 * mebi, args: []string{"--limits-memory=192MiB"}, want: fitted{192 * mebi, 12_500, 10_000}},
		{name: "streams are set", memory: 512 * mebi, environ: []string{"PIXGRAPH_LIVE_STREAMS=20000"}, want: fitted{96 * mebi, 25_000, 20_000}},
		{name: "connections are set", memory: 512 * mebi, yaml: "limits: {connections: 30000}", want: fitted{96 * mebi, 30_000, 20_000}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, tt.yaml, tt.environ, tt.args)
			s.Fit(tt.memory)
			if got := (fitted{s.Memory, s.Connections, s.Streams.Streams}); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}
