// Package rules tests what the compiler does not enforce: the imports of packages, their comments, the size of files,
// tables that are current, tests that wait for no real time, and documents that agree with the code. It has tests only;
// they run in the root folder.
package rules
