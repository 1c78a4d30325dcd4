import type { Config } from "../base/config.ts";

/** A setting of the gateway that is not set, and what does not work without it. */
export interface MissingSetting {
  setting: string;
  effect: string;
}

export function missingSettings(config: Config): MissingSetting[] {
  const missing: MissingSetting[] = [];
  if (!config.pageNumber) {
    missing.push({ setting: "paging_page_param", effect: "Only the first page of a list can be read. Reconciliation is not offered." });
  }
  if (!config.pageSize) {
    missing.push({ setting: "paging_per_page_param", effect: "The API chooses the size of a page. Omit first and perPage." });
  }
  if (!config.links) {
    missing.push({
      setting: "links_metadata_pointer",
      effect: "The metadata of a payment is not searched for its notifications. Give their ids in the argument ids.",
    });
  }
  if (!config.trace) missing.push({ setting: "trace", effect: "Call tracing is off." });
  return missing;
}
