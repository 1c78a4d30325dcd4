package rules

const pendingFiles = `
gateway/doctor/clock_test.go
gateway/doctor/connection_test.go
gateway/doctor/discovery_test.go
gateway/doctor/doctor_test.go
gateway/doctor/listener_test.go
gateway/doctor/redis_test.go
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
internal/egress/egresstest/dns.go
internal/egress/egresstest/proxy.go
internal/egress/egresstest/silent_linux.go
internal/fleet/denied_test.go
internal/fleet/fixture_test.go
internal/fleet/inspect_test.go
internal/memnet/memnet.go
internal/memnet/memnet_test.go
internal/redistest/killed_linux_test.go
internal/redistest/proxy_test.go
internal/redistest/server_test.go
test/gatewaytest/client.go
test/gatewaytest/sandbox.go
`
