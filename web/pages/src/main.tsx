import "./workers.ts";
import "./style.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { readConfig } from "./base/config.ts";
import { Connection } from "./connection/connection.ts";
import { pause, probePage } from "./connection/probe.ts";
import { linkedIn } from "./operations/link.ts";
import { openSession } from "./signin/open.ts";

const config = readConfig();
const session = openSession(config);
const connection = new Connection(probePage, pause);
addEventListener("vite:preloadError", () => connection.incomplete()); // of a script that is loaded later, such as the editor
const linked = linkedIn(location);
if (linked !== null) history.replaceState(null, "", location.pathname); // a reload has the edited operation
addEventListener("hashchange", () => linkedIn(location) !== null && location.reload());
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root");
createRoot(root).render(<App config={config} session={session} connection={connection} linked={linked} />);
