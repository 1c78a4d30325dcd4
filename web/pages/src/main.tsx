import "./workers.ts";
import "./style.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { pageURL, readConfig } from "./base/config.ts";
import { Connection } from "./connection/connection.ts";
import { pause, probePage } from "./connection/probe.ts";
import { Issuer } from "./signin/issuer.ts";
import { Keeper } from "./signin/keeper.ts";
import { linkedIn } from "./operations/link.ts";
import { Session } from "./signin/session.ts";

const config = readConfig();
// Without a secure context (https or loopback) a browser has no SHA-256, and so no PKCE. A token can still be pasted.
const issuer = config.signIn && isSecureContext ? new Issuer(config.signIn, pageURL("signed-in")) : null;
const session = new Session(issuer, new Keeper(sessionStorage, location.pathname, localStorage));
const connection = new Connection(probePage, pause);
addEventListener("vite:preloadError", () => connection.incomplete()); // of a script that is loaded later, such as the editor
const linked = linkedIn(location);
if (linked !== null) history.replaceState(null, "", location.pathname); // a reload has the edited operation
addEventListener("hashchange", () => linkedIn(location) !== null && location.reload());
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root");
createRoot(root).render(<App config={config} session={session} connection={connection} linked={linked} />);
