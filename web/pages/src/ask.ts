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

/** The id of the request that an error is about, as in the log of the gateway; null without a response. */
export function requestIdOf(error: GraphQLFormattedError | undefined): string | null {
  const id = error?.extensions?.["requestId"];
  return typeof id === "string" ? id : null;
}

/** A response of the gateway without what was asked for, or none: a user can ask again. */
export class Failure extends Error {
  readonly requestId: string | null;

  constructor(message: string, requestId: string | null) {
    super(message);
    this.requestId = requestId;
  }

  static of(errors: readonly GraphQLFormattedError[] | undefined): Failure {
    return new Failure(errors?.[0]?.message ?? "The gateway returned no data.", requestIdOf(errors?.[0]));
  }
}

/** The state of something that a panel reads: undefined before it is read. */
export interface Read<Value> {
  value: Value | undefined;
  reading: boolean;
  problem: string | null;
  requestId: string | null;
  /** Repeats the read. Null before the first one has ended, and if what the user entered was not sent. */
  again: (() => void) | null;
}

const unread = { value: undefined, reading: false, problem: null, requestId: null, again: null };

/** Reads a value at a time. The result of an earlier call that arrives late is dropped. */
export function useRead<Value>(): [Read<Value>, (act: () => Promise<Value>) => void] {
  const [state, set] = useState<Read<Value>>(unread);
  const last = useRef(0);
  const begin = (act: () => Promise<Value>, again: Read<Value>["again"]) => {
    const number = ++last.current;
    const repeat = () => begin(act, repeat);
    const ended = (result: Partial<Read<Value>>) => {
      if (number === last.current) set({ ...unread, ...result });
    };
    set({ ...unread, reading: true, again });
    act().then(
      (value) => ended({ value, again: repeat }),
      (error: unknown) => {
        if (error instanceof Failure) ended({ problem: error.message, requestId: error.requestId, again: repeat });
        else ended({ problem: error instanceof Error ? error.message : String(error) });
      },
    );
  };
  return [state, (act) => begin(act, null)];
}
