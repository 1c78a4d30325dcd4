package web

// Of creates a console from a build of the test.
var Of = newConsole

// Accepts exports accepts.
var Accepts = accepts
