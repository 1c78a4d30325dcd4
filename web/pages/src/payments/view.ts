import type { Config } from "../config.ts";
import type { Gateway } from "./gateway.ts";

/** What every view gets. */
export interface View {
  config: Config;
  gateway: Gateway;
}
