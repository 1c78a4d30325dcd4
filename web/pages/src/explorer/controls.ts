import type { GraphQLInputType, ValueNode } from "graphql";
import { getNullableType, GraphQLBoolean, GraphQLFloat, GraphQLID, GraphQLInt, isEnumType, isInputObjectType, isListType, Kind, parseValue } from "graphql";
import { isInstant } from "../base/format.ts";
import { centsOf, plainText } from "../base/money.ts";
import { localOf, withOffset } from "./time.ts";

/** How a value is entered; null for an input object, whose fields have controls. A literal is text as in a query. */
export type Control = "choice" | "choices" | "cents" | "integer" | "decimal" | "time" | "text" | "ids" | "literal";

/** The control of a type. */
export function controlOf(input: GraphQLInputType): Control | null {
  const type = getNullableType(input);
  if (isInputObjectType(type)) return null;
  if (isListType(type)) {
    const element = getNullableType(type.ofType);
    return isEnumType(element) ? "choices" : element === GraphQLID ? "ids" : "literal";
  }
  if (isEnumType(type) || type === GraphQLBoolean) return "choice";
  if (type === GraphQLInt) return "integer";
  if (type === GraphQLFloat || type.name === "Decimal") return "decimal";
  if (type.name === "Cents") return "cents";
  return type.name === "DateTime" ? "time" : type.name === "JSON" ? "literal" : "text";
}

/** The choices of a type. UNKNOWN stands for values that the schema does not have, and is not allowed as input. */
export function choicesOf(input: GraphQLInputType): string[] {
  const type = getNullableType(input);
  if (isListType(type)) return choicesOf(type.ofType);
  if (isEnumType(type)) return type.getValues().map(({ name }) => name).filter((name) => name !== "UNKNOWN");
  return type === GraphQLBoolean ? ["true", "false"] : [];
}

/** The chosen values; null for a value that has other parts, such as a variable. */
export function chosenIn(value: ValueNode | null): string[] | null {
  if (value === null) return [];
  if (value.kind !== Kind.LIST) return value.kind === Kind.ENUM ? [value.value] : null;
  const names = value.values.map((each) => (each.kind === Kind.ENUM ? each.value : null));
  return names.every((name) => name !== null) ? names : null;
}

/** What a control shows for a value; null if the value is not of its kind, such as a variable. */
export function shownOf(control: Control, value: ValueNode | null): string | null {
  if (value === null) return "";
  switch (control) {
    case "choice":
      return value.kind === Kind.ENUM ? value.value : value.kind === Kind.BOOLEAN ? String(value.value) : null;
    case "cents":
      return value.kind === Kind.INT && !value.value.startsWith("-") ? plainText(value.value) : null;
    case "integer":
      return value.kind === Kind.INT ? value.value : null;
    case "decimal":
      return value.kind === Kind.INT || value.kind === Kind.FLOAT ? value.value : null;
    case "time":
      return value.kind === Kind.STRING ? (localOf(value.value) ?? "") : null;
    case "text":
      return value.kind === Kind.STRING ? value.value : null;
    case "ids":
      return linesOf(value);
    default:
      return null;
  }
}

/** What is said next to a control about the value that the query has. */
export function noteOf(control: Control, value: ValueNode | null): string {
  if (control === "cents" && value?.kind === Kind.INT) return `${value.value} ${value.value === "1" ? "cent" : "cents"}`;
  if (control === "time" && value?.kind === Kind.STRING && value.value !== "" && !isInstant(value.value)) {
    return `${JSON.stringify(value.value)} is no time with an offset. Choose the time again.`;
  }
  return "";
}

/** The literal for a text that the user entered, null if it is empty; or why the text is invalid. */
export type Entered = { literal: string | null } | { problem: string };

export function enter(control: Control, text: string): Entered {
  const trimmed = text.trim();
  if (trimmed === "") return { literal: null };
  if (/^\$[_A-Za-z]\w*$/.test(trimmed)) return { literal: trimmed };
  switch (control) {
    case "cents": {
      const cents = centsOf(text);
      return cents === null ? { problem: "Enter an amount in reais, such as 51,70." } : { literal: String(cents) };
    }
    case "integer":
      return isInt(trimmed) ? { literal: String(Number(trimmed)) } : { problem: "Enter a whole number, at most 2147483647." };
    case "decimal": {
      const number = trimmed.replace(",", ".").replace(/^(-?)0+(?=\d)/, "$1");
      return /^-?\d+(\.\d+)?$/.test(number) ? { literal: number } : { problem: "Enter a number, such as 10.5." };
    }
    case "time": {
      const time = withOffset(trimmed);
      return time === null ? { problem: "Enter a date with a year of four digits, and a time." } : { literal: JSON.stringify(time) };
    }
    case "text":
      return { literal: JSON.stringify(text) };
    case "ids": {
      const ids = trimmed.split(/[\s,]+/).filter((id) => id !== "");
      return { literal: ids.length === 0 ? null : `[${ids.map((id) => JSON.stringify(id)).join(", ")}]` };
    }
    default:
      return enterLiteral(text);
  }
}

function enterLiteral(text: string): Entered {
  try {
    parseValue(text);
    return { literal: text };
  } catch {
    return { problem: "This is not a value of GraphQL, such as 1, \"text\", [PAID] or $name." };
  }
}

/** Whether a text is an Int of GraphQL, of 32 bits. */
function isInt(text: string): boolean {
  return /^-?\d{1,10}$/.test(text) && Number(text) === (Number(text) | 0);
}

function linesOf(value: ValueNode): string | null {
  const values = value.kind === Kind.LIST ? value.values : [value];
  const texts = values.map((each) => (each.kind === Kind.STRING && !/[\s,]/.test(each.value) ? each.value : null));
  return texts.every((text) => text !== null) ? texts.join("\n") : null;
}
