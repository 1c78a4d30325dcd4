import { both, section } from "./words.tsx";

export const files = section({
  files: both("Files", "Arquivos"),
  excel: both("CSV for Excel", "CSV para Excel"),
  exact: both("Exact CSV (for systems)", "CSV exato (para sistemas)"),
  sumsFile: both("Sums for Excel", "Totais para Excel"),
  stop: both("Stop", "Parar"),
  waiting: both("waiting for the gateway…", "aguardando o gateway…"),
  progress: both((read: string, size: string) => `${read} read, ${size} so far…`, (read, size) => `${read} lidos, ${size} até agora…`),
  stopped: both("stopped, nothing was saved.", "interrompido, nada foi salvo."),
  tooLarge: both(
    "the file is too large for this browser. Nothing was saved. Choose fewer days.",
    "o arquivo é grande demais para este navegador. Nada foi salvo. Escolha menos dias.",
  ),
  refused: both((why: string) => `${why} Nothing was saved.`, (why) => `${why} Nada foi salvo.`),
  saved: both((records: string, size: string) => `saved ${records}, ${size}.`, (records, size) => `${records} em ${size}, salvo.`),
  savedSums: both("saved.", "salvo."),
  whole: both((read: string, total: string) => `Complete: ${read} of ${total}.`, (read, total) => `Completo: ${read} de ${total}.`),
  repeated: both(
    (records: string) => `NOT complete: ${records} twice in the file, so another one may be missing. The list has changed meanwhile: save the file again.`,
    (records) => `NÃO está completo: ${records} em duplicidade no arquivo, e outro pode faltar. A lista mudou nesse meio-tempo: salve o arquivo novamente.`,
  ),
  unreadableRows: both(
    (records: string) => `NOT complete: ${records} with a value that could not be read (#N/A or #N/D).`,
    (records) => `NÃO está completo: ${records} com um valor que não pôde ser lido (#N/A ou #N/D).`,
  ),
  differs: both(
    (expected: string) => `NOT the same as the sums, which have ${expected}. The list has changed meanwhile: refresh the sums, and save the file again.`,
    (expected) => `NÃO confere com os totais, que têm ${expected}. A lista mudou nesse meio-tempo: atualize os totais e salve o arquivo novamente.`,
  ),
  unknown: both("It is not known whether the file is complete:", "Não se sabe se o arquivo está completo:"),
  sumsIncomplete: both("The sums in it are NOT those of the whole list.", "Os totais nele NÃO são os da lista inteira."),
  omitted: both<Record<string, (records: string) => string>>({
    paymentDate: (records) => `Read, but not paid on these days: ${records}.`,
    processedDate: (records) => `Read, but not processed on these days: ${records}.`,
    refundDate: (records) => `Read, but not refunded on these days: ${records}.`,
  }, {
    paymentDate: (records) => `Lidos, mas não pagos nestes dias: ${records}.`,
    processedDate: (records) => `Lidos, mas não processados nestes dias: ${records}.`,
    refundDate: (records) => `Lidos, mas não devolvidos nestes dias: ${records}.`,
  }),
  undated: both(
    (records: string) => `Also in the file: ${records} without a readable date.`,
    (records) => `No arquivo também: ${records} sem data legível.`,
  ),
  progressOf: both(
    (read: string, total: string, percent: number, size: string) => `${read} of ${total} (${percent} %), ${size} so far…`,
    (read, total, percent, size) => `${read} de ${total} (${percent} %), ${size} até agora…`,
  ),
  retrying: both("Trying again…", "Tentando novamente…"),
  paused: both(
    (why: string, progress: string) => `${why} ${progress} Continue from there, or discard it.`,
    (why, progress) => `${why} ${progress} Continue a partir daí ou descarte.`,
  ),
  goOn: both("Continue", "Continuar"),
  discard: both("Discard", "Descartar"),
});
