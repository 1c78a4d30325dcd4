package memory

import (
	"testing"
	"testing/fstest"
)

// TestContainer: the limit is the minimum of the process's control groups and their parents, of either version.
func TestContainer(t *testing.T) {
	const none = "9223372036854771712\n" // of version 1
	tests := []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no control groups", nil, 0},
		{"version 2, a container", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n"}, 256 << 20},
		{"version 2, no limit", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 0},
		{"version 2, a parent", map[string]string{
			"proc/self/cgroup": "0::/system.slice/pixgraph.service\n",
			"sys/fs/cgroup/system.slice/pixgraph.service/memory.max":   "536870912\n",
			"sys/fs/cgroup/system.slice/memory.max":                    "134217728\n",
			"sys/fs/cgroup/system.slice/other.service/memory.max":      "1048576\n",
			"sys/fs/cgroup/system.slice/pixgraph.service/memory.high":  "max\n",
			"sys/fs/cgroup/system.slice/pixgraph.service/cgroup.procs": "1\n",
		}, 128 << 20},
		{"version 2, memory.high", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n", "sys/fs/cgroup/memory.high": "201326592\n",
		}, 192 << 20},
		{"version 1, a container without a namespace", map[string]string{
			"proc/self/cgroup":                           "12:cpu,cpuacct:/docker/1f\n4:memory:/docker/1f\n0::/docker/1f\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "134217728\n",
		}, 128 << 20},
		{"version 1, its own group", map[string]string{
			"proc/self/cgroup": "4:hugetlb,memory:/a:b\n",
			"sys/fs/cgroup/memory/a:b/memory.limit_in_bytes": "134217728\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     none,
		}, 128 << 20},
		{"version 1, no limit", map[string]string{"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": none}, 0},
		{"another controller", map[string]string{"proc/self/cgroup": "4:cpu:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "134217728\n"}, 0},
		{"outside of the namespace", map[string]string{"proc/self/cgroup": "0::/../../x\n", "sys/fs/cgroup/memory.max": "134217728\n"}, 128 << 20},
		{"not a number", map[string]string{"proc/self/cgroup": "0::/\nnonsense\n", "sys/fs/cgroup/memory.max": "-1x\n"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for name, text := range tt.files {
				root[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := container(root); got != tt.want {
				t.Errorf("%d, want %d", got, tt.want)
			}
		})
	}
}

// TestPaceInContainer: in a container the collector runs at half of its limit, and a large heap does not let it wait
// beyond four fifths.
func TestPaceInContainer(t *testing.T) {
	const mebi = 1 << 20
	tests := []struct {
		name                        string
		container, live, rest, want int64
	}{
		{"no limit", 0, 4 * mebi, 8 * mebi, Floor},
		{"a large container", 1024 * mebi, 4 * mebi, 8 * mebi, Floor},
		{"a small container", 128 * mebi, 4 * mebi, 8 * mebi, 64 * mebi},
		{"a growing heap", 128 * mebi, 60 * mebi, 8 * mebi, 68*mebi + minHeadroom},
		{"a heap close to the limit", 130 * mebi, 110 * mebi, 8 * mebi, 104 * mebi},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := paceIn(Floor, tt.container).limit(tt.live, tt.rest, minHeadroom); got != tt.want {
				t.Errorf("%d, want %d", got, tt.want)
			}
		})
	}
}
