// The front page.

import type { GraphQLClient } from 'graphql-request';
import type { ErrorCode } from 'pixgraph-client/errors';
import { formatBRL } from 'pixgraph-client/money';
import { requestParts } from './client.js';
import { type FragmentType, readFragment } from './gql/fragment-masking.js';
import { DashboardDocument, DepositRowFragmentDoc } from './gql/graphql.js';

/** The content of the front page. A part that failed is undefined, and must be shown as missing, never as zero. */
export interface Dashboard {
  deposits: string[] | undefined;
  withdrawals: string[] | undefined;
  openDeposits: number | undefined;
  heldWithdrawals: number | undefined;
  problems: Partial<Record<string, ErrorCode>>;
}

/** Loads the front page; it throws only if all parts failed. */
export async function loadDashboard(client: GraphQLClient, rows: number): Promise<Dashboard> {
  const { data, problems } = await requestParts(client, DashboardDocument, { rows });
  return {
    deposits: data.deposits?.nodes.map((deposit) => (deposit ? depositRow(deposit) : 'unreadable')),
    withdrawals: data.withdrawals?.nodes.map((withdrawal) =>
      withdrawal ? `${formatBRL(withdrawal.amount)} to ${withdrawal.receiver?.name ?? 'unknown'}` : 'unreadable'),
    openDeposits: data.openDeposits?.totalCount,
    heldWithdrawals: data.heldWithdrawals?.totalCount,
    problems,
  };
}

/** One row. It can read only the fields of its own fragment, so that no other part of the page depends on them. */
function depositRow(masked: FragmentType<typeof DepositRowFragmentDoc>): string {
  const deposit = readFragment(DepositRowFragmentDoc, masked);
  // UNKNOWN is a status that the schema does not have yet: its text is in statusRaw.
  const status = deposit.status === 'UNKNOWN' ? deposit.statusRaw : deposit.status;
  return `${formatBRL(deposit.amount)} from ${deposit.payer?.name ?? 'unknown'}: ${status}`;
}
