import { useGraphiQLActions } from "@graphiql/react";
import { useEffect, useId, useState } from "react";
import type { Answered } from "../operations/answered.ts";
import { useObservable } from "../base/observable.ts";
import { maxTries } from "./subscribe.ts";
import { nextRead, type Event, type Stream } from "./stream.ts";

/** The events of a stream, the newest on top. The selected one is shown as the answer; the newest is selected by default. */
export function Events({ stream, shown, select }: { stream: Stream; shown: Answered | null; select: (event: Event | null) => void }) {
  const { events, count, tries, end } = useObservable(stream.state);
  const { stop } = useGraphiQLActions();
  const group = useId();
  return (
    <section className="live" aria-label="Events">
      <div className="live-bar">
        <span role="status">{`${end ?? phaseOf(tries)} · ${countOf(count)}`}</span>
        {end === null && tries === 0 && <NextRead stream={stream} />}
        {end === null && <button type="button" className="console-button" onClick={stop}>Stop</button>}
      </div>
      <fieldset className="live-events">
        <legend>{events.length < count ? `The last ${events.length} events` : "Events, the newest first"}</legend>
        {events.map((event, index) => (
          <label key={event.number}>
            <input type="radio" name={group} checked={event === shown} onChange={() => select(index === 0 ? null : event)} />
            <time dateTime={event.observedAt}>{timeOf(event.observedAt)}</time>
            <strong>{event.reason}</strong>
            {event.status !== null && <code>{event.status}</code>}
            <span>{event.words}</span>
          </label>
        ))}
      </fieldset>
    </section>
  );
}

function phaseOf(tries: number): string {
  return tries === 0 ? "Live" : `Reconnecting (${tries} of ${maxTries})`;
}

function countOf(count: number): string {
  return count === 1 ? "1 event" : `${count} events`;
}

const times = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 });

function timeOf(instant: string): string {
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? instant : times.format(date);
}

/** A timer, which screen readers do not announce when it changes. */
function NextRead({ stream }: { stream: Stream }) {
  const [now, setNow] = useState(() => performance.now());
  const state = useObservable(stream.state);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 250);
    return () => clearInterval(timer);
  }, []);
  return <span role="timer">{nextRead(state, stream.heard, Math.max(now, stream.heard))}</span>;
}
