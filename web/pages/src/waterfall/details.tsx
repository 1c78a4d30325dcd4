import { Facts } from "../base/facts.tsx";
import { duration, size } from "../base/format.ts";
import type { Call } from "../base/trace.ts";
import { place, result } from "./format.ts";

/** The maximum number of listed paths; further ones are counted. */
const maxPlaces = 20;

/** The details of one call. */
export function Details({ call }: { call: Call }) {
  const more = call.fields.length - maxPlaces;
  const places = (
    <ul>
      {call.fields.slice(0, maxPlaces).map((path) => <li key={place(path)}><code>{place(path)}</code></li>)}
      {more > 0 && <li>and {more} more</li>}
    </ul>
  );
  return (
    <Facts
      className="waterfall-details" aria-live="polite"
      rows={[
        ["Call", `${call.service} ${call.route}`],
        ["Result", result(call)],
        ["Took", `${duration(call.durationMicros)}, started at ${duration(call.startMicros)}`],
        ["Waited before", call.waitedMicros > 0 && `${duration(call.waitedMicros)} in the queue`],
        ["Body", bodyOf(call)],
        ["Coalesced", call.coalesced && "shared the response of the same call, which was already under way"],
        ["Attempt", call.attempt > 1 && `number ${call.attempt}`],
        ["Joined", call.joined > 0 && `shared by ${call.joined} more`],
        ["Requested by", places],
      ]}
    />
  );
}

function bodyOf(call: Call): string {
  return call.coalesced || call.encodedBytes === call.bytes ? size(call.bytes) : `${size(call.bytes)}, ${size(call.encodedBytes)} on the wire`;
}
