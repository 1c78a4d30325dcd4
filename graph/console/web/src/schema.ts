import type { GraphQLSchema } from "graphql";
import { buildSchema } from "graphql";
import { useEffect, useState } from "react";

/**
 * The schema, from the file beside the page: unlike introspection that needs no token, so that completion and
 * documentation work before anybody signs in. Null while there is none.
 */
export function useSchema(url: string | null): GraphQLSchema | null {
  const [schema, setSchema] = useState<GraphQLSchema | null>(null);
  useEffect(() => {
    if (url === null) return;
    void fetchSchema(url).then(setSchema, (error: unknown) => console.error("the schema cannot be read:", error));
  }, [url]);
  return schema;
}

async function fetchSchema(url: string): Promise<GraphQLSchema> {
  const response = await fetch(url, { credentials: "omit" });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return buildSchema(await response.text(), { assumeValid: true });
}
