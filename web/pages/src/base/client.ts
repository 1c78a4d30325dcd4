/** What the pages use of pixgraph-client: its sources, since the package is built apart from them. */

export { readThrough } from "../../../../clients/js/src/body.ts";
export { events, isLast, rowsOf, withIdleTimeout, type End, type Live, type Result } from "../../../../clients/js/src/index.ts";
export { parseBRL } from "../../../../clients/js/src/money.ts";
