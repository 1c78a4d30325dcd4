/**
 * What rows of payments show. A query of a list selects it by the fragment, and passes the nodes to DepositRows or
 * WithdrawalRows as they are:
 *
 *     const { data } = await gateway.ask<{ deposits: { nodes: (DepositRow | null)[] } | null }>(
 *       `query ($page: Int) { deposits(page: $page, perPage: 100) { nodes { ...DepositRow } } } ${depositRow}`, { page });
 *
 * A node is null if the record is invalid. Its row says so.
 */
export const depositRow = `
fragment DepositRow on Deposit { id createdAt amount amountPaid statusRaw endToEnd paymentDate payer { name } }`;

export const withdrawalRow = `
fragment WithdrawalRow on Withdrawal { id createdAt amount statusRaw endToEnd processedDate receiver { name } }`;

interface Row {
  id: string;
  createdAt: string;
  /** Cents, exact. */
  amount: unknown;
  statusRaw: string;
  endToEnd: string | null;
}

/** The fields of the fragment DepositRow. */
export interface DepositRow extends Row {
  amountPaid: unknown;
  paymentDate: string | null;
  /** Who paid; null as long as nobody has. */
  payer: { name: string } | null;
}

/** The fields of the fragment WithdrawalRow. */
export interface WithdrawalRow extends Row {
  processedDate: string | null;
  /** The account holder that receives the withdrawal. */
  receiver: { name: string } | null;
}
