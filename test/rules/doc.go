// Package rules tests what the compiler does not enforce: the imports of packages, their comments, the size of files,
// generated code and tables that are current, and documents that agree with the code. It has tests only; they run in
// the root folder.
package rules
