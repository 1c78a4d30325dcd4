import { both, section } from "./words.tsx";

export const rows = section({
  deposits: both("Deposits", "Depósitos"),
  withdrawals: both("Withdrawals", "Saques"),
  created: both("Created", "Criado em"),
  payer: both("Payer", "Pagador"),
  receiver: both("Receiver", "Recebedor"),
  status: both("Status", "Situação"),
  webhooks: both("Webhooks", "Webhooks"),
  id: both("Id", "ID"),
  amount: both("Amount", "Valor"),
  paid: both((amount: string) => `${amount} paid`, (amount) => `pago: ${amount}`),
  notPaid: both("—", "—"),
  paidAt: both((time: string) => `paid at ${time}`, (time) => `pago às ${time}`),
  paidOn: both((when: string) => `paid on ${when}`, (when) => `pago em ${when}`),
  processedAt: both((time: string) => `processed at ${time}`, (time) => `processado às ${time}`),
  processedOn: both((when: string) => `processed on ${when}`, (when) => `processado em ${when}`),
  endToEnd: both("the EndToEndId", "o EndToEndId (ID da transação)"),
  invalid: both("A record that cannot be read", "Um registro que não pode ser lido"),
  depositId: both("the id of the deposit", "o ID do depósito"),
  withdrawalId: both("the id of the withdrawal", "o ID do saque"),
  reading: both("reading…", "carregando…"),
  noTransaction: both("n/a", "Não se aplica"),
  noTransactionWhy: both(
    "Not applicable: no transaction has the id of this deposit, so its webhooks cannot be found.",
    "Nenhuma transação tem o ID deste depósito; por isso não é possível localizar os webhooks dele.",
  ),
  noneKnown: both("None known", "Nenhum conhecido"),
  noneKnownWhy: both(
    "The transaction names no webhooks, and the webhook service cannot list them.",
    "A transação não indica webhooks, e o serviço de webhooks não permite listá-los.",
  ),
  ofMany: both(
    (count: number, all: number) => (count === all ? String(all) : `${count} of ${all}`),
    (count, all) => (count === all ? String(all) : `${count} de ${all}`),
  ),
  unread: both("Not checked", "Não consultado"),
  notRead: both((count: number) => `${count} not checked`, (count) => (count === 1 ? "1 não consultado" : `${count} não consultados`)),
  someUnread: both(
    (count: number) => (count === 1 ? "The webhooks of 1 payment could not be read." : `The webhooks of ${count} payments could not be read.`),
    (count) => (count === 1 ? "Não foi possível consultar os webhooks de 1 pagamento." : `Não foi possível consultar os webhooks de ${count} pagamentos.`),
  ),
});
