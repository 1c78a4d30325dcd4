import { duration, size } from "../base/format.ts";
import type { Call } from "../base/trace.ts";
import { place, result } from "./format.ts";

/** The maximum number of listed paths; further ones are counted. */
const maxPlaces = 20;

/** The details of one call. */
export function Details({ call }: { call: Call }) {
  const more = call.fields.length - maxPlaces;
  return (
    <dl className="waterfall-details" aria-live="polite">
      <Row name="Call" value={`${call.service} ${call.route}`} />
      <Row name="Result" value={result(call)} />
      <Row name="Took" value={`${duration(call.durationMicros)}, started at ${duration(call.startMicros)}`} />
      {call.waitedMicros > 0 && <Row name="Waited before" value={`${duration(call.waitedMicros)} in the queue`} />}
      <Row name="Body" value={bodyOf(call)} />
      {call.coalesced && <Row name="Coalesced" value="shared the response of the same call, which was already under way" />}
      {call.attempt > 1 && <Row name="Attempt" value={`number ${call.attempt}`} />}
      {call.joined > 0 && <Row name="Joined" value={`shared by ${call.joined} more`} />}
      <div>
        <dt>Requested by</dt>
        <dd>
          <ul>
            {call.fields.slice(0, maxPlaces).map((path) => (
              <li key={place(path)}>
                <code>{place(path)}</code>
              </li>
            ))}
            {more > 0 && <li>and {more} more</li>}
          </ul>
        </dd>
      </div>
    </dl>
  );
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function bodyOf(call: Call): string {
  return call.coalesced || call.encodedBytes === call.bytes ? size(call.bytes) : `${size(call.bytes)}, ${size(call.encodedBytes)} on the wire`;
}
