/** Tool arguments from text to an object and, once printed, back to the same text: no number loses a digit on the way. */
import { isJsonObject, type Json, type JsonObject } from '../canonical/json.ts';

const rawJson: unknown = Reflect.get(JSON, 'rawJSON');

/** A number that would print otherwise than it was written stands for its own text. */
function keepSpelling(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  return typeof rawJson === 'function' ? rawJson(source) : value;
}

/** The object a text holds, fit for printing (not for arithmetic); undefined when the text holds none. */
export function exactObject(text: string): JsonObject | undefined {
  let parsed: Json;
  try {
    parsed = JSON.parse(text, keepSpelling);
  } catch {
    return undefined;
  }
  return isJsonObject(parsed) ? parsed : undefined;
}

/** Arguments as the object that formats without argument text want. What is no object travels whole under one name. */
export function argumentsObject(text: string): JsonObject {
  if (text.trim() === '') return {};
  return exactObject(text) ?? { _raw: text };
}
