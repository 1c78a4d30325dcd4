import { both, section } from "./words.tsx";

export const payment = section({
  transaction: both("Payment", "Pagamento"),
  deposit: both("Deposit", "Depósito"),
  withdrawal: both("Withdrawal", "Saque"),
  notification: both("Webhook", "Webhook"),
  back: both("All payments", "Todos os pagamentos"),
  seek: both("Search for this id", "Buscar este ID"),
  copyLink: both("Copy link", "Copiar link"),
  link: both("link", "link"),
  live: both("Live", "Ao vivo"),
  liveTitle: both("This page is updated when the status changes.", "Esta página se atualiza quando o status muda."),
  reconnecting: both("Reconnecting…", "Reconectando…"),
  notLive: both("Not updated by itself", "Sem atualização automática"),
  refresh: both("Refresh", "Atualizar"),
  partly: both("Part of this record could not be read:", "Parte deste registro não pôde ser lida:"),
  details: both("Details", "Detalhes"),
  id: both("Internal id", "ID interno"),
  externalCode: both("External code", "Código externo"),
  endToEnd: both("Transaction id (EndToEndId)", "ID da transação (EndToEndId)"),
  endToEndRefund: both("EndToEndId of the refund", "EndToEndId da devolução"),
  acquirer: both("Acquirer", "Adquirente"),
  created: both("Created", "Criado em"),
  paid: both("Paid on", "Pago em"),
  amountPaid: both("Amount paid", "Valor pago"),
  processed: both("Processed on", "Processado em"),
  amountWithdrawn: both("Amount withdrawn", "Valor sacado"),
  unitUnknown: both("(unit not documented)", "(unidade não documentada)"),
  refundedOn: both("Refunded on", "Devolvido em"),
  refundAmount: both("Refunded amount", "Valor devolvido"),
  fee: both("Fee", "Tarifa"),
  disputedOn: both("Disputed on", "Contestado em"),
  disputedAmount: both("Disputed amount", "Valor contestado"),
  error: both("Error", "Erro"),
  errorRefund: both("Error of the refund", "Erro da devolução"),
  pixKey: both("Pix key", "Chave Pix"),
  customer: both("Customer", "Cliente"),
  document: both("CPF or CNPJ", "CPF ou CNPJ"),
  bank: both("Bank (ISPB)", "Banco (ISPB)"),
  payer: both("Payer", "Pagador"),
  receiver: both("Receiver", "Recebedor"),
  receipt: both("Receipt", "Comprovante"),
  refundReceipt: both("Receipt of the refund", "Comprovante da devolução"),
  until: both((time: string) => `valid until ${time}`, (time) => `válido até ${time}`),
  items: both("Products", "Produtos"),
  timeline: both("Timeline", "Histórico"),
  earlier: both((count: number) => `${count} earlier entries`, (count) => `${count} registros anteriores`),
  newestAttempts: both(
    (shown: number, all: number) => `The newest ${shown} of ${all} attempts.`,
    (shown, all) => `As ${shown} tentativas mais recentes de ${all}.`,
  ),
  noTimeline: both("The history of this record could not be read.", "O histórico deste registro não pôde ser lido."),
  after: both((span: string) => `${span} later`, (span) => `${span} depois`),
  noTime: both("no time", "sem horário"),
  code: both("Pix code", "Código Pix"),
  codeAlt: both("QR code for paying by Pix", "QR code para pagar com Pix"),
  copyCode: both("Copy Pix code", "Copiar código Pix"),
  expires: both("Expires", "Expira em"),
  expired: both("Expired", "Expirou em"),
  webhooks: both("Webhooks", "Webhooks"),
  webhooksNone: both(
    "No webhook of this payment was found. The webhook service cannot list them: there may be some whose ids are not known.",
    "Nenhum webhook deste pagamento foi encontrado. O serviço de webhooks não os lista: pode haver outros cujos IDs não são conhecidos.",
  ),
  webhooksUnknown: both(
    "This gateway cannot find the webhooks of a payment: it is not set up for that. Paste the id of a notification in the search to see it.",
    "Este gateway não encontra os webhooks de um pagamento: ele não está configurado para isso. Para ver um webhook, cole o ID dele na busca.",
  ),
  webhooksOthers: both(
    "There may be other webhooks: the webhook service cannot list them.",
    "Pode haver outros webhooks: o serviço de webhooks não os lista.",
  ),
  noWebhookURL: both(
    "This payment has no address for webhooks, so none is sent.",
    "Este pagamento não tem endereço de webhook, por isso nenhum é enviado.",
  ),
  webhooksOfWithdrawal: both(
    "The records do not link withdrawals to webhooks. Paste the id of a notification in the search to see it.",
    "Os registros não ligam saques a webhooks. Para ver um webhook, cole o ID dele na busca.",
  ),
  links: both<Record<string, string>>({
    MISMATCH: "belongs to another record", NOT_FOUND: "does not exist", FORBIDDEN: "cannot be read with your access",
    UNAVAILABLE: "could not be read at the moment",
  }, {
    MISMATCH: "pertence a outro registro", NOT_FOUND: "não existe", FORBIDDEN: "não pode ser lido com o seu acesso",
    UNAVAILABLE: "não pôde ser lido no momento",
  }),
  /** What a verdict means, by the HTTP status of the last attempt and the number of attempts. */
  verdicts: both<Record<string, (status: string | null, count: number) => string>>({
    DELIVERED: (_, count) => `The destination accepted the webhook, after ${count === 1 ? "one attempt" : `${count} attempts`}.`,
    REJECTED: (status) => status === "429"
      ? "The destination had too many requests at the last attempt, with the HTTP status 429."
      : `The destination rejected the last attempt with the HTTP status ${status}. Its server does not accept the webhook.`,
    DESTINATION_FAILED: (status) => status === null || status === "0"
      ? "The destination did not respond to the last attempt."
      : `The destination's server failed at the last attempt, with the HTTP status ${status}.`,
    REDIRECTED: (status) => `The destination answered the last attempt with a redirect, the HTTP status ${status}. Its address may have changed.`,
    NOT_ATTEMPTED: () => "No attempt to deliver is recorded.",
    CONTRADICTORY: () => "The status and the attempts contradict each other.",
    UNKNOWN: () => "The record does not tell whether it was delivered.",
  }, {
    DELIVERED: (_, count) => `O destino aceitou o webhook, após ${count === 1 ? "uma tentativa" : `${count} tentativas`}.`,
    REJECTED: (status) => status === "429"
      ? "O destino recebeu requisições demais na última tentativa, com o status HTTP 429."
      : `O destino recusou a última tentativa com o status HTTP ${status}. O servidor dele não aceita o webhook.`,
    DESTINATION_FAILED: (status) => status === null || status === "0"
      ? "O destino não respondeu à última tentativa."
      : `O servidor do destino falhou na última tentativa, com o status HTTP ${status}.`,
    REDIRECTED: (status) => `O destino respondeu à última tentativa com um redirecionamento, o status HTTP ${status}. O endereço pode ter mudado.`,
    NOT_ATTEMPTED: () => "Nenhuma tentativa de entrega está registrada.",
    CONTRADICTORY: () => "O status e as tentativas se contradizem.",
    UNKNOWN: () => "O registro não diz se foi entregue.",
  }),
  announced: both("announced", "informou"),
  tags: both("Tags", "Etiquetas"),
  noAnswer: both("no answer", "sem resposta"),
  connections: both({
    refused: "The destination's server refused the connection.", reset: "The destination's server closed the connection.",
    name: "The name of the destination's server does not exist, or could not be resolved.", timeout: "The destination's server did not answer in time.",
    unreachable: "The destination's server cannot be reached.", certificate: "The TLS certificate of the destination's server is not valid.",
  }, {
    refused: "O servidor do destino recusou a conexão.", reset: "O servidor do destino encerrou a conexão.",
    name: "O nome do servidor do destino não existe ou não pôde ser resolvido.", timeout: "O servidor do destino não respondeu a tempo.",
    unreachable: "Não é possível alcançar o servidor do destino.", certificate: "O certificado TLS do servidor do destino não é válido.",
  }),
  /** Whether money moved, as far as the record of a failed payment tells. */
  money: {
    incoming: both(
      { none: "No money was received: the record has no payment.", moved: "Money was received, and is not recorded as returned:", returned: "Money was received and returned:" },
      { none: "Nenhum valor foi recebido: o registro não tem pagamento.", moved: "Um valor foi recebido, e não consta como devolvido:", returned: "O valor foi recebido e devolvido:" },
    ),
    outgoing: both(
      { none: "No money left: the record has no processing.", moved: "The record says that it was processed, and not that it was returned:", returned: "Money was returned:" },
      { none: "Nenhum valor saiu: o registro não tem processamento.", moved: "Consta como processado, e não como devolvido:", returned: "O valor foi devolvido:" },
    ),
  },
  forCustomer: both("For the customer:", "Para o cliente:"),
  told: {
    incoming: {
      none: both(
        () => "The payment was not completed, and we have received no money for it. Please try again with a new Pix code.",
        () => "O pagamento não foi concluído e não recebemos nenhum valor. Gere um novo código Pix e tente novamente.",
      ),
      moved: both(
        (amount: string) => `We have received ${amount}, but the payment failed. We are checking it, to confirm it or return the money.`,
        (amount) => `Recebemos ${amount}, mas o pagamento falhou. Estamos verificando para confirmá-lo ou devolver o valor.`,
      ),
      returned: both(
        (amount: string) => `The payment was not completed, and ${amount} was returned to the account that it came from.`,
        (amount) => `O pagamento não foi concluído, e o valor de ${amount} foi devolvido à conta de origem.`,
      ),
    },
    outgoing: {
      none: both(
        () => "The transfer was not made, and no money has left. Please check the Pix key and try again.",
        () => "A transferência não foi feita e nenhum valor saiu. Confira a chave Pix e tente novamente.",
      ),
      moved: both(
        (amount: string) => `The transfer of ${amount} failed after it was processed. We are checking whether the money has arrived.`,
        (amount) => `A transferência de ${amount} falhou depois de processada. Estamos verificando se o valor chegou.`,
      ),
      returned: both(
        (amount: string) => `The transfer was not completed, and ${amount} was returned.`,
        (amount) => `A transferência não foi concluída, e o valor de ${amount} foi devolvido.`,
      ),
    },
  },
  delivery: both("Delivery", "Entrega"),
  to: both("Destination", "Destino"),
  dispatcherStatus: both("status at the webhook service", "situação no serviço de webhooks"),
  from: both("from", "de"),
  toHolder: both("to", "para"),
  delivered: both((count: number, of: number) => `${count} of ${of} delivered`, (count, of) => `${count} de ${of} entregues`),
  attempts: both(
    (count: number) => (count === 1 ? "1 attempt" : `${count} attempts`),
    (count) => (count === 1 ? "1 tentativa" : `${count} tentativas`),
  ),
  attempt: both("Attempt", "Tentativa"),
  time: both("Time", "Horário"),
  answer: both("HTTP status", "Status HTTP"),
  took: both("Response time", "Tempo de resposta"),
  body: both("Response", "Resposta"),
  content: both("Content", "Conteúdo"),
  about: both("About", "Sobre"),
  aboutUnknown: both(
    (id: string) => `The record ${id}, which is neither a payment nor a withdrawal that you may read.`,
    (id) => `O registro ${id}, que não é um pagamento nem um saque que você possa ler.`,
  ),
  dispatcherError: both("The webhook service reports", "O serviço de webhooks relata"),
  noTransaction: both(
    "There is no payment page for this deposit: the core API lists it, but has no transaction with its id. What the list says about it is below.",
    "Este depósito não tem página de pagamento: a API o lista, mas não tem uma transação com o ID dele. Abaixo está o que a lista diz sobre ele.",
  ),
  depositNoTime: both(
    "This link lacks the time of the deposit, so it cannot be found by the link.",
    "Este link não tem o horário do depósito; por isso não é possível localizá-lo por ele.",
  ),
  depositNotFound: both("This deposit was not found among those of its time.", "Este depósito não foi encontrado entre os criados no mesmo horário."),
  tried: both(
    (count: number) => (count === 1 ? "1 deposit was read." : `${count} deposits were read.`),
    (count) => (count === 1 ? "1 depósito foi lido." : `${count} depósitos foram lidos.`),
  ),
  unread: both(
    (count: number) => (count === 1 ? "1 of them could not be read: it may be this one." : `${count} of them could not be read: it may be one of these.`),
    (count) => (count === 1 ? "1 deles não pôde ser lido: pode ser este." : `${count} deles não puderam ser lidos: pode ser um desses.`),
  ),
  sources: both<Record<string, string>>({
    CREATED_AT: "Created", PAYMENT_DATE: "Paid", PROCESSED_DATE: "Processed", INFRACTION_DATE: "Date of the infraction", REFUND_DATE: "Refunded",
    UPDATED_AT: "Last change", PIX_EXPIRATION: "Pix code expires",
  }, {
    CREATED_AT: "Criado", PAYMENT_DATE: "Pago", PROCESSED_DATE: "Processado", INFRACTION_DATE: "Data da infração", REFUND_DATE: "Devolvido",
    UPDATED_AT: "Última alteração", PIX_EXPIRATION: "Código Pix expira",
  }),
});
