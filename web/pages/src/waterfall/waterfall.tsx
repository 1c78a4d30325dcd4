import { useState } from "react";
import { Facts } from "../base/facts.tsx";
import { duration, size } from "../base/format.ts";
import type { Trace } from "../base/trace.ts";
import { Details } from "./details.tsx";
import { result } from "./format.ts";
import { layOut, ticks, type Bar } from "./layout.ts";

/** The calls of one operation as bars on a time axis. The details of the focused bar are below. */
export function Waterfall({ trace, name }: { trace: Trace; name: string | null }) {
  const [chosen, choose] = useState(0);
  const bars = layOut(trace);
  const shown = bars[Math.min(chosen, bars.length - 1)];
  return (
    <>
      <Facts
        className="waterfall-total"
        rows={[
          ["Operation", name ?? "unnamed"], ["Total", duration(trace.durationMicros)], ["The gateway's own time", duration(trace.gatewayMicros)],
          ["Calls", String(trace.calls.length)],
        ]}
      />
      {bars.length === 0 && <p>No upstream calls.</p>}
      {bars.length > 0 && <Axis trace={trace} />}
      <ol className="waterfall" role="list">
        {bars.map((bar, index) => (
          <li key={index}>
            <Row bar={bar} chosen={bar === shown} choose={() => choose(index)} />
          </li>
        ))}
      </ol>
      {shown && <Details call={shown.call} />}
    </>
  );
}

function Row({ bar: { call, waitAt, at, width }, chosen, choose }: { bar: Bar; chosen: boolean; choose: () => void }) {
  const failed = call.outcome === "ok" ? "" : " waterfall-failed";
  return (
    <button
      type="button"
      className={`waterfall-bar waterfall-${call.service}${failed}`}
      aria-pressed={chosen}
      onFocus={choose}
      onClick={choose}
    >
      <span className="waterfall-route">
        {call.service} {call.route}
      </span>
      <span className="waterfall-figures">
        {call.coalesced && <b>coalesced </b>}
        {call.attempt > 1 && <b>try {call.attempt} </b>}
        {call.joined > 0 && <b>+{call.joined} joined </b>}
        {result(call)} · {size(call.bytes)} · {duration(call.durationMicros)}
      </span>
      <svg className="waterfall-track" aria-hidden="true">
        {at > waitAt && <rect className="waterfall-wait" x={`${waitAt}%`} width={`${at - waitAt}%`} y="35%" height="30%" />}
        <rect className="waterfall-call" x={`${at}%`} width={`${width}%`} y="10%" height="80%" rx="2" />
      </svg>
    </button>
  );
}

function Axis({ trace }: { trace: Trace }) {
  return (
    <svg className="waterfall-axis" aria-hidden="true">
      {ticks(trace).map(({ micros, at }) => (
        <g key={micros}>
          <line x1={`${at}%`} x2={`${at}%`} y1="70%" y2="100%" />
          <text x={`${at}%`} y="60%" textAnchor={at > 90 ? "end" : at < 5 ? "start" : "middle"}>
            {duration(micros)}
          </text>
        </g>
      ))}
    </svg>
  );
}
