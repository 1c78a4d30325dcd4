package rules

const pendingFiles = `
graph/execute/paging/walk_test.go
graph/execute/projection/projection_test.go
graph/execute/summary/bounds_test.go
graph/learnedlinks_test.go
graph/mcp/mcp_test.go
graph/pipeline/download_faults_test.go
graph/pipeline/gateway_test.go
graph/pipeline/http2_test.go
graph/pipeline/nudge_test.go
graph/pipeline/socket_test.go
graph/transport/endpoint_test.go
graph/transport/media_test.go
graph/transport/panic_test.go
graph/transport/rawrequest_test.go
test/gatewaytest/client.go
test/gatewaytest/sandbox.go
`
