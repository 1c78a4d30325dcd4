import { both, section, type Both } from "./words.tsx";

export const parts = section({
  copy: both((what: string) => `Copy ${what}`, (what) => `Copiar ${what}`),
  copied: both("Copied", "Copiado"),
  notCopied: both("The browser does not allow copying", "O navegador não permite copiar"),
  reading: both("Reading…", "Carregando…"),
  again: both("Try again", "Tentar novamente"),
  requestId: both("Request id", "ID da requisição"),
  none: both("—", "—"),
  unreadable: both("cannot be read", "não pode ser lido"),
  problems: {
    STOPPED: both("Stopped.", "Interrompido."),
    BROKEN: both("The connection to the gateway ended.", "A conexão com o gateway caiu."),
    NO_TOKEN: both("Your session has expired. Sign in again.", "Sua sessão expirou. Entre novamente."),
    NO_RESPONSE: both(
      "The gateway does not respond. It may be restarting, or this computer is offline.",
      "O gateway não responde. Ele pode estar reiniciando, ou este computador está sem rede.",
    ),
    UNAUTHENTICATED: both(
      "The gateway does not accept your token: it has expired, or is not one for this gateway. Sign in again.",
      "O gateway não aceita o seu token: ele expirou ou não é deste gateway. Entre novamente.",
    ),
    FORBIDDEN: both("Your access does not include this.", "Seu acesso não inclui isto."),
    NOT_FOUND: both(
      "There is no record with this id, or your access does not include it.",
      "Não existe registro com este ID, ou o seu acesso não o inclui.",
    ),
    RATE_LIMITED: both("Too many requests. Wait a moment.", "Requisições demais. Aguarde um momento."),
    UPSTREAM_TIMEOUT: both("The payment service takes too long to respond.", "O serviço de pagamentos demora demais para responder."),
    UPSTREAM_UNAVAILABLE: both("The payment service does not respond.", "O serviço de pagamentos não responde."),
    UPSTREAM_ERROR: both("The payment service failed.", "O serviço de pagamentos falhou."),
    UPSTREAM_INVALID_RESPONSE: both(
      "The payment service responded with data that breaks its contract.",
      "O serviço de pagamentos respondeu com dados fora do contrato.",
    ),
    BAD_USER_INPUT: both("The payment service does not accept this value.", "O serviço de pagamentos não aceita este valor."),
    LIMIT_EXCEEDED: both("This is more than one request may read.", "Isto é mais do que uma requisição pode ler."),
    OVERLOADED: both("The gateway is busy. Wait a moment.", "O gateway está ocupado. Aguarde um momento."),
    PAGINATION_UNSUPPORTED: both("This gateway cannot read further pages.", "Este gateway não consegue ler as próximas páginas."),
    DOCUMENT_NOT_TRUSTED: both(
      "This gateway runs registered operations only, so this page cannot read payments here.",
      "Este gateway só executa operações registradas, por isso esta página não pode ler pagamentos aqui.",
    ),
    INTERNAL: both("The gateway failed.", "O gateway falhou."),
  } as Record<string, Both<string>>,
  /** Those of the service of webhooks. */
  problemsOfWebhooks: {
    FORBIDDEN: both(
      "Your access does not include webhooks (get_dispatcher). Ask your administrator.",
      "Seu acesso não inclui webhooks (get_dispatcher). Peça ao administrador.",
    ),
    UPSTREAM_TIMEOUT: both(
      "The webhook service takes too long to respond. The payment itself is not affected.",
      "O serviço de webhooks demora demais para responder. O pagamento em si não é afetado.",
    ),
    UPSTREAM_UNAVAILABLE: both(
      "The webhook service does not respond. The payment itself is not affected.",
      "O serviço de webhooks não responde. O pagamento em si não é afetado.",
    ),
    UPSTREAM_ERROR: both(
      "The webhook service failed. The payment itself is not affected.",
      "O serviço de webhooks falhou. O pagamento em si não é afetado.",
    ),
    UPSTREAM_INVALID_RESPONSE: both(
      "The webhook service responded with data that breaks its contract.",
      "O serviço de webhooks respondeu com dados fora do contrato.",
    ),
  } as Record<string, Both<string>>,
  statusOfAPI: both((status: string) => `Status in the API: ${status}`, (status) => `Situação na API: ${status}`),
  cut: both(
    (shown: string, all: string) => `The first ${shown} of ${all} characters.`,
    (shown, all) => `Os primeiros ${shown} de ${all} caracteres.`,
  ),
  technical: both("Technical details", "Detalhes técnicos"),
  problem: both("This could not be read.", "Não foi possível ler."),
  statuses: both<Record<string, string>>({
    PENDING: "Pending", PIX_QRCODE_GENERATED: "Awaiting payment", PAID: "Paid", PROCESSING_REFUND: "Refund in progress",
    PROCESSING_INFRACTION: "Dispute in progress", REFUNDED: "Refunded", INFRACTION: "Refunded by dispute (MED)", FAILED: "Failed",
    BLOCKED: "Blocked (MED)", DEPOSIT_PIXKEY_GENERATED: "Pix key created", PENDING_COMPLIANCE: "Compliance check",
    PROCESSING: "Processing", PROCESSED: "Processed", CANCELED: "Canceled", REJECTED: "Rejected",
    RECEIVED: "Received", SENT: "Sent", ERROR: "Error",
  }, {
    PENDING: "Pendente", PIX_QRCODE_GENERATED: "Aguardando pagamento", PAID: "Pago", PROCESSING_REFUND: "Devolução em andamento",
    PROCESSING_INFRACTION: "Contestação em andamento", REFUNDED: "Devolvido", INFRACTION: "Devolvido por contestação (MED)", FAILED: "Falhou",
    BLOCKED: "Bloqueado (MED)", DEPOSIT_PIXKEY_GENERATED: "Chave Pix criada", PENDING_COMPLIANCE: "Em análise de compliance",
    PROCESSING: "Em processamento", PROCESSED: "Processado", CANCELED: "Cancelado", REJECTED: "Rejeitado",
    RECEIVED: "Recebida", SENT: "Enviada", ERROR: "Erro",
  }),
  verdicts: both<Record<string, string>>({
    DELIVERED: "Delivered", REJECTED: "Rejected by the destination", DESTINATION_FAILED: "Destination failed", REDIRECTED: "Redirected",
    NOT_ATTEMPTED: "No attempt recorded", CONTRADICTORY: "Contradictory", UNKNOWN: "Unknown",
  }, {
    DELIVERED: "Entregue", REJECTED: "Recusado pelo destino", DESTINATION_FAILED: "Destino com falha", REDIRECTED: "Redirecionado",
    NOT_ATTEMPTED: "Sem tentativa registrada", CONTRADICTORY: "Contraditório", UNKNOWN: "Desconhecido",
  }),
});
