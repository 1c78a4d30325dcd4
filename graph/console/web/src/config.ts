/** What the server says of itself, in the page. It holds no token and nothing of a caller. */
export interface Config {
  /** Whether answers carry extensions.trace when asked. */
  trace: boolean;
  /** Whether schema.graphql is served beside the page. */
  schema: boolean;
  /** Absent where nobody can sign in: then a token is pasted. */
  signIn?: SignIn;
  operations: Operation[];
}

export interface SignIn {
  issuer: string;
  clientId: string;
  scopes: string[];
}

/** A ready-made operation. */
export interface Operation {
  name: string;
  title: string;
  description: string;
  text: string;
  variables: Record<string, unknown> | null;
}

export function readConfig(): Config {
  const text = document.getElementById("console-config")?.textContent;
  return JSON.parse(text ?? "") as Config;
}

/** The address of something beside the page, which may be served under any path. */
export function beside(path: string): string {
  return new URL(path, location.origin + location.pathname).href;
}
