import { useContext, useEffect, useRef, useState } from "react";
import { downloadedFile, Lacking, TooLarge } from "../../download/download.ts";
import { Failure, type Gateway } from "../gateway.ts";
import { files } from "../words/files.ts";
import { list } from "../words/list.ts";
import { parts } from "../words/parts.ts";
import { LanguageContext, useLocale, useWords } from "../words/words.tsx";
import { useCompleteText } from "./complete.ts";
import { Download, type Request } from "./downloading.ts";
import { fileOfSums } from "./excel.ts";
import { headerOf } from "./headers.ts";
import { dateField, fileQuery, statusOf, type ListRoute } from "./query.ts";
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
  const own = useWords(files);
  const language = useContext(LanguageContext);
  const { start, go, discard, running, paused, said, say } = useDownload(gateway, route, sums);
  const sumsSaid = useSumsText(route);
  const status = statusOf(route);
  const { kind, days } = route;
  const date = dateField(kind, route.dayOf);
  const headers = language === "pt" ? "pt" : "schema";
  const words = headers === "pt" ? parts.pt.statuses : {};
  const records = (format: FileFormat): Request => {
    const names = format === "excel" ? headers : "schema";
    const cut = route.dayOf === undefined ? null : { column: headerOf(date, names), days };
    const statuses = format === "excel" ? { column: headerOf("statusRaw", headers), words } : null;
    return {
      name: fileName(kind, days, fileSuffixes[date] ?? null, status, format === "exact" ? "exato" : null),
      format, query: fileQuery(kind, names), route, form: { created: headerOf("createdAt", names), cut, statuses }, large: isLarge(sums),
    };
  };
  const saveSums = async (summary: Summary) => {
    const name = fileName(kind, days, fileSuffixes[date] ?? null, status, "totais");
    const file = downloadedFile(name);
    await file.write(new TextEncoder().encode(fileOfSums(summary, kind, headers, words)));
    await file.close();
    say({ ...sumsSaid(summary), name });
  };
  return (
    <div className="files" role="group" aria-label={own.files}>
      <div className="buttons">
        {running === null ? (
          <>
            {paused !== null && <button type="button" className="button primary" onClick={() => go(paused)}>{own.goOn}</button>}
            {paused !== null && <button type="button" className="button" onClick={discard}>{own.discard}</button>}
            <button type="button" className={`button${paused === null ? " primary" : ""}`} onClick={() => void start(records("excel"))}>{own.excel}</button>
            <button type="button" className="button" onClick={() => void start(records("exact"))}>{own.exact}</button>
            <button type="button" className="button" disabled={sums === null} onClick={() => sums && void saveSums(sums)}>{own.sumsFile}</button>
          </>
        ) : <button type="button" className="button" onClick={() => running.abort()}>{own.stop}</button>}
      </div>
      <p role="status" className={`files-said${said.bad ? " files-bad" : ""}`}>{said.name === "" ? "" : `${said.name}: ${said.text}`}</p>
    </div>
  );
}

/** The most records of a file in the memory of the page: about 50 MB. */
const manyRecords = 100_000;

/** Whether a list is long, or may be: not all of it was read. */
function isLarge(sums: Summary | null): boolean {
  return sums !== null && (sums.count > manyRecords || !(sums.complete || sums.reason === "COUNT_UNKNOWN"));
}

interface Paused {
  download: Download;
  name: string;
}

/** One download at a time, which ends when the user leaves the list. One that failed half-way can be continued. */
function useDownload(gateway: Gateway, route: ListRoute, sums: Summary | null) {
  const [said, say] = useState({ name: "", text: "", bad: false });
  const [running, setRunning] = useState<AbortController | null>(null);
  const [paused, setPaused] = useState<Paused | null>(null);
  const newest = useRef<{ control: AbortController; download: Download } | null>(null);
  const latest = useRef(sums);
  latest.current = sums; // the sums may be read while the file is saved
  const ending = useEnding(route);
  const own = useWords(files);
  const locale = useLocale();
  const end = () => {
    newest.current?.control.abort();
    return newest.current?.download.saved.abort().catch(() => {});
  };
  useEffect(() => () => void end(), []);
  const text = (number: number) => number.toLocaleString(locale);
  const go = ({ download, name }: Paused) => {
    const control = new AbortController();
    newest.current = { control, download };
    setRunning(control);
    setPaused(null);
    const tell = (what: string, bad = false) => say({ name, text: what, bad });
    tell(own.waiting);
    const progress = () => tell(progressOf(download));
    download.run(control.signal, { progress, waiting: (failure) => tell(`${ending.why(failure)} ${own.retrying}`) })
      .then(() => ending.ofRecords(download.saved, latest.current))
      .catch(async (error: unknown) => {
        if (download.continues && error instanceof Failure) {
          setPaused({ download, name });
          return { text: own.paused(ending.why(error), progressOf(download)), bad: true };
        }
        await download.saved.abort().catch(() => {});
        return ending.failed(error);
      })
      .then((ended) => tell(ended.text, ended.bad))
      .finally(() => setRunning(null));
  };
  const progressOf = ({ saved, total }: Download) => {
    const { read } = saved.counts;
    if (total === null || total < read || total === 0) return own.progress(text(read), saved.size(locale));
    return own.progressOf(text(read), text(total), Math.floor((read / total) * 100), saved.size(locale));
  };
  const start = async (request: Request) => {
    await end();
    try {
      go({ download: await Download.open(gateway, request), name: request.name });
    } catch (error) {
      say({ name: request.name, ...ending.failed(error) }); // such as an AbortError: the user chose no file
    }
  };
  const discard = () => {
    void end();
    setPaused(null);
    say({ name: "", text: "", bad: false });
  };
  return { start, go, discard, running, paused, said, say };
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
  const text = (count: number) => count.toLocaleString(locale);
  const records = (count: number) => words.records[route.kind](count, text(count));
  const why = (error: unknown): string => {
    if (error instanceof Lacking) return words.reasons[error.end.reason ?? ""] ?? error.message;
    return common.problems[error instanceof Failure ? error.code : "BROKEN"] ?? `${String((error as Error).message)}.`;
  };
  return {
    why,
    ofRecords(saved: Saved, sums: Summary | null): Ending {
      const { counts, reason, total } = saved;
      const verdict = verdictOf(counts, reason, sums);
      const said = [own.saved(records(counts.kept), saved.size(locale))];
      if (verdict.kind === "whole") said.push(...(route.dayOf === undefined ? [] : [complete]), own.whole(text(counts.read), text((total ?? 0) - counts.outside)));
      if (verdict.kind === "repeated") said.push(own.repeated(records(counts.repeated)));
      if (verdict.kind === "unreadable") said.push(own.unreadableRows(records(counts.unreadable)));
      if (verdict.kind === "differs") said.push(own.differs(records(verdict.expected)));
      if (verdict.kind === "unknown") said.push(own.unknown, words.reasons[verdict.reason] ?? verdict.reason);
      const omitted = own.omitted[dateField(route.kind, route.dayOf)];
      if (counts.omitted > 0 && omitted !== undefined) said.push(omitted(records(counts.omitted)));
      if (counts.undated > 0) said.push(own.undated(records(counts.undated)));
      return { text: said.join(" "), bad: verdict.kind !== "whole" && reason !== "COUNT_UNKNOWN" };
    },
    failed(error: unknown): Ending {
      if (error instanceof Error && error.name === "AbortError") return { text: own.stopped, bad: false };
      return { text: error instanceof TooLarge ? own.tooLarge : own.refused(why(error)), bad: true };
    },
  };
}

/** What is said of a file with the sums that the page shows. */
function useSumsText(route: ListRoute) {
  const own = useWords(files);
  const words = useWords(list);
  const complete = useCompleteText(route);
  return ({ complete: isComplete, reason }: Summary): Ending => {
    if (isComplete) return { text: `${own.savedSums} ${complete}`, bad: false };
    const unknown = reason === "COUNT_UNKNOWN";
    return { text: `${own.savedSums} ${unknown ? own.unknown : own.sumsIncomplete} ${words.reasons[reason ?? ""] ?? reason}`, bad: !unknown };
  };
}
