import { useRef, useState } from "react";
import { daysText } from "../parts/moment.tsx";
import { Panel } from "../parts/panel.tsx";
import { useReading } from "../parts/read.ts";
import { Status } from "../parts/status.tsx";
import { list } from "../words/list.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { FileButtons } from "./files.tsx";
import { useKept } from "./kept.ts";
import { Period } from "./period.tsx";
import { dateField, statusOf } from "./query.ts";
import { RowsPanel } from "./rowspanel.tsx";
import { daysKey, sumsKey, type View } from "./reading.ts";
import { Summing, type Progress } from "./summing.ts";
import { SumsPanel } from "./sums.tsx";

/** Deposits or withdrawals of days: their period, sums, files and rows. */
export function ListView({ config, gateway, route }: View) {
  const words = useWords(list);
  const locale = useLocale();
  const [progress, setProgress] = useState<Progress | null>(null);
  const key = sumsKey(route);
  const summing = useRef<{ key: string; sums: Summing } | null>(null);
  const sums = useReading(key, (signal) => {
    if (summing.current?.key !== key || summing.current.sums.ended) summing.current = { key, sums: new Summing(gateway, route) };
    return summing.current.sums.run(signal, (now) => signal.aborted || setProgress(now));
  });
  const kept = useKept(sums, daysKey(route));
  const status = statusOf(route);
  return (
    <>
      <header className="list-head">
        <div>
          <h1>{words.titles[route.kind]}</h1>
          <p className="list-days">
            {words.daysBy(daysText(route.days, locale), words.dates[dateField(route.kind, route.dayOf)] ?? "")} {status !== null && <Status status={status} />}
          </p>
        </div>
        <FileButtons key={key} gateway={gateway} route={route} sums={sums.value?.summary ?? null} />
      </header>
      <Panel title={words.period}><Period route={route} /></Panel>
      <SumsPanel route={route} sums={kept} progress={progress} />
      <RowsPanel config={config} gateway={gateway} route={route} />
    </>
  );
}
