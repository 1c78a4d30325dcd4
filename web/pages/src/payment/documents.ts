/** The operations of the panel, and their results. */

import type { Delivery } from "../insight/delivery.tsx";

const notificationFields = `fragment Webhook on Notification {
  id
  statusRaw
  url
  error
  createdAt
  delivery { verdict explanation attempts firstAttemptAt lastAttemptAt lastStatusCode slowestResponseTime }
  executions { createdAt url response { statusCode responseTime body } }
}`;

export const paymentDocument = `query WebhooksOfPayment($id: ID!) {
  transaction(id: $id) {
    id
    statusRaw
    amount
    createdAt
    webhookUrl
    notifications {
      nodes { ...Webhook }
      links { notificationId state }
    }
  }
}
${notificationFields}`;

export const notificationDocument = `query Webhook($id: ID!) {
  notification(id: $id) { ...Webhook referenceId }
}
${notificationFields}`;

export const depositsDocument = `query FindDeposits($filter: DepositFilter, $page: Int) {
  deposits(filter: $filter, page: $page) {
    nodes { id createdAt amount statusRaw payer { name } }
    pageInfo { hasNextPage }
  }
}`;

/** Reads a text as a Pix key. It makes no calls of the APIs. */
export const pixKeyDocument = `query PixKey($text: String!) {
  pixKey(text: $text) { type }
}`;

/** The records of other kinds with an id. */
export const recordsDocument = `query RecordsWithID($id: ID!, $transaction: Boolean!, $notification: Boolean!) {
  transaction(id: $id) @include(if: $transaction) { id statusRaw amount createdAt }
  withdrawal(id: $id) { id statusRaw amount createdAt }
  notification(id: $id) @include(if: $notification) { id statusRaw referenceId }
}`;

const withdrawalFields = `id
    status
    amount
    createdAt
    processedDate
    errorMessage
    endToEnd
    webhookUrl`;

/** The operations that the panel opens in the editor. */
export const withdrawalDocument = `query Withdrawal($id: ID!) {
  withdrawal(id: $id) {
    ${withdrawalFields}
  }
}
`;

export const withdrawalsDocument = `query Withdrawals($filter: WithdrawalFilter) {
  withdrawals(filter: $filter) {
    nodes {
      ${withdrawalFields.replaceAll("\n", "\n  ")}
    }
  }
}
`;

/** A number may be a raw one: see parseExact. */
export type Amount = unknown;

export interface Execution {
  createdAt: string;
  url: string;
  response: { statusCode: number; responseTime: Amount; body: unknown };
}

export interface Notification {
  id: string;
  statusRaw: string;
  url: string;
  error: string | null;
  createdAt: string;
  delivery: Delivery;
  referenceId?: string;
  executions: (Execution | null)[];
}

export interface Link {
  notificationId: string;
  state: "VERIFIED" | "MISMATCH" | "NOT_FOUND" | "FORBIDDEN" | "UNAVAILABLE";
}

export interface Payment {
  id: string;
  statusRaw: string;
  amount: Amount;
  createdAt: string;
  webhookUrl: string | null;
  notifications: { nodes: (Notification | null)[]; links: Link[] } | null;
}

interface Summary {
  id: string;
  statusRaw: string;
  amount: Amount;
  createdAt: string;
}

export interface Records {
  transaction?: Summary | null;
  withdrawal: Summary | null;
  notification?: { id: string; statusRaw: string; referenceId: string } | null;
}

export interface Deposit {
  id: string;
  createdAt: string;
  amount: Amount;
  statusRaw: string;
  payer: { name: string | null } | null;
}

export interface Deposits {
  nodes: (Deposit | null)[];
  pageInfo: { hasNextPage: boolean };
}
