import { Panel } from "../parts/panel.tsx";
import { useReading } from "../parts/read.ts";
import { list } from "../words/list.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { FileButtons } from "./files.tsx";
import { Period } from "./period.tsx";
import { daysText } from "./periods.ts";
import { RowsPanel } from "./rowspanel.tsx";
import { readSums, sumsKey, type View } from "./reading.ts";
import { SumsPanel } from "./sums.tsx";

/** Deposits or withdrawals of days: their period, sums, files and rows. */
export function ListView({ config, gateway, route }: View) {
  const words = useWords(list);
  const locale = useLocale();
  const sums = useReading(sumsKey(route), (signal) => readSums(gateway, route, signal));
  return (
    <>
      <header className="list-head">
        <div>
          <h1>{words.titles[route.kind]}</h1>
          <p className="list-days">{daysText(route.days, locale)}</p>
        </div>
        <FileButtons key={sumsKey(route)} gateway={gateway} route={route} sums={sums.value?.summary ?? null} />
      </header>
      <Panel title={words.period}><Period route={route} /></Panel>
      <SumsPanel route={route} sums={sums} />
      <RowsPanel config={config} gateway={gateway} route={route} />
    </>
  );
}
