import { pageURL } from "../base/config.ts";

const interval = 3_000;

export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, interval));
}

/** Requests the page again, and compares its build and its configuration with those of this page. */
export async function probePage(): Promise<"same" | "changed" | null> {
  try {
    const response = await fetch(pageURL(""), { credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(10_000) });
    if (!response.ok) return null;
    const served = buildOf(new DOMParser().parseFromString(await response.text(), "text/html"));
    if (served === null) return null; // the page of a proxy
    return served === buildOf(document) ? "same" : "changed";
  } catch {
    return null;
  }
}

function buildOf(page: Document): string | null {
  const config = page.getElementById("console-config");
  const script = page.querySelector("script[type=module]");
  return config && `${config.textContent} ${script?.getAttribute("src")}`;
}
