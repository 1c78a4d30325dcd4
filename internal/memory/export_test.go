package memory

// Release exports release.
var Release = release
