import { both, section, type Both } from "./words.tsx";

export const list = section({
  titles: both({ deposits: "Deposits", withdrawals: "Withdrawals" }, { deposits: "Depósitos", withdrawals: "Saques" }),
  period: both("Period and status", "Período e situação"),
  periods: both(
    { today: "Today", yesterday: "Yesterday", thisWeek: "This week", lastWeek: "Last week", thisMonth: "This month", lastMonth: "Last month" },
    { today: "Hoje", yesterday: "Ontem", thisWeek: "Esta semana", lastWeek: "Semana passada", thisMonth: "Este mês", lastMonth: "Mês passado" },
  ),
  from: both("From", "De"),
  to: both("To", "Até"),
  copyLink: both("Copy link", "Copiar link"),
  link: both("the link to this list", "o link desta lista"),
  dayOf: both("By day of", "Pela data de"),
  dates: both<Record<string, string>>(
    { createdAt: "creation", paymentDate: "payment", processedDate: "processing", refundDate: "refund" },
    { createdAt: "criação", paymentDate: "pagamento", processedDate: "processamento", refundDate: "devolução" },
  ),
  daysBy: both((days: string, date: string) => `${days}, by day of ${date}`, (days, date) => `${days}, pela data de ${date}`),
  before: both("Include those created up to", "Incluir criados até"),
  daysBefore: both((days: number) => `${days} days before`, (days) => `${days} dias antes`),
  aboutDates: both("About the dates", "Sobre as datas"),
  filterNote: both(
    "The API does not document which date it filters by. Days are those of Brasília.",
    "A API não documenta por qual data ela filtra. Os dias seguem o horário de Brasília.",
  ),
  windowNote: {
    deposits: both(
      (date: string, since: string) => `By the day of ${date}, of deposits that were created since ${since}. Those that were created earlier are not included.`,
      (date, since) => `Pela data de ${date}, entre os depósitos criados desde ${since}. Os criados antes não entram.`,
    ),
    withdrawals: both(
      (date: string, since: string) => `By the day of ${date}, of withdrawals that were created since ${since}. Those that were created earlier are not included.`,
      (date, since) => `Pela data de ${date}, entre os saques criados desde ${since}. Os criados antes não entram.`,
    ),
  },
  refusals: {
    future: both("The date is in the future.", "A data está no futuro."),
    early: both("Pix began in November 2020.", "O Pix começou em novembro de 2020."),
    incomplete: both("The date is not complete, or there is no such day.", "A data está incompleta ou não existe."),
  },
  listStays: both((days: string) => `The list is still that of ${days}.`, (days) => `A lista continua sendo a de ${days}.`),
  sums: both("Sums", "Totais"),
  summing: both("Adding up…", "Somando…"),
  summed: both(
    (pages: string, of: string | null, records: string) => `${of === null ? pages : `${pages} of ${of}`} pages, ${records}`,
    (pages, of, records) => `${of === null ? pages : `${pages} de ${of}`} páginas, ${records}`,
  ),
  again: both("Refresh", "Atualizar"),
  figures: both({
    count: "Count", amount: "Amount", amountPaid: "Paid", amountWithdrawn: "Withdrawn", refundAmount: "Refunded", feeAmount: "Fees", netAmount: "Net",
  }, {
    count: "Quantidade", amount: "Valor", amountPaid: "Pago", amountWithdrawn: "Sacado", refundAmount: "Devolvido", feeAmount: "Tarifas", netAmount: "Líquido",
  }),
  byStatus: both("By status", "Por situação"),
  byDay: both("By day", "Por dia"),
  days: both((count: number) => `${count} days`, (count) => `${count} dias`),
  byStatusAndDay: both("By status and by day", "Por situação e por dia"),
  status: both("Status", "Situação"),
  dayColumn: both("Day", "Dia"),
  noDay: both("without a date", "sem data"),
  total: both("Total", "Total"),
  noNet: both("not known: the API counts fees in reais", "não se sabe: a API conta as tarifas em reais"),
  unitNote: both<Record<string, string>>(
    { feeAmount: "unit not documented", amountWithdrawn: "unit not documented", netAmount: "if fees are in cents" },
    { feeAmount: "unidade não documentada", amountWithdrawn: "unidade não documentada", netAmount: "se as tarifas são em centavos" },
  ),
  moneyNote: {
    deposits: both(
      "The API does not document the unit of fees: they are shown as it sends them. Net is paid minus fees and refunded. It is right only if fees are in cents, and not known if a paid deposit has no fee.",
      "A API não documenta a unidade das tarifas: elas aparecem como a API as envia. O líquido é o pago menos tarifas e devoluções. Só está correto se as tarifas são em centavos, e não é conhecido se algum depósito pago não tem tarifa.",
    ),
    withdrawals: both(
      "The API does not document the unit of the amount withdrawn and of fees: they are shown as it sends them.",
      "A API não documenta a unidade do valor sacado nem das tarifas: eles aparecem como a API os envia.",
    ),
  },
  aboutSums: both("About these sums", "Sobre os totais"),
  feeMissing: both("not known: some paid deposits have no fee", "não se sabe: há depósitos pagos sem tarifa"),
  notKept: both((net: boolean, returned: string | null, blocked: string | null) => {
    const what = [returned && `${returned} returned by dispute (MED)`, blocked && `${blocked} blocked`].filter(Boolean).join(" and ");
    return `${net ? "Paid and net include" : "Paid includes"} ${what}, for which the records have no refund.`;
  }, (net, returned, blocked) => {
    const what = [returned && `${returned} devolvidos por MED`, blocked && `${blocked} bloqueados`].filter(Boolean).join(" e ");
    return `${net ? "“Pago” e “Líquido” incluem" : "“Pago” inclui"} ${what}, cuja devolução não consta nos registros.`;
  }),
  refundNote: both(
    "Refunded is what has been refunded until now, on whatever day. For the refunds of a day choose “refund” above.",
    "Devolvido é o que foi devolvido até agora, em qualquer dia. Para as devoluções de um dia, escolha “devolução” acima.",
  ),
  complete: both("Complete: the sums are those of the whole list.", "Completo: os totais são os da lista inteira."),
  completeSince: both(
    (since: string) => `Complete, of the records that were created since ${since}.`,
    (since) => `Completo, entre os registros criados desde ${since}.`,
  ),
  incomplete: both("These sums are NOT those of the whole list.", "Estes totais NÃO são os da lista inteira."),
  unknown: both("It is not known whether these sums are those of the whole list.", "Não se sabe se estes totais são os da lista inteira."),
  groupLimit: both(
    "The tables do not have all records, but the sums of all do.",
    "As tabelas não incluem todos os registros, mas os totais gerais sim.",
  ),
  reasons: {
    TOTAL_CHANGED: both("The list changed while it was read. Refresh the sums.", "A lista mudou durante a leitura. Atualize os totais."),
    RECORD_REPEATED: both(
      "A record was on two pages, so another one may be missing. The list changed while it was read. Refresh the sums.",
      "Um registro apareceu em duas páginas, portanto outro pode estar faltando. A lista mudou durante a leitura. Atualize os totais.",
    ),
    RECORD_UNREADABLE: both("Some records cannot be read, and are not in the sums.", "Alguns registros não podem ser lidos e não entram nos totais."),
    COUNT_MISMATCH: both(
      "The API lists another number of records than it counts.",
      "A API lista uma quantidade de registros diferente da que ela informa.",
    ),
    COUNT_UNKNOWN: both(
      "The API does not count its records, so nothing shows whether these are all of them.",
      "A API não conta os registros, por isso não há como saber se estão todos aqui.",
    ),
    PAGING_UNKNOWN: both("The API did not return the page that was asked for.", "A API não devolveu a página solicitada."),
    PAGE_FAILED: both("A page of the list could not be read.", "Não foi possível ler uma página da lista."),
    TOO_MANY: both(
      "There are more of them than this page shows. The sums and files have all.",
      "São mais do que esta página mostra. Os totais e os arquivos têm todos.",
    ),
    GROUP_LIMIT: both("There are too many days and statuses for the tables.", "Há dias e situações demais para as tabelas."),
  } as Record<string, Both<string>>,
  whatWasRead: both(
    (records: string, pages: string) => `${records} added up, of ${pages} read.`,
    (records, pages) => `${records} nos totais, com ${pages}.`,
  ),
  pages: both(
    (count: number, text: string) => (count === 1 ? "1 page" : `${text} pages`),
    (count, text) => (count === 1 ? "1 página lida" : `${text} páginas lidas`),
  ),
  unreadable: both(
    (count: number, text: string) => (count === 1 ? "1 record cannot be read." : `${text} records cannot be read.`),
    (count, text) => (count === 1 ? "1 registro não pode ser lido." : `${text} registros não podem ser lidos.`),
  ),
  records: {
    deposits: both(
      (count: number, text: string) => (count === 1 ? "1 deposit" : `${text} deposits`),
      (count, text) => (count === 1 ? "1 depósito" : `${text} depósitos`),
    ),
    withdrawals: both(
      (count: number, text: string) => (count === 1 ? "1 withdrawal" : `${text} withdrawals`),
      (count, text) => (count === 1 ? "1 saque" : `${text} saques`),
    ),
  },
  list: both("List", "Lista"),
  anyStatus: both("All statuses", "Todas as situações"),
  statusFilter: both("Status", "Situação"),
  unknownStatus: both(
    (status: string) => `The API has no status “${status}”, so the list is not filtered.`,
    (status) => `A API não tem a situação “${status}”, por isso a lista não está filtrada.`,
  ),
  pageOf: both((page: string, pages: string) => `Page ${page} of ${pages}`, (page, pages) => `Página ${page} de ${pages}`),
  page: both((page: string) => `Page ${page}`, (page) => `Página ${page}`),
  previous: both("Previous", "Anterior"),
  next: both("Next", "Próxima"),
  paging: both("Pages", "Páginas"),
  pagingBelow: both("Pages, below the list", "Páginas, abaixo da lista"),
  uncounted: both("The API does not count its records.", "A API não conta os registros."),
  contradictory: both(
    (records: string) => `The API counts ${records}, which does not agree with its pages.`,
    (records) => `A API informa ${records}, o que não confere com as páginas dela.`,
  ),
  onlyFirst: both(
    "This gateway can only request the first page of a list. The sums and files are limited in the same way.",
    "Este gateway só consegue pedir a primeira página de uma lista. Os totais e os arquivos têm o mesmo limite.",
  ),
  empty: both(
    { deposits: "No deposits in this period by the API's date filter.", withdrawals: "No withdrawals in this period by the API's date filter." },
    { deposits: "Nenhum depósito neste período, pelo filtro de data da API.", withdrawals: "Nenhum saque neste período, pelo filtro de data da API." },
  ),
  emptyStatus: both(
    "None with this status in this period by the API's date filter.",
    "Nenhum com esta situação neste período, pelo filtro de data da API.",
  ),
  emptyDate: both("None of them on these days.", "Nenhum deles nestes dias."),
  at: both<Record<string, string>>(
    { paymentDate: "paid", processedDate: "processed", refundDate: "refunded" },
    { paymentDate: "pago em", processedDate: "processado em", refundDate: "devolvido em" },
  ),
  endToEnd: both("the EndToEndId", "o EndToEndId"),
  endToEndRefund: both("the EndToEndId of the refund", "o EndToEndId da devolução"),
  among: both(
    (records: string, since: string) => `Of ${records} that were created since ${since}.`,
    (records, since) => `Entre ${records} desde ${since}, pela criação.`,
  ),
  notWhole: both("The list may NOT be whole.", "A lista pode NÃO estar completa."),
  emptyPage: both("The list has no such page.", "A lista não tem essa página."),
  firstPage: both("To the first page", "Ir para a primeira página"),
  stop: both("Stop", "Parar"),
  retrying: both("Trying again…", "Tentando novamente…"),
  numberOf: both((number: string, of: string) => `${number} of ${of}`, (number, of) => `${number} de ${of}`),
});
