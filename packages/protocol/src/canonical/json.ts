/** JSON types, and lenient readers: a member of an unexpected type counts as absent. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [name: string]: Json };

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function stringAt(object: JsonObject | undefined, name: string): string | undefined {
  const value = object?.[name];
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(object: JsonObject | undefined, name: string): number | undefined {
  const value = object?.[name];
  return typeof value === 'number' ? value : undefined;
}

export function objectAt(object: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = object?.[name];
  return isJsonObject(value) ? value : undefined;
}

export function arrayAt(object: JsonObject | undefined, name: string): readonly Json[] {
  const value = object?.[name];
  return isJsonArray(value) ? value : [];
}

export const isJsonArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
