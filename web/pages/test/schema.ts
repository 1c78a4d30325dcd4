import { readdirSync, readFileSync } from "node:fs";
import { buildSchema } from "graphql";

const folder = "../../graph/"; // npm runs the tests in web/pages/
const files = readdirSync(folder).filter((name) => name.endsWith(".graphqls"));

/** The gateway's schema. */
export const schema = buildSchema(files.map((name) => readFileSync(folder + name, "utf8")).join("\n"));
