/** The operations of the views of one record, and what they return. */

import type { Delivery } from "../../insight/delivery.tsx";
import type { Entry } from "../../insight/timeline.ts";

/** A number may be a raw one: see parseExact. */
type Amount = unknown;

const holder = `fragment Holder on AccountHolder { typeRaw name document bankAccount { ispb } pix { key typeRaw } }`;

const common = `
    id
    acquirer
    amount
    externalCode
    createdAt
    statusRaw
    updatedAt
    webhookUrl
    paymentReceipt { url expirationDate }
    refundReceipt { url expirationDate }
    timeline { at source status sincePreviousInMilliseconds }
    refundDate
    refundAmount
    errorMessage
    endToEnd
    endToEndRefund
    feeAmount
    payer { ...Holder }
    receiver { ...Holder }`;

const incoming = `
    amountPaid
    paymentDate
    errorMessageRefund
    pixResponse { uri qrCodeBase64 expirationDate }`;

export const transactionDocument = `query Payment($id: ID!) {
  transaction(id: $id) {${common}${incoming}
    infractionDate
    infractionAmount
    customer { name document { value } }
    items { title quantity unitPrice }
  }
}
${holder}`;

export const depositsDocument = `query DepositByTime($filter: DepositFilter!, $page: Int) {
  deposits(filter: $filter, page: $page) {
    nodes {${common}${incoming}
    }
    pageInfo { hasNextPage }
  }
}
${holder}`;

export const withdrawalDocument = `query Withdrawal($id: ID!) {
  withdrawal(id: $id) {${common}
    amountWithdrawn
    processedDate
    pixKey { key typeRaw }
  }
}
${holder}`;

const webhook = `fragment Webhook on Notification {
  id
  statusRaw
  url
  error
  tags
  body
  createdAt
  referenceId
  delivery { verdict explanation attempts lastStatusCode }
  executions { createdAt url response { statusCode responseTime body } }
}`;

export const webhooksDocument = `query Webhooks($id: ID!) {
  transaction(id: $id) {
    notifications {
      nodes { ...Webhook }
      links { notificationId state }
    }
  }
}
${webhook}`;

export const notificationDocument = `query Webhook($id: ID!) {
  notification(id: $id) {
    ...Webhook
    transaction { id amount statusRaw createdAt }
    withdrawal { id amount statusRaw createdAt }
  }
}
${webhook}`;

/** Watches a record until one of some statuses. Its events only say that the record changed: it is read again then. */
export const watchDocument = {
  transaction: `subscription Watch($id: ID!, $until: [TransactionStatus!], $since: DateTime) {
  transaction(id: $id, until: $until, since: $since) { status updatedAt }
}`,
  withdrawal: `subscription Watch($id: ID!, $until: [WithdrawalStatus!], $since: DateTime) {
  withdrawal(id: $id, until: $until, since: $since) { status updatedAt }
}`,
};

export interface Holder {
  typeRaw: string;
  name: string;
  document: string;
  bankAccount: { ispb: string } | null;
  pix: { key: string; typeRaw: string } | null;
}

interface Receipt {
  url: string;
  expirationDate: string;
}

/** What deposits, transactions and withdrawals have in common. A required field that breaks the contract is absent with its record. */
export interface Payment {
  id: string;
  acquirer: string;
  amount: Amount;
  externalCode: string | null;
  createdAt: string;
  statusRaw: string;
  updatedAt: string;
  webhookUrl: string | null;
  paymentReceipt: Receipt | null;
  refundReceipt: Receipt | null;
  timeline: Entry[] | null;
  refundDate: string | null;
  refundAmount: Amount;
  errorMessage: string | null;
  endToEnd: string | null;
  endToEndRefund: string | null;
  feeAmount: Amount;
  payer: Holder | null;
  receiver: Holder | null;
}

export interface Deposit extends Payment {
  amountPaid: Amount;
  paymentDate: string | null;
  errorMessageRefund: string | null;
  pixResponse: { uri: string; qrCodeBase64: string; expirationDate: string } | null;
}

export interface Transaction extends Deposit {
  infractionDate: string | null;
  infractionAmount: Amount;
  customer: { name: string; document: { value: string } | null } | null;
  items: ({ title: string; quantity: unknown; unitPrice: Amount } | null)[] | null;
}

export interface Withdrawal extends Payment {
  amountWithdrawn: unknown;
  processedDate: string | null;
  pixKey: { key: string; typeRaw: string } | null;
}

export interface Attempt {
  createdAt: string;
  url: string;
  response: { statusCode: number; responseTime: unknown; body: unknown };
}

export interface Webhook {
  id: string;
  statusRaw: string;
  url: string;
  error: string | null;
  tags: (string | null)[];
  body: unknown;
  createdAt: string;
  referenceId: string;
  delivery: Delivery;
  executions: (Attempt | null)[];
}

export type LinkState = "VERIFIED" | "MISMATCH" | "NOT_FOUND" | "FORBIDDEN" | "UNAVAILABLE";

/** What is known about the webhooks of a transaction. */
export interface Webhooks {
  nodes: (Webhook | null)[];
  links: { notificationId: string; state: LinkState }[];
}

type Other = { id: string; amount: Amount; statusRaw: string; createdAt: string } | null;

export interface Notification extends Webhook {
  transaction: Other;
  withdrawal: Other;
}
