package memory

// Release returns memory to the system between ticks without a collection.
var Release = release
