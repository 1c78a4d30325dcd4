import type { Fetcher } from "@graphiql/toolkit";
import type { GraphQLFormattedError } from "graphql";
import { useRef, useState } from "react";

export interface Result<Data> {
  data?: Data | null;
  errors?: GraphQLFormattedError[];
}

/** Runs an operation of a panel. */
export type Ask = <Data>(query: string, variables: Record<string, unknown>) => Promise<Result<Data>>;

export function askWith(fetcher: Fetcher): Ask {
  return async <Data>(query: string, variables: Record<string, unknown>) => (await fetcher({ query, variables })) as Result<Data>;
}

/** The code of an error, such as NOT_FOUND. */
export function codeOf(error: GraphQLFormattedError | undefined): unknown {
  return error?.extensions?.["code"];
}

/** The state of something that a panel reads: undefined before it is read. */
export interface Read<Value> {
  value: Value | undefined;
  reading: boolean;
  problem: string | null;
}

/** Reads a value at a time. The result of an earlier call that arrives late is dropped. */
export function useRead<Value>(): [Read<Value>, (act: () => Promise<Value>) => void] {
  const [state, set] = useState<Read<Value>>({ value: undefined, reading: false, problem: null });
  const last = useRef(0);
  const start = (act: () => Promise<Value>) => {
    const number = ++last.current;
    const ended = (result: Partial<Read<Value>>) => {
      if (number === last.current) set({ value: undefined, reading: false, problem: null, ...result });
    };
    set({ value: undefined, reading: true, problem: null });
    act().then(
      (value) => ended({ value }),
      (error: unknown) => ended({ problem: error instanceof Error ? error.message : String(error) }),
    );
  };
  return [state, start];
}
