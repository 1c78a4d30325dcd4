import { useContext, useEffect, useRef, useState } from "react";
import { Lacking, TooLarge } from "../../download/download.ts";
import { Failure, type Gateway } from "../gateway.ts";
import { files } from "../words/files.ts";
import { list } from "../words/list.ts";
import { parts } from "../words/parts.ts";
import { LanguageContext, useLocale, useWords } from "../words/words.tsx";
import { useCompleteText } from "./complete.ts";
import { download, type Request } from "./downloading.ts";
import { headerOf } from "./headers.ts";
import { dateField, fileQuery, statusOf, sumsFileQuery, sumsVariables, wideFilterOf, type ListRoute } from "./query.ts";
import { fileName, fileSuffixes, formats, verdictOf, type FileFormat, type Saved } from "./saved.ts";
import { hasFigures } from "./sumsfile.ts";
import type { Summary } from "./totals.ts";

interface Props {
  gateway: Gateway;
  route: ListRoute;
  /** The sums of the same records, with which a file is compared; null if they were not read. */
  sums: Summary | null;
}

/** Saves the records of the list, or its sums, as files for accounting, and says whether they are complete. */
export function FileButtons({ gateway, route, sums }: Props) {
  const own = useWords(files);
  const language = useContext(LanguageContext);
  const { start, running, said } = useDownload(gateway, route, sums);
  const status = statusOf(route);
  const { kind, days } = route;
  const date = dateField(kind, route.dayOf);
  const headers = language === "pt" ? "pt" : "schema";
  const statuses = headers === "pt" ? { column: headerOf("statusRaw", headers), words: parts.pt.statuses } : null;
  const records = (format: FileFormat): Request => {
    const names = format === "excel" ? headers : "schema";
    return {
      name: fileName(kind, days, fileSuffixes[date] ?? null, status, format === "exact" ? "exato" : null),
      format, query: fileQuery(kind, names), variables: { filter: wideFilterOf(route) }, cut: { column: headerOf(date, names), days },
      statuses: format === "excel" ? statuses : null, ofSums: false,
      large: isLarge(sums),
    };
  };
  const summary = (): Request => ({
    name: fileName(kind, days, fileSuffixes[date] ?? null, status, "totais"),
    format: "excel", query: sumsFileQuery(kind, headers), variables: sumsVariables(route, gateway.pages), cut: null, statuses, ofSums: true, large: false,
  });
  return (
    <div className="files" role="group" aria-label={own.files}>
      <div className="buttons">
        {running === null ? (
          <>
            <button type="button" className="button primary" onClick={() => start(records("excel"))}>{own.excel}</button>
            <button type="button" className="button" onClick={() => start(records("exact"))}>{own.exact}</button>
            <button type="button" className="button" onClick={() => start(summary())}>{own.sumsFile}</button>
          </>
        ) : <button type="button" className="button" onClick={() => running.abort()}>{own.stop}</button>}
      </div>
      <p role="status" className={`files-said${said.bad ? " files-bad" : ""}`}>{said.text}</p>
    </div>
  );
}

/** The most records of a file in the memory of the page: about 50 MB. */
const manyRecords = 100_000;

/** Whether a list is long, or may be: not all of it was read. */
function isLarge(sums: Summary | null): boolean {
  return sums !== null && (sums.count > manyRecords || !(sums.complete || sums.reason === "COUNT_UNKNOWN"));
}

/** One download at a time, which ends when the user leaves the list. */
function useDownload(gateway: Gateway, route: ListRoute, sums: Summary | null) {
  const [said, say] = useState({ text: "", bad: false });
  const [running, setRunning] = useState<AbortController | null>(null);
  const newest = useRef<AbortController | null>(null);
  const latest = useRef(sums);
  latest.current = sums; // the sums may be read while the file is saved
  const ending = useEnding(route);
  const own = useWords(files);
  const words = useWords(list);
  const locale = useLocale();
  useEffect(() => () => newest.current?.abort(), []);
  const start = (request: Request) => {
    const { ofSums } = request;
    const control = new AbortController();
    newest.current = control;
    setRunning(control);
    const tell = (text: string, bad = false) => say({ text: `${request.name}: ${text}`, bad });
    tell(own.waiting);
    const progress = ({ kept, size }: Saved) => tell(own.progress(words.records[route.kind](kept, kept.toLocaleString(locale)), size));
    download(gateway, request, control.signal, ofSums ? () => {} : progress)
      .then((saved) => (ofSums ? ending.ofSums(saved, latest.current) : ending.ofRecords(saved, latest.current)))
      .catch((error: unknown) => ending.failed(error, ofSums))
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
  const own = useWords(files);
  const words = useWords(list);
  const common = useWords(parts);
  const locale = useLocale();
  const complete = useCompleteText(route);
  const records = (count: number) => words.records[route.kind](count, count.toLocaleString(locale));
  const why = (reason: string | null) => (reason === null ? own.noSums : (words.reasons[reason] ?? reason));
  return {
    ofRecords(saved: Saved, sums: Summary | null): Ending {
      const verdict = verdictOf(saved, sums && { ...sums, expected: sums.count });
      const text = [own.saved(records(saved.kept), saved.size)];
      if (verdict.kind === "whole") text.push(...(route.dayOf === undefined ? [own.whole] : [complete, own.asMany]));
      if (verdict.kind === "repeated") text.push(own.repeated(records(saved.repeated)));
      if (verdict.kind === "unreadable") text.push(own.unreadableRows(records(saved.unreadable)));
      if (verdict.kind === "unchecked") text.push(own.unchecked);
      if (verdict.kind === "differs") text.push(own.differs(records(verdict.expected)));
      if (verdict.kind === "unknown") text.push(own.unknown, why(verdict.reason));
      const omitted = own.omitted[dateField(route.kind, route.dayOf)];
      if (saved.omitted > 0 && omitted !== undefined) text.push(omitted(records(saved.omitted)));
      if (saved.undated > 0) text.push(own.undated(records(saved.undated)));
      return { text: text.join(" "), bad: verdict.kind !== "whole" };
    },
    ofSums(saved: Saved, sums: Summary | null): Ending {
      const text = [own.savedSums(saved.size)];
      const differs = sums !== null && !hasFigures(saved.rows ?? [], formats.excel.separator, sums);
      if (sums === null) text.push(own.unknown, why(null));
      else if (differs) text.push(own.otherSums);
      else if (sums.complete) text.push(complete);
      else text.push(sums.reason === "COUNT_UNKNOWN" ? own.unknown : own.sumsIncomplete, why(sums.reason));
      return { text: text.join(" "), bad: differs || sums?.complete !== true };
    },
    failed(error: unknown, ofSums: boolean): Ending {
      if (error instanceof Error && error.name === "AbortError") return { text: own.stopped, bad: false };
      if (error instanceof TooLarge) return { text: own.tooLarge, bad: true };
      if (error instanceof Failure) return { text: own.refused(common.problems[error.code] ?? `${error.message}.`), bad: true };
      if (!(error instanceof Lacking)) return { text: own.broken, bad: true };
      const reason = why(error.end.reason ?? null);
      return { text: own.refused(ofSums ? `${own.noFileOfSums} ${reason}` : reason), bad: true };
    },
  };
}
