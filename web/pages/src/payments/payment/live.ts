import { isLast, events, withIdleTimeout, type Live } from "../../base/client.ts";
import { useEffect, useRef, useState } from "react";
import type { Gateway } from "../gateway.ts";
import { watchDocument } from "./documents.ts";

export type LiveState = "off" | "connecting" | "live" | "lost";

/** The statuses in which something is expected to happen soon: the record is watched while it has one of them. */
export const open: ReadonlySet<string> = new Set([
  "PENDING", "PIX_QRCODE_GENERATED", "PROCESSING", "PENDING_COMPLIANCE", "PROCESSING_REFUND", "PROCESSING_INFRACTION",
]);

const settled = {
  transaction: ["PAID", "REFUNDED", "INFRACTION", "FAILED", "BLOCKED"],
  withdrawal: ["PROCESSED", "FAILED", "CANCELED", "REFUNDED", "REJECTED"],
};

/**
 * Watches a record with an open status, and calls `changed` when it is another one than was read, at `updatedAt`.
 * "off" is for a record that is not watched, also because the gateway does not allow it.
 */
export function useLive(gateway: Gateway, kind: "transaction" | "withdrawal", record: { id: string; statusRaw: string; updatedAt: string } | undefined, changed: () => void): LiveState {
  const [state, setState] = useState<LiveState>("off");
  const id = record !== undefined && open.has(record.statusRaw) ? record.id : null;
  const latest = useRef({ updatedAt: "", changed });
  latest.current = { updatedAt: record?.updatedAt ?? "", changed };
  useEffect(() => {
    if (id === null) return undefined;
    const control = new AbortController();
    const { signal } = control;
    setState("connecting");
    watch(gateway, kind, id, latest.current.updatedAt, signal, setState, (updatedAt) => {
      if (updatedAt !== latest.current.updatedAt) latest.current.changed();
    }).catch(() => {}).finally(() => signal.aborted || setState("off")); // the view says that it is not updated
    return () => {
      control.abort();
      setState("off");
    };
  }, [gateway, kind, id]);
  return state;
}

type Watched = Record<string, { status: string; updatedAt: string } | null>;

async function watch(
  gateway: Gateway, kind: "transaction" | "withdrawal", id: string, since: string, signal: AbortSignal,
  setState: (state: LiveState) => void, seen: (updatedAt: string) => void,
): Promise<void> {
  const variables = { id, until: settled[kind], since };
  const fetch = withIdleTimeout(gateway.send); // a connection can be lost without an error, such as while the computer is asleep
  const onRetry = () => signal.aborted || setState("lost");
  for await (const result of events<Watched>(gateway.endpoint, { query: watchDocument[kind], variables }, { fetch, signal, onRetry })) {
    const live: Live | undefined = result.extensions?.live;
    if (live === undefined) return; // the subscription was rejected
    setState("live");
    const record = result.data?.[kind];
    if (record) seen(record.updatedAt);
    if (isLast(result)) return;
  }
}
