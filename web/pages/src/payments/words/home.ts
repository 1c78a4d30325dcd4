import { both, section } from "./words.tsx";

export const home = section({
  lists: both("Lists", "Listas"),
  today: both("Today", "Hoje"),
  yesterday: both("Yesterday", "Ontem"),
  week: both("This week", "Esta semana"),
  deposits: both("Deposits", "Depósitos"),
  withdrawals: both("Withdrawals", "Saques"),
  listName: both((kind: string, when: string) => `${kind}: ${when}`, (kind, when) => `${kind}: ${when}`),
  newest: both("Newest deposits", "Depósitos mais recentes"),
  newestWhy: both("The first ten deposits, in the order of the payment service.", "Os dez primeiros depósitos, na ordem do serviço de pagamentos."),
  noDeposits: both("The payment service lists no deposits.", "O serviço de pagamentos não lista nenhum depósito."),
  failed: both("Failed deliveries", "Entregas com falha"),
  payment: both("Payment", "Pagamento"),
  payer: both("Payer", "Pagador"),
  webhooks: both("Webhooks that were not delivered", "Webhooks não entregues"),
  amount: both("Amount", "Valor"),
  refresh: both("Refresh", "Atualizar"),
  looked: both(
    (looked: string, total: string, until: string) => `The webhooks of ${looked} of ${total} deposits of the 24 hours before ${until} were looked for, in the order of the payment service.`,
    (looked, total, until) => `Foram consultados os webhooks de ${looked} de ${total} depósitos das 24 horas anteriores a ${until}, na ordem do serviço de pagamentos.`,
  ),
  uncounted: both("an unknown number of", "uma quantidade desconhecida de"),
  cannotList: both(
    "The webhook service cannot list webhooks: only those that a transaction names are found.",
    "O serviço de webhooks não permite listá-los: só são encontrados os que uma transação indica.",
  ),
  absent: both(
    (count: number) => (count === 1 ? "1 deposit has no transaction, so its webhooks cannot be found." : `${count} deposits have no transaction, so their webhooks cannot be found.`),
    (count) => (count === 1 ? "1 depósito não tem transação; por isso não é possível localizar os webhooks dele." : `${count} depósitos não têm transação; por isso não é possível localizar os webhooks deles.`),
  ),
  unread: both(
    (count: number) => (count === 1 ? "The webhooks of 1 deposit could not be read completely." : `The webhooks of ${count} deposits could not be read completely.`),
    (count) => (count === 1 ? "Não foi possível consultar todos os webhooks de 1 depósito." : `Não foi possível consultar todos os webhooks de ${count} depósitos.`),
  ),
  unreachable: both(
    "Only the first page of a list can be read (this gateway is not set up to read others).",
    "Só é possível ler a primeira página de uma lista (este gateway não está configurado para ler as outras).",
  ),
  allDelivered: both("No failed delivery among these.", "Nenhuma entrega com falha entre estes."),
  more: both("Look at 100 more", "Consultar mais 100"),
  failedCount: both(
    (count: number) => (count === 1 ? "1 payment with a webhook that was not delivered." : `${count} payments with webhooks that were not delivered.`),
    (count) => (count === 1 ? "1 pagamento com webhook não entregue." : `${count} pagamentos com webhooks não entregues.`),
  ),
  attempts: both(
    (count: number) => (count === 1 ? "1 attempt" : `${count} attempts`),
    (count) => (count === 1 ? "1 tentativa" : `${count} tentativas`),
  ),
  lastCode: both((code: number) => `HTTP ${code}`, (code) => `HTTP ${code}`),
  noLinks: both(
    "The webhooks of a payment cannot be found here (this gateway is not set up for that). If you know the id of a webhook, enter it above.",
    "Aqui não é possível localizar os webhooks de um pagamento (este gateway não está configurado para isso). Se você tem o ID de um webhook, informe-o acima.",
  ),
});
