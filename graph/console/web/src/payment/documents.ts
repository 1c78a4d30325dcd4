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
    totalCount
    nodes { id createdAt amount statusRaw payer { name } }
    pageInfo { hasNextPage }
  }
}`;

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

export interface Deposit {
  id: string;
  createdAt: string;
  amount: Amount;
  statusRaw: string;
  payer: { name: string | null } | null;
}

export interface Deposits {
  totalCount: number;
  nodes: (Deposit | null)[];
  pageInfo: { hasNextPage: boolean };
}
