import type { ExecutionResult } from "graphql";
import { parseExact } from "../base/exact.ts";
import { size } from "../base/format.ts";
import type { Asked } from "./fields.ts";

/** An answer of the gateway to an operation of the editor. */
export interface Answered {
  asked: Asked;
  /** What is known about its response: status, duration and size. */
  figures: string;
  /** The whole answer as GraphiQL formats it. */
  text: string;
  /** The same with long base64 values abbreviated, which GraphiQL shows; equal to text without such values. */
  folded: string;
}

/** Formats an answer. */
export function answered(answer: unknown, asked: Asked, figures: string): Answered {
  const text = JSON.stringify(answer, null, 2);
  const folded = JSON.stringify(answer, (_key, value: unknown) => (typeof value === "string" ? fold(value) : value), 2);
  return { asked, figures, text, folded };
}

/** What GraphiQL shows of an answer. */
export function resultOf({ folded }: Answered): ExecutionResult {
  return parseExact(folded) as ExecutionResult;
}

/** The figures of a response to a query. */
export function figuresOf(status: number, millis: number, text: string): string {
  return `Status ${status} · ${Math.round(millis)} ms · ${size(new Blob([text]).size)}`;
}

const base64 = /^(data:[\w.+-]+\/[\w.+-]+;base64,)?[A-Za-z0-9+/]{160,}={0,2}$/;

/** Abbreviates a long base64 text; other texts are returned unchanged. */
export function fold(text: string): string {
  return base64.test(text) ? `${text.slice(0, 40)}… (${text.length} characters)` : text;
}
