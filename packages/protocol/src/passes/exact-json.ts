/** Tool arguments from text to an object and, when printed, back to the same text: no number loses a digit. */
import { isJsonObject, type Json, type JsonObject } from '../canonical/json.ts';

const rawJson: unknown = Reflect.get(JSON, 'rawJSON');

/** A number that would print differently is replaced by its original text. */
function keepSpelling(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  return typeof rawJson === 'function' ? rawJson(source) : value;
}

/** The object in a text, suitable for printing (not for arithmetic); undefined if the text is not an object. */
export function exactObject(text: string): JsonObject | undefined {
  let parsed: Json;
  try {
    parsed = JSON.parse(text, keepSpelling);
  } catch {
    return undefined;
  }
  return isJsonObject(parsed) ? parsed : undefined;
}

/**
 * Arguments as an object, for formats without argument text. Anything else is sent whole under one name, which `changed`
 * reports.
 */
export function argumentsObject(text: string, changed?: () => void): JsonObject {
  if (text.trim() === '') return {};
  const whole = exactObject(text);
  if (whole !== undefined) return whole;
  changed?.();
  return { _raw: text };
}
