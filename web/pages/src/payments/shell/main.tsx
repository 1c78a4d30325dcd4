import "../style/style.css";
import { createRoot } from "react-dom/client";
import { pageURL, readConfig } from "../../base/config.ts";
import { openSession } from "../../signin/open.ts";
import { Gateway } from "../gateway.ts";
import { Places } from "./places.ts";
import { Page } from "./page.tsx";
import { preferredLanguage } from "../words/words.tsx";

const config = readConfig();
const session = openSession(config);
void session.resume();
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root");
const gateway = new Gateway(pageURL("graphql"), session);
createRoot(root).render(<Page config={config} session={session} gateway={gateway} places={new Places()} language={preferredLanguage()} />);
