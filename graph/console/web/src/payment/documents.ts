/** The operations of the panel, and their results. */

const notificationFields = `fragment Delivery on Notification {
  id
  status
  statusRaw
  url
  error
  createdAt
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
      nodes { ...Delivery }
      links { notificationId state }
    }
  }
}
${notificationFields}`;

export const notificationDocument = `query Webhook($id: ID!) {
  notification(id: $id) { ...Delivery referenceId }
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
  status: string;
  statusRaw: string;
  url: string;
  error: string | null;
  createdAt: string;
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
