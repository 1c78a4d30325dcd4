import type { GraphQLSchema } from "graphql";
import { buildSchema } from "graphql";
import { useEffect, useState } from "react";
import { noResponse, notGraphQL, type Connection } from "./connection/connection.ts";

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
  const read = fetch(url, { credentials: "omit" }).then(async (response) => ({ status: response.status, text: await response.text() }));
  const response = await read.catch(() => null);
  if (response === null || response.status >= 500) {
    await connection.lost(response === null ? noResponse : notGraphQL(response.status));
    return fetchSchema(url, connection);
  }
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  return buildSchema(response.text, { assumeValid: true });
}
