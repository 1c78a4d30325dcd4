package console

// Of makes a console of a build of the test's own.
var Of = newConsole

// Accepts reads an Accept-Encoding.
var Accepts = accepts
