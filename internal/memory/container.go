package memory

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// unlimited is less than the limit of a group of version 1 without a limit, and more than a machine has.
const unlimited = 1 << 60

// Container returns the memory, in bytes, that the control groups of the process allow it, such as the memory limit of
// its container or of its systemd unit; 0 if there is no limit, or no control groups. Beyond the limit the kernel kills
// the process.
func Container() int64 { return container(os.DirFS("/")) }

// container reads the groups of a file system: cgroups(7), of version 2 and of version 1. A limit of a group holds for
// the groups in it, so the minimum of all parents applies. The path of the process's group may be that of the host,
// which a container does not see; its own group is then the root, which is one of the parents.
func container(root fs.FS) (lowest int64) {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0 // not Linux
	}
	for line := range strings.Lines(string(groups)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		tree, files := "sys/fs/cgroup", []string{"memory.max", "memory.high"}
		if controllers != "" {
			tree, files = "sys/fs/cgroup/memory", []string{"memory.limit_in_bytes"}
			if !slices.Contains(strings.Split(controllers, ","), "memory") {
				continue
			}
		}
		for dir := path.Join("/", group); ; dir = path.Dir(dir) {
			for _, file := range files {
				if n := limitIn(root, path.Join(tree, dir, file)); n > 0 && (lowest == 0 || n < lowest) {
					lowest = n
				}
			}
			if dir == "/" {
				break
			}
		}
	}
	return lowest
}

// limitIn reads the limit in a file; 0 for none.
func limitIn(root fs.FS, name string) int64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n >= unlimited { // "max" of version 2
		return 0
	}
	return n
}
