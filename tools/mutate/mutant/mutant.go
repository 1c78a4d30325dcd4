// Package mutant switches on one of the mutants in instrumented code. The tool mutate adds it to the module under test;
// this is its source. A process has the number of its mutant from the environment.
//
// Read first: On.
package mutant

import (
	"cmp"
	"os"
	"strconv"
	"syscall"
)

// active is the number of the mutant, -1 for none. reached has a byte for each mutant, in memory that is shared
// with the tool, the file MUTATE_RECORD; nil if nothing is recorded.
var active, reached = open()

// memory is the maximum of a process with a mutant, in bytes: a loop without end may allocate.
const memory = 4 << 30

func open() (int, []byte) {
	if path := os.Getenv("MUTATE_RECORD"); path != "" {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			panic(err)
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			panic(err)
		}
		shared, err := syscall.Mmap(int(file.Fd()), 0, int(info.Size()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		if err != nil {
			panic(err)
		}
		return -1, shared
	}
	n, err := strconv.Atoi(os.Getenv("MUTATE"))
	if err != nil {
		return -1, nil
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: memory, Max: memory}); err != nil {
		panic(err)
	}
	return n, nil
}

// On reports whether a mutant is switched on, and records that its place was reached.
func On(n int) bool {
	if reached != nil {
		reached[n] = 1
	}
	return n == active
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type number interface{ integer | ~float32 | ~float64 }

// Const adds delta to a constant.
func Const[T integer](n int, value T, delta int) T {
	if On(n) {
		return value + T(delta)
	}
	return value
}

// Less is <, or <=. As the following three, it counts as reached only where the result differs.
func Less[T cmp.Ordered](n int, a, b T) bool { return a < b || a == b && On(n) }

// LessEqual is <=, or <.
func LessEqual[T cmp.Ordered](n int, a, b T) bool { return a < b || a == b && !On(n) }

// Greater is >, or >=.
func Greater[T cmp.Ordered](n int, a, b T) bool { return a > b || a == b && On(n) }

// GreaterEqual is >=, or >.
func GreaterEqual[T cmp.Ordered](n int, a, b T) bool { return a > b || a == b && !On(n) }

// Plus is +, or -.
func Plus[T number](n int, a, b T) T {
	if On(n) {
		return a - b
	}
	return a + b
}

// Minus is -, or +.
func Minus[T number](n int, a, b T) T {
	if On(n) {
		return a + b
	}
	return a - b
}

// Times is *, or /.
func Times[T number](n int, a, b T) T {
	if On(n) {
		return a / b
	}
	return a * b
}

// Divided is /, or *.
func Divided[T number](n int, a, b T) T {
	if On(n) {
		return a * b
	}
	return a / b
}
