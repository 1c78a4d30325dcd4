import type { Fetcher } from "@graphiql/toolkit";
import type { GraphQLFormattedError } from "graphql";

interface Result<Data> {
  data?: Data | null;
  errors?: GraphQLFormattedError[];
}

/** Runs an operation of a panel. Errors are results. */
export type Ask = <Data>(query: string, variables: Record<string, unknown>) => Promise<Result<Data>>;

export function askWith(fetcher: Fetcher): Ask {
  return async <Data>(query: string, variables: Record<string, unknown>) => (await fetcher({ query, variables })) as Result<Data>;
}
