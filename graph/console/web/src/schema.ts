import type { GraphQLSchema } from "graphql";
import { buildSchema } from "graphql";
import { useEffect, useState } from "react";
import { noResponse, type Connection } from "./connection/connection.ts";

/**
 * The schema, from the file next to the page. Unlike introspection this needs no token, so completion and documentation
 * work before the user signs in. Null while it is not loaded.
 */
export function useSchema(url: string | null, connection: Connection): GraphQLSchema | null {
  const [schema, setSchema] = useState<GraphQLSchema | null>(null);
  useEffect(() => {
    if (url === null) return;
    void fetchSchema(url, connection).then(setSchema, (error: unknown) => console.error("the schema cannot be read:", error));
  }, [url, connection]);
  return schema;
}

async function fetchSchema(url: string, connection: Connection): Promise<GraphQLSchema> {
  const response = await fetch(url, { credentials: "omit" }).catch(() => null);
  if (response === null) {
    await connection.lost(noResponse);
    return fetchSchema(url, connection);
  }
  if (!response.ok) throw new Error(`status ${response.status}`);
  return buildSchema(await response.text(), { assumeValid: true });
}
