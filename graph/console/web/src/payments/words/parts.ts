import type { Section } from "./words.tsx";

const en = {
  copy: (what: string) => `Copy ${what}`,
  copied: "Copied",
  notCopied: "The browser does not allow copying",
  reading: "Reading…",
  again: "Try again",
  requestId: "Request id",
  none: "—",
  unreadable: "cannot be read",
  problems: {
    NO_TOKEN: "You are not signed in.",
    NO_RESPONSE: "The gateway does not respond. It may be restarting, or this computer is offline.",
    UNAUTHENTICATED: "Your access was refused. Sign in again.",
    FORBIDDEN: "Your access does not include this.",
    NOT_FOUND: "There is no such record.",
    RATE_LIMITED: "Too many requests. Wait a moment.",
    UPSTREAM_TIMEOUT: "The payment service takes too long to respond.",
    UPSTREAM_UNAVAILABLE: "The payment service does not respond.",
  } as Record<string, string>,
  problem: "This could not be read.",
  statuses: {
    PENDING: "Pending", PIX_QRCODE_GENERATED: "Awaiting payment", PAID: "Paid", PROCESSING_REFUND: "Refund in progress",
    PROCESSING_INFRACTION: "Dispute in progress", REFUNDED: "Refunded", INFRACTION: "Refunded by dispute (MED)", FAILED: "Failed",
    BLOCKED: "Blocked (MED)", DEPOSIT_PIXKEY_GENERATED: "Pix key created", PENDING_COMPLIANCE: "Compliance check",
    PROCESSING: "Processing", PROCESSED: "Processed", CANCELED: "Canceled", REJECTED: "Rejected",
    RECEIVED: "Received", SENT: "Sent", ERROR: "Error",
  } as Record<string, string>,
  verdicts: {
    DELIVERED: "Delivered", REJECTED: "Rejected by the receiver", DESTINATION_FAILED: "Receiver failed", REDIRECTED: "Redirected",
    NOT_ATTEMPTED: "Not attempted", CONTRADICTORY: "Contradictory", UNKNOWN: "Unknown",
  } as Record<string, string>,
};

const pt: typeof en = {
  copy: (what) => `Copiar ${what}`,
  copied: "Copiado",
  notCopied: "O navegador não permite copiar",
  reading: "Carregando…",
  again: "Tentar novamente",
  requestId: "Id da requisição",
  none: "—",
  unreadable: "não pode ser lido",
  problems: {
    NO_TOKEN: "Você não está conectado.",
    NO_RESPONSE: "O gateway não responde. Ele pode estar reiniciando, ou este computador está sem rede.",
    UNAUTHENTICATED: "Seu acesso foi recusado. Entre novamente.",
    FORBIDDEN: "Seu acesso não inclui isto.",
    NOT_FOUND: "Esse registro não existe.",
    RATE_LIMITED: "Requisições demais. Aguarde um momento.",
    UPSTREAM_TIMEOUT: "O serviço de pagamentos demora demais para responder.",
    UPSTREAM_UNAVAILABLE: "O serviço de pagamentos não responde.",
  },
  problem: "Não foi possível ler.",
  statuses: {
    PENDING: "Pendente", PIX_QRCODE_GENERATED: "Aguardando pagamento", PAID: "Pago", PROCESSING_REFUND: "Devolução em andamento",
    PROCESSING_INFRACTION: "Contestação em andamento", REFUNDED: "Devolvido", INFRACTION: "Devolvido por contestação (MED)", FAILED: "Falhou",
    BLOCKED: "Bloqueado (MED)", DEPOSIT_PIXKEY_GENERATED: "Chave Pix criada", PENDING_COMPLIANCE: "Em análise de compliance",
    PROCESSING: "Em processamento", PROCESSED: "Processado", CANCELED: "Cancelado", REJECTED: "Rejeitado",
    RECEIVED: "Recebida", SENT: "Enviada", ERROR: "Erro",
  },
  verdicts: {
    DELIVERED: "Entregue", REJECTED: "Recusado pelo destino", DESTINATION_FAILED: "Destino com falha", REDIRECTED: "Redirecionado",
    NOT_ATTEMPTED: "Não tentado", CONTRADICTORY: "Contraditório", UNKNOWN: "Desconhecido",
  },
};

export const parts: Section<typeof en> = { en, pt };
