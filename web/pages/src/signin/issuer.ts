import { pageURL, type SignIn } from "../base/config.ts";
import { SignInError } from "./answers.ts";
import { challengeOf, randomText } from "./pkce.ts";
import { readClaims } from "./token.ts";

/** The used members of an issuer's discovery document (OpenID Connect Discovery 1.0, section 3). */
interface Metadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
}

/** The used members of the metadata of the gateway (RFC 9728, section 2). */
interface ResourceMetadata {
  resource: string;
  authorization_servers: string[];
}

/** The response of the token endpoint (RFC 6749, section 5.1). */
export interface Grant {
  accessToken: string;
  refreshToken: string | null;
}

/** The values of a request for a code that the response is checked against. */
export interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
}

export function newAttempt(): Attempt {
  return { state: randomText(), nonce: randomText(), verifier: randomText() };
}

/** Timeout of requests to the issuer. */
const answerWithin = 10_000;

/** The OIDC issuer for a public client: code and PKCE, no secret. */
export class Issuer {
  readonly #settings: SignIn;
  readonly #redirect: string;
  #metadata: Promise<Metadata> | null = null;

  constructor(settings: SignIn, redirect: string) {
    this.#settings = settings;
    this.#redirect = redirect;
  }

  /** The URL to send the user to. With silently the issuer responds without showing a page. */
  async authorizeURL(attempt: Attempt, silently: boolean): Promise<string> {
    // Otherwise the window of an issuer that is down would show the browser's error page.
    if (!silently) this.#metadata = null;
    const { authorization_endpoint } = await this.#discover();
    const url = new URL(authorization_endpoint);
    const parameters = {
      response_type: "code",
      client_id: this.#settings.clientId,
      redirect_uri: this.#redirect,
      scope: this.#settings.scopes.join(" "),
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await challengeOf(attempt.verifier),
      code_challenge_method: "S256",
      ...(await this.#resource()),
      ...(silently ? { prompt: "none" } : {}),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Exchanges the issuer's response for a token. */
  async redeem(answer: URLSearchParams, attempt: Attempt): Promise<Grant> {
    const error = answer.get("error");
    if (error !== null) throw new SignInError("DENIED", `The issuer responded with the error ${error}.`);
    const { issuer } = await this.#discover();
    if (answer.has("iss") && answer.get("iss") !== issuer) {
      throw new Error("The response is from another issuer."); // RFC 9207
    }
    const grant = await this.#ask({
      grant_type: "authorization_code",
      code: answer.get("code") ?? "",
      code_verifier: attempt.verifier,
      redirect_uri: this.#redirect,
    });
    this.#checkIDToken(grant["id_token"], issuer, attempt.nonce);
    return readGrant(grant, null);
  }

  async refresh(refreshToken: string): Promise<Grant> {
    const grant = await this.#ask({ grant_type: "refresh_token", refresh_token: refreshToken });
    return readGrant(grant, refreshToken);
  }

  /**
   * The id token binds the response to this attempt. Its signature need not be checked, because it comes directly from
   * the token endpoint (OpenID Connect Core 1.0, section 3.1.3.7, point 6).
   */
  #checkIDToken(idToken: unknown, issuer: string, nonce: string): void {
    if (typeof idToken !== "string") {
      if (this.#settings.scopes.includes("openid")) throw new Error("The issuer returned no id token.");
      return;
    }
    const { iss, aud, nonce: answered } = readClaims(idToken);
    const audiences = Array.isArray(aud) ? aud : [aud];
    if (iss !== issuer || !audiences.includes(this.#settings.clientId) || answered !== nonce) {
      throw new Error("The issuer's id token is not for this sign-in.");
    }
  }

  async #ask(form: Record<string, string>): Promise<Record<string, unknown>> {
    const { token_endpoint } = await this.#discover();
    const body = new URLSearchParams({ client_id: this.#settings.clientId, ...(await this.#resource()), ...form });
    const response = await reach(token_endpoint, { method: "POST", body });
    const grant = (await response.json().catch(() => ({}))) as Record<string, unknown>;
    if (!response.ok) throw new Error(`The issuer returned no token: ${String(grant["error"] ?? response.status)}.`);
    return grant;
  }

  /** What a token is requested for (RFC 8707). */
  async #resource(): Promise<{ resource?: string }> {
    const { metadata, issuer } = this.#settings;
    if (metadata === undefined) return {};
    const document = await fetch(pageURL(metadata), { credentials: "omit", signal: AbortSignal.timeout(answerWithin) })
      .then((response) => (response.ok ? (response.json() as Promise<Partial<ResourceMetadata> | null>) : null))
      .catch(() => null);
    if (typeof document?.resource !== "string" || !Array.isArray(document.authorization_servers)) {
      throw new Error("The gateway does not say which issuers it accepts.");
    }
    if (!document.authorization_servers.includes(issuer)) throw new Error("The gateway does not accept tokens of this issuer.");
    return { resource: document.resource };
  }

  /** Reads the discovery document, once it can be fetched. */
  #discover(): Promise<Metadata> {
    this.#metadata ??= discover(this.#settings.issuer).catch((error: unknown) => {
      this.#metadata = null; // the next attempt fetches it again
      throw error;
    });
    return this.#metadata;
  }
}

async function discover(issuer: string): Promise<Metadata> {
  const response = await reach(issuer.replace(/\/$/, "") + "/.well-known/openid-configuration");
  if (!response.ok) throw new Error(`The issuer's configuration cannot be read: status ${response.status}.`);
  const metadata = (await response.json()) as Metadata;
  if (metadata.issuer !== issuer) throw new Error("The issuer's configuration names another issuer.");
  return metadata;
}

async function reach(url: string, init?: RequestInit): Promise<Response> {
  const signal = AbortSignal.timeout(answerWithin);
  try {
    return await fetch(url, { ...init, credentials: "omit", signal });
  } catch {
    const { origin } = new URL(url);
    // A response that the page may not read is an error too. In this mode it is not, although its content is hidden.
    const responds = await fetch(url, { mode: "no-cors", credentials: "omit", signal }).then(() => true, () => false);
    throw new SignInError(
      responds ? "OTHER" : "UNREACHABLE",
      responds
        ? `The issuer at ${origin} does not let pages of ${location.origin} read its responses (CORS). Its administrator can allow this origin.`
        : `The issuer cannot be reached at ${origin}.`,
    );
  }
}

function readGrant(grant: Record<string, unknown>, former: string | null): Grant {
  const { access_token, refresh_token } = grant;
  if (typeof access_token !== "string") throw new Error("The issuer returned no access token.");
  return { accessToken: access_token, refreshToken: typeof refresh_token === "string" ? refresh_token : former };
}
