import type { Config } from "../../config.ts";
import type { Gateway } from "../gateway.ts";

export class Search {
  constructor(readonly gateway: Gateway, readonly config: Config) {}
}
