import { pageURL, type Config } from "../base/config.ts";
import { ofTab, shared } from "../base/stored.ts";
import { Issuer } from "./issuer.ts";
import { Keeper } from "./keeper.ts";
import { Session } from "./session.ts";

/** The session of a page. It ends if the user signs out in another tab, since the next user may be another one. */
export function openSession({ signIn }: Pick<Config, "signIn">): Session {
  // Without a secure context (https or loopback) a browser has no SHA-256, and so no PKCE. A token can still be pasted.
  const issuer = signIn && isSecureContext ? new Issuer(signIn, pageURL("signed-in")) : null;
  const keeper = new Keeper(ofTab, new URL(".", location.href).pathname, shared);
  const session = new Session(issuer, keeper);
  addEventListener("storage", () => keeper.signedOut && session.state.get().byIssuer && session.signOut());
  return session;
}
