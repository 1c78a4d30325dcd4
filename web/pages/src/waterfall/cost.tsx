import { useGraphiQL } from "@graphiql/react";
import { useMemo } from "react";
import { operationToRun } from "../operations/name.ts";
import { worstCase } from "./worst.ts";

/** The cost of the operation in the editor, before it is run. */
export function CostBeforeRun({ max }: { max: number }) {
  const { schema, operationName } = useGraphiQL(({ schema, operationName }) => ({ schema, operationName }));
  const { query, variables } = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]) ?? {};
  const calls = useMemo(
    () => worstCase(schema, { query: query ?? "", variables: variables ?? "", operationName: operationToRun(query ?? "", operationName ?? null) }),
    [schema, query, variables, operationName],
  );
  if (calls === null) return null;
  return <p className="console-cost" data-over={calls > max} title="The upstream calls of this operation">{costText(calls, max)}</p>;
}

export function costText(calls: number, max: number): string {
  return `Worst case: ${calls} of ${max} calls`;
}
