import type { ById } from "../route.ts";
import { both, section } from "./words.tsx";
/** "Nenhum saque" or "nenhuma transação": the first record decides. */
function noRecordPt(records: readonly ById[]): string {
  const names = records.map((record) => ({ transaction: "transação", withdrawal: "saque", notification: "webhook" })[record]);
  return `${records[0] === "transaction" ? "Nenhuma" : "Nenhum"} ${listed("pt-BR", names)}`;
}
function listed(locale: string, names: string[]): string {
  return new Intl.ListFormat(locale, { type: "disjunction" }).format(names);
}

export const find = section({
  title: both("Find a payment", "Localizar um pagamento"),
  hint: both(
    "Transaction id (E…), amount, name, CPF/CNPJ, Pix key, external code",
    "ID da transação (E…), valor, nome, CPF/CNPJ, chave Pix, código externo",
  ),
  find: both("Find", "Buscar"),
  clear: both("Clear", "Limpar"),
  days: both("Days to search", "Dias da busca"),
  recent: both("Today and yesterday", "Hoje e ontem"),
  week: both("Last 7 days", "Últimos 7 dias"),
  month: both("This month", "Este mês"),
  lastMonth: both("Last month", "Mês passado"),
  oneDay: both("One day…", "Um dia…"),
  range: both("From – to…", "De – até…"),
  day: both("Day", "Dia"),
  from: both("From", "De"),
  to: both("To", "Até"),
  spanWhy: both(
    "For what the payment service cannot filter, such as names, the payments of these days are read and compared.",
    "O que o serviço de pagamentos não filtra, como nomes, é comparado com os pagamentos destes dias, lidos um a um.",
  ),
  results: both("Results", "Resultados"),
  searching: both("Searching…", "Buscando…"),
  readAs: both(
    (meanings: string, day: string | null) => `Read as: ${meanings}${day === null ? "" : `, on ${day}`}.`,
    (meanings, day) => `Entendido como: ${meanings}${day === null ? "" : `, em ${day}`}.`,
  ),
  ignored: both("The rest of the text, such as a time, was not compared.", "O resto do texto, como o horário, não foi comparado."),
  meanings: both({
    uuid: "an id", endToEnd: "an EndToEndId (transaction id)", refund: "the EndToEndId of a refund", mistyped: "an EndToEndId (transaction id) with an error",
    part: "a part of an id", brCode: "a Pix code", key: "a Pix key",
    document: "a CPF or CNPJ", externalCode: "an external code", notification: "the id of a webhook", name: "a name",
  }, {
    uuid: "ID", endToEnd: "EndToEndId (ID da transação)", refund: "EndToEndId (ID da transação) de uma devolução",
    mistyped: "EndToEndId (ID da transação) com erro", part: "parte de um ID", brCode: "código Pix", key: "chave Pix",
    document: "CPF ou CNPJ", externalCode: "código externo", notification: "ID de webhook", name: "nome",
  }),
  amountOf: both((amount: string) => `the amount ${amount}`, (amount) => `valor de ${amount}`),
  namedOf: both(
    (amount: string, name: string) => `the amount ${amount} with the name ${name}`,
    (amount, name) => `valor de ${amount} com o nome ${name}`,
  ),
  wrongLength: both(
    (count: number, all: number) => `This looks like an EndToEndId, but it has ${count} characters instead of ${all}. Check the receipt.`,
    (count, all) => `Parece um EndToEndId, mas tem ${count} caracteres em vez de ${all}. Confira o comprovante.`,
  ),
  wrongTime: both(
    "This looks like an EndToEndId, but the date in it does not exist. Check the receipt.",
    "Parece um EndToEndId, mas a data contida nele não existe. Confira o comprovante.",
  ),
  unknownTime: both(
    "Its day cannot be read, so the days chosen above are searched.",
    "Não é possível saber o dia do pagamento; a busca usa os dias escolhidos acima.",
  ),
  noSuchDay: both("There is no such day.", "Esta data não existe."),
  unknownDay: both("The days chosen above are searched.", "A busca usa os dias escolhidos acima."),
  onlyDay: both(
    "This is a day. See its lists, or add what is known of the payment, such as the amount.",
    "Isto é uma data. Veja as listas dela, ou informe também o que se sabe do pagamento, como o valor.",
  ),
  several: both("This text has several ids. Search for them one at a time.", "Este texto tem mais de um ID. Busque um de cada vez."),
  unknown: both(
    "This text cannot be searched. Enter an id, a code, a key, an amount, or a name of at least two letters.",
    "Não é possível buscar este texto. Informe um ID, um código, uma chave, um valor ou um nome com pelo menos duas letras.",
  ),
  found: both(
    (count: number, text: string) => (count === 1 ? "1 record found." : `${text} records found.`),
    (count, text) => (count === 1 ? "1 registro encontrado." : `${text} registros encontrados.`),
  ),
  foundPossible: both(
    (count: number, text: string) => (count === 1 ? "1 possible match found." : `${text} possible matches found.`),
    (count, text) => (count === 1 ? "1 correspondência possível encontrada." : `${text} correspondências possíveis encontradas.`),
  ),
  nothing: both(
    "Nothing was found in what was tried. The payment may be older, or in days that were not searched.",
    "Nada foi encontrado no que foi consultado. O pagamento pode ser mais antigo ou de dias que não foram consultados.",
  ),
  noRecord: both(
    (records: ById[]) => `No ${listed("en-GB", records.map((record) => ({ transaction: "transaction", withdrawal: "withdrawal", notification: "webhook" })[record]))} has this id.`,
    (records) => `${noRecordPt(records)} tem este ID.`,
  ),
  depositsOnly: both((when: string, whole: boolean) => (whole ? `Deposits were searched only on ${when}.` : `Of the deposits of ${when}, only some were searched.`), (when, whole) => (whole
    ? `Depósitos foram procurados só ${when.includes(" a ") ? "de" : "em"} ${when}.`
    : `Só uma parte dos depósitos de ${when} foi consultada.`)),
  incomplete: both("Nothing was found so far.", "Nada foi encontrado até agora."),
  notAll: both(
    (read: string, total: string | null) => `Not everything was read${read === "0" ? "" : total === null ? `: ${read} records so far` : `: ${read} of ${total} records`}.`,
    (read, total) => `Nem tudo foi consultado${read === "0" ? "" : total === null ? `: ${read} registros até agora` : `: ${read} de ${total} registros`}.`,
  ),
  readOf: both(
    (read: string, total: string | null) => (total === null ? `${read} read` : `${read} of ${total} read`),
    (read, total) => (total === null ? `${read} lidos` : `${read} de ${total} lidos`),
  ),
  code: both("Pix code", "Código Pix"),
  codeRead: both("read", "lido"),
  codeFaults: {
    cut: both(
      "This Pix code is incomplete: its end is missing. Ask for the whole code.",
      "Este código Pix está incompleto: falta o final. Peça o código inteiro.",
    ),
    changed: both(
      "The checksum of this Pix code is wrong: it was changed or mistyped.",
      "O dígito verificador (CRC) deste código Pix não confere: ele foi alterado ou digitado com erro.",
    ),
  },
  codeOf: both((name: string) => `Its receiver is ${name}.`, (name) => `O recebedor é ${name}.`),
  tried: both("What was tried", "O que foi consultado"),
  records: both(
    { transaction: "Transaction with this id", withdrawal: "Withdrawal with this id", notification: "Webhook with this id" },
    { transaction: "Transação com este ID", withdrawal: "Saque com este ID", notification: "Webhook com este ID" },
  ),
  filters: {
    endToEnd: both(() => "Withdrawals with this EndToEndId", () => "Saques com este EndToEndId"),
    endToEndRefund: both(() => "Withdrawals whose refund has this EndToEndId", () => "Saques cuja devolução tem este EndToEndId"),
    externalCode: both(() => "Withdrawals with this external code", () => "Saques com este código externo"),
    pixKey: both((key: string) => `Withdrawals to the Pix key ${key}`, (key) => `Saques para a chave Pix ${key}`),
  },
  key: both((text: string) => `Pix key ${text}`, (text) => `Chave Pix ${text}`),
  keyValid: both("valid", "válida"),
  keyInvalid: both<Record<string, string>>(
    { CHECK_DIGITS: "the check digits are wrong", MASKED: "masked, so that it cannot be searched" },
    { CHECK_DIGITS: "os dígitos verificadores não conferem", MASKED: "mascarada; não é possível buscá-la" },
  ),
  keyUnknown: both("not a Pix key", "não é uma chave Pix"),
  deposits: both("Deposits", "Depósitos"),
  withdrawals: both("Withdrawals", "Saques"),
  listOf: both((kind: string, when: string) => `${kind}, ${when}`, (kind, when) => `${kind}, ${when}`),
  listOfAmount: both((kind: string, amount: string, name: string | null, when: string) =>
    `${kind} of ${amount}${name === null ? "" : ` with the name ${name}`}, ${when}`, (kind, amount, name, when) => `${kind} de ${amount}${name === null ? "" : ` com o nome ${name}`}, ${when}`),
  exists: both(
    { transaction: "found", withdrawal: "found", notification: "found" },
    { transaction: "encontrada", withdrawal: "encontrado", notification: "encontrado" },
  ),
  existsNot: both(
    { transaction: "not found", withdrawal: "not found", notification: "not found" },
    { transaction: "não encontrada", withdrawal: "não encontrado", notification: "não encontrado" },
  ),
  notRead: both("could not be read", "não foi possível consultar"),
  waiting: both("waiting", "aguardando"),
  skipped: both("not needed", "não foi preciso"),
  stop: both("Stop", "Parar"),
  stopped: both("stopped", "interrompido"),
  goOn: both("Continue", "Continuar"),
  count: both(
    (found: number, text: string) => (found === 0 ? "none" : `${text} found`),
    (found, text) => (found === 0 ? "nenhum" : found === 1 ? "1 encontrado" : `${text} encontrados`),
  ),
  counts: both((read: string, _: number, found: string, __: number) => `${read} read, ${found} found`, (read, readCount, found, foundCount) =>
    `${read} ${readCount === 1 ? "lido" : "lidos"}, ${foundCount === 0 ? "nenhum encontrado" : `${found} ${foundCount === 1 ? "encontrado" : "encontrados"}`}`),
  uncounted: both("an unknown number", "uma quantidade desconhecida"),
  partly: both((read: string, total: string) => `${read} of ${total}`, (read, total) => `${read} de ${total}`),
  pages: both((text: string) => `${text} pages`, (text) => `${text} páginas`),
  invalid: both(
    (count: number) => (count === 1 ? "1 record cannot be read" : `${count} records cannot be read`),
    (count) => (count === 1 ? "1 registro não pode ser lido" : `${count} registros não podem ser lidos`),
  ),
  unreachable: both(
    "only the first page can be read (this gateway is not set up to read others)",
    "só é possível ler a primeira página (este gateway não está configurado para ler as outras)",
  ),
  beyond: both(
    "the payment service filters amounts from R$0.01 (withdrawals: R$0.10) to R$100,000.00; beyond that they were compared here",
    "o serviço de pagamentos filtra valores de R$ 0,01 (saques: R$ 0,10) a R$ 100.000,00; fora disso, foram comparados aqui",
  ),
  dated: both(
    "Days are in the time of Brasília, by the date filter of the payment service. Which of the dates of a payment it uses is not documented.",
    "Dias no horário de Brasília, conforme o filtro de datas do serviço de pagamentos. Qual das datas do pagamento ele usa não está documentado.",
  ),
  further: {
    earlier: both((when: string) => `Search further back: ${when}`, (when) => `Buscar em dias anteriores: ${when}`),
    later: both((when: string) => `Search later days: ${when}`, (when) => `Buscar em dias posteriores: ${when}`),
  },
  firstAgain: both("First try again what could not be read.", "Antes, tente novamente o que não pôde ser consultado."),
  sumOf: both((count: string, sum: string) => `${count} records, ${sum}`, (count, sum) => `${count} registros, ${sum}`),
  newest: both(
    (shown: string, all: string) => `The newest ${shown} of ${all}. The sum and the file have all.`,
    (shown, all) => `Os ${shown} mais recentes de ${all}. A soma e o arquivo têm todos.`,
  ),
  more: both((count: number) => `Show ${count} more`, (count) => `Mostrar mais ${count}`),
  excel: both("CSV for Excel", "CSV para Excel"),
  foundFile: both("found", "encontrados"),
  columns: both(
    { created: "Created", deposits: "Paid", withdrawals: "Processed", others: ["Status", "Name", "Amount (R$)", "EndToEndId", "Id"] },
    { created: "Criado em", deposits: "Pago em", withdrawals: "Processado em", others: ["Situação", "Nome", "Valor (R$)", "EndToEndId (ID da transação)", "ID"] },
  ),
  transactions: both("Transactions", "Transações"),
  notifications: both("Webhooks", "Webhooks"),
  notificationOf: both((id: string) => `about ${id}`, (id) => `sobre ${id}`),
  transactionId: both("the id of the transaction", "o ID da transação no sistema"),
  notificationId: both("the id of the webhook", "o ID do webhook"),
  reasons: both({
    id: "Id", endToEnd: "EndToEndId", endToEndRefund: "EndToEndId of the refund", externalCode: "External code", pixCode: "Pix code",
    payerName: "Payer", receiverName: "Receiver", payerDocument: "Document of the payer", receiverDocument: "Document of the receiver",
    payerKey: "Pix key of the payer", receiverKey: "Pix key of the receiver",
  }, {
    id: "ID", endToEnd: "EndToEndId (ID da transação)", endToEndRefund: "EndToEndId da devolução", externalCode: "Código externo", pixCode: "Código Pix",
    payerName: "Pagador", receiverName: "Recebedor", payerDocument: "Documento do pagador", receiverDocument: "Documento do recebedor",
    payerKey: "Chave Pix do pagador", receiverKey: "Chave Pix do recebedor",
  }),
  because: both((field: string, value: string) => `${field}: ${value}`, (field, value) => `${field}: ${value}`),
  possible: both({
    masked: "possible match: it is masked", edit: "possible match: one character differs",
    start: "possible match: the same bank and about the same time", codeStart: "possible match: it begins in the same way",
  }, {
    masked: "correspondência possível: está mascarado", edit: "correspondência possível: um caractere diferente",
    start: "correspondência possível: mesmo banco e quase o mesmo horário", codeStart: "correspondência possível: mesmo início",
  }),
});
