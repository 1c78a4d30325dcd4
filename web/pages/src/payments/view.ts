import type { Config } from "../base/config.ts";
import type { Gateway } from "./gateway.ts";

/** What every view gets. */
export interface View {
  config: Config;
  gateway: Gateway;
}
