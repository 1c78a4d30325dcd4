import type { Call } from "../trace.ts";
import { duration, place, result, size } from "./format.ts";

/** The most places that are listed; more are counted. */
const maxPlaces = 20;

/** All that is known of one call. */
export function Details({ call }: { call: Call }) {
  const more = call.fields.length - maxPlaces;
  return (
    <dl className="waterfall-details" aria-live="polite">
      <Row name="Call" value={`${call.service} ${call.route}`} />
      <Row name="Result" value={result(call)} />
      <Row name="Took" value={`${duration(call.durationMicros)}, from ${duration(call.startMicros)} on`} />
      {call.waitedMicros > 0 && <Row name="Waited before" value={`${duration(call.waitedMicros)} for its turn`} />}
      <Row name="Body" value={bodyOf(call)} />
      {call.coalesced && <Row name="Coalesced" value="the same call was under way already, and its answer was taken" />}
      {call.attempt > 1 && <Row name="Attempt" value={`number ${call.attempt}`} />}
      {call.joined > 0 && <Row name="Joined" value={`${call.joined} more asked for the same, and shared it`} />}
      <div>
        <dt>Asked for by</dt>
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
