import "../style/style.css";
import { createRoot } from "react-dom/client";
import { pageURL, readConfig } from "../../base/config.ts";
import { Issuer } from "../../signin/issuer.ts";
import { Keeper } from "../../signin/keeper.ts";
import { Session } from "../../signin/session.ts";
import { Gateway } from "../gateway.ts";
import { Places } from "./places.ts";
import { Page } from "./page.tsx";
import { preferredLanguage } from "../words/words.tsx";

const config = readConfig();
// Without a secure context (https or loopback) a browser has no SHA-256, and so no PKCE. A token can still be pasted.
const issuer = config.signIn && isSecureContext ? new Issuer(config.signIn, pageURL("signed-in")) : null;
const session = new Session(issuer, new Keeper(sessionStorage, new URL(".", location.href).pathname, localStorage));
void session.resume();
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root");
const gateway = new Gateway(pageURL("graphql"), session);
createRoot(root).render(<Page config={config} session={session} gateway={gateway} places={new Places()} language={preferredLanguage()} />);
