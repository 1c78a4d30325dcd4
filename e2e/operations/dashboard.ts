// The front page.

import type { GraphQLClient } from 'graphql-request';
import { requestParts } from './client.js';
import { type FragmentType, readFragment } from './gql/fragment-masking.js';
import { DashboardDocument, DepositRowFragmentDoc } from './gql/graphql.js';
import { formatCents } from './money.js';

/** What the front page shows. A part that could not be had is undefined, and is shown as missing, never as zero. */
export interface Dashboard {
  deposits: string[] | undefined;
  withdrawals: string[] | undefined;
  openDeposits: number | undefined;
  heldWithdrawals: number | undefined;
  problems: Record<string, string>;
}

/** Loads the front page; it throws only when no part of it could be had. */
export async function loadDashboard(client: GraphQLClient, rows: number): Promise<Dashboard> {
  const { data, problems } = await requestParts(client, DashboardDocument, { rows });
  return {
    deposits: data.deposits?.nodes.map((deposit) => (deposit ? depositRow(deposit) : 'unreadable')),
    withdrawals: data.withdrawals?.nodes.map((withdrawal) =>
      withdrawal ? `${formatCents(withdrawal.amount)} to ${withdrawal.receiver?.name ?? 'unknown'}` : 'unreadable'),
    openDeposits: data.openDeposits?.totalCount,
    heldWithdrawals: data.heldWithdrawals?.totalCount,
    problems,
  };
}

/** One row. It sees the fields of its own fragment only, so that no other part of the page can come to depend on them. */
function depositRow(masked: FragmentType<typeof DepositRowFragmentDoc>): string {
  const deposit = readFragment(DepositRowFragmentDoc, masked);
  // UNKNOWN is a status that is newer than the schema: its text is in statusRaw.
  const status = deposit.status === 'UNKNOWN' ? deposit.statusRaw : deposit.status;
  return `${formatCents(deposit.amount)} from ${deposit.payer?.name ?? 'unknown'}: ${status}`;
}
