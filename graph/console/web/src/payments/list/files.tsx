import { useContext, useEffect, useRef, useState } from "react";
import { TooLarge } from "../../download/download.ts";
import { Failure, type Gateway } from "../gateway.ts";
import { list } from "../words/list.ts";
import { parts } from "../words/parts.ts";
import { LanguageContext, useLocale, useWords } from "../words/words.tsx";
import { download, type Request } from "./downloading.ts";
import { headerOf } from "./headers.ts";
import { dateField, fileQuery, statusOf, sumsFileQuery, sumsVariables, wideFilterOf, type ListRoute } from "./query.ts";
import { fileName, fileSuffixes, verdictOf, type FileFormat, type Saved } from "./saved.ts";
import type { Summary } from "./totals.ts";

interface Props {
  gateway: Gateway;
  route: ListRoute;
  /** The sums of the same records, with which a file is compared; null if they were not read. */
  sums: Summary | null;
}

/** Saves the records of the list, or its sums, as files for accounting, and says whether they are complete. */
export function FileButtons({ gateway, route, sums }: Props) {
  const words = useWords(list);
  const language = useContext(LanguageContext);
  const { start, running, said } = useDownload(gateway, route, sums);
  const status = statusOf(route);
  const { kind, days } = route;
  const date = dateField(kind, route.dayOf);
  const headers = language === "pt" ? "pt" : "schema";
  const records = (format: FileFormat): Request => {
    const names = format === "excel" ? headers : "schema";
    return {
      name: fileName(kind, days, fileSuffixes[date] ?? null, status, format === "exact" ? "exato" : null),
      format, query: fileQuery(kind, names), variables: { filter: wideFilterOf(route) }, cut: { column: headerOf(date, names), days }, large: isLarge(sums),
    };
  };
  const summary = (): Request => ({
    name: fileName(kind, days, fileSuffixes[date] ?? null, status, "totais"),
    format: "excel", query: sumsFileQuery(kind, headers), variables: sumsVariables(route), cut: null, large: false,
  });
  return (
    <div className="files" role="group" aria-label={words.files}>
      <div className="buttons">
        {running === null ? (
          <>
            <button type="button" className="button primary" onClick={() => start(records("excel"), true)}>{words.excel}</button>
            <button type="button" className="button" onClick={() => start(records("exact"), true)}>{words.exact}</button>
            <button type="button" className="button" onClick={() => start(summary(), false)}>{words.sumsFile}</button>
          </>
        ) : <button type="button" className="button" onClick={() => running.abort()}>{words.stop}</button>}
      </div>
      <p role="status" className={`files-said${said.bad ? " files-bad" : ""}`}>{said.text}</p>
    </div>
  );
}

/** The most records of a file in the memory of the page: about 50 MB. */
const manyRecords = 100_000;

/** Whether a list is long, or may be. */
function isLarge(sums: Summary | null): boolean {
  return sums !== null && (!sums.complete || sums.count > manyRecords);
}

/** One download at a time, which ends when the user leaves the list. */
function useDownload(gateway: Gateway, route: ListRoute, sums: Summary | null) {
  const [said, say] = useState({ text: "", bad: false });
  const [running, setRunning] = useState<AbortController | null>(null);
  const newest = useRef<AbortController | null>(null);
  const latest = useRef(sums);
  latest.current = sums; // the sums may be read while the file is saved
  const ending = useEnding(route);
  const words = useWords(list);
  const locale = useLocale();
  useEffect(() => () => newest.current?.abort(), []);
  const start = (request: Request, ofRecords: boolean) => {
    const control = new AbortController();
    newest.current = control;
    setRunning(control);
    const tell = (text: string, bad = false) => say({ text: `${request.name}: ${text}`, bad });
    tell(words.waiting);
    const progress = ({ kept, size }: Saved) => tell(words.progress(words.records[route.kind](kept, kept.toLocaleString(locale)), size));
    download(gateway, request, control.signal, ofRecords ? progress : () => {})
      .then((saved) => (ofRecords ? ending.ofRecords(saved, latest.current) : ending.ofSums(saved, latest.current)))
      .catch((error: unknown) => ending.failed(error))
      .then(({ text, bad }) => tell(text, bad))
      .finally(() => setRunning(null));
  };
  return { start, running, said };
}

interface Ending {
  text: string;
  bad: boolean;
}

/** How a download ended, in words. */
function useEnding(route: ListRoute) {
  const words = useWords(list);
  const common = useWords(parts);
  const locale = useLocale();
  const records = (count: number) => words.records[route.kind](count, count.toLocaleString(locale));
  const why = (reason: string | null) => (reason === null ? words.noSums : (words.reasons[reason] ?? reason));
  return {
    ofRecords(saved: Saved, sums: Summary | null): Ending {
      const verdict = verdictOf(saved.kept, sums && { ...sums, expected: sums.count });
      const text = [words.saved(records(saved.kept), saved.size)];
      if (verdict.kind === "whole") text.push(words.whole);
      if (verdict.kind === "differs") text.push(words.differs(records(verdict.expected)));
      if (verdict.kind === "unknown") text.push(words.unknown, why(verdict.reason));
      const omitted = words.omitted[dateField(route.kind, route.dayOf)];
      if (saved.omitted > 0 && omitted !== undefined) text.push(omitted(records(saved.omitted)));
      if (saved.undated > 0) text.push(words.undated(records(saved.undated)));
      return { text: text.join(" "), bad: verdict.kind !== "whole" };
    },
    ofSums(saved: Saved, sums: Summary | null): Ending {
      const text = [words.savedSums(saved.size)];
      if (sums === null) text.push(words.unknown, why(null));
      else text.push(sums.complete ? words.complete : `${words.sumsIncomplete} ${why(sums.reason)}`);
      return { text: text.join(" "), bad: sums?.complete !== true };
    },
    failed(error: unknown): Ending {
      if (error instanceof Error && error.name === "AbortError") return { text: words.stopped, bad: false };
      if (error instanceof TooLarge) return { text: words.tooLarge, bad: true };
      if (error instanceof Failure) return { text: words.refused(common.problems[error.code] ?? `${error.message}.`), bad: true };
      return { text: words.broken, bad: true };
    },
  };
}
