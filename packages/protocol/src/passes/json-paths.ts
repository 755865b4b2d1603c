/** Paths: of members in JSON such as `data.videos[].url`, for formats defined by a description, and of queue entries. */
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../canonical/json.ts';

/** All values at a path: `[]` iterates over a list; missing values are skipped. */
export function valuesAt(tree: Json | undefined, path: string): readonly Json[] {
  let found: readonly Json[] = tree === undefined ? [] : [tree];
  for (const step of path.split('.')) {
    const goesThrough = step.endsWith('[]');
    const name = goesThrough ? step.slice(0, -2) : step;
    found = found.flatMap((each) => {
      const value = isJsonObject(each) && Object.hasOwn(each, name) ? each[name] : undefined;
      if (value === undefined || value === null) return [];
      if (!goesThrough) return [value];
      return isJsonArray(value) ? value : [];
    });
  }
  return found;
}

export const textAt = (tree: Json | undefined, path: string | undefined): string | undefined => {
  const [value] = path === undefined ? [] : valuesAt(tree, path);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
};

export const amountAt = (tree: Json | undefined, path: string | undefined): number | undefined => {
  const text = textAt(tree, path);
  const amount = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(amount) ? amount : undefined;
};

type Growing = { [name: string]: Json };

/** A copy with the value at the path, or appended to the list there. A step `[0]` is the only element of a list. */
export function withValue(tree: JsonObject, path: string, value: Json, how: 'put' | 'add'): JsonObject {
  const [step = '', ...rest] = path.split('.');
  const inList = step.endsWith('[0]');
  const name = inList ? step.slice(0, -3) : step;
  const copy: Growing = { ...tree };
  const there = copy[name];
  if (rest.length === 0) copy[name] = how === 'put' ? value : [...(isJsonArray(there) ? there : []), value];
  else {
    const inner = inList ? (isJsonArray(there) ? there[0] : undefined) : there;
    const grown = withValue(isJsonObject(inner) ? inner : {}, rest.join('.'), value, how);
    copy[name] = inList ? [grown] : grown;
  }
  return copy;
}

/** The path of a queue entry: below the app, which is the first two segments of a model's path. */
const OWNER_AND_APP = 2;

/** `model` is the path of a model, with or without a leading slash; `id` is already encoded for use in a path. */
export const entryPath = (model: string, id: string): string => {
  const app = model
    .split('/')
    .filter((step) => step !== '')
    .slice(0, OWNER_AND_APP);
  return `/${app.join('/')}/requests/${id}`;
};

const ENTRY = /\/[^/]+\/[^/]+\/requests\/[^/?#]+$/;

/**
 * The path of an entry in its URL. The URL's host is ignored: the gateway only requests paths of the configured host.
 */
export const entryIn = (address: string): string => ENTRY.exec(address)?.[0] ?? '/';
