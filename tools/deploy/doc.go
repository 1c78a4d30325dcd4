// Package deploy tests the files in deploy/ with the libraries of the programs that read them: Helm, Kubernetes, the
// Prometheus operator and Docker Compose. It contains only tests, in a module of its own, so that the gateway does not
// depend on these.
//
// Read first: render in render_test.go.
package deploy
