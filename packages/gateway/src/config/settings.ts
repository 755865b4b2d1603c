// A configuration as a list of settings: each with its value and the file, variable or default it comes from. Contains
// no value of a secret: a plaintext secret is masked, and a reference stays one.

import { createHash } from 'node:crypto';
import type { SourceDocument } from './reading/document.ts';
import { isRecord } from './reading/fill-defaults.ts';
import { type ConfigPath, type ConfigProblem, pathText, type Step } from './reading/problem.ts';
import { isReference } from './reading/secrets.ts';

type SettingSource = 'file' | 'environment' | 'database' | 'default';

export interface Setting {
  /** `limits.jsonDepth`. An entry of a list of maps is one setting, under its name or id if it has one: `keys.ci`. */
  readonly path: string;
  readonly value: unknown;
  readonly source: SettingSource;
  /** `trivium.yaml:12:5` or `environment TRIVIUM_LISTEN_PORT`; absent for defaults. */
  readonly place?: string;
  /** Digest of the secrets in it, so that a change is noticed. It never leaves the process. */
  readonly digest?: string;
}

/** The source of a configuration. */
export interface ConfigOrigin {
  readonly settings: readonly Setting[];
  /** Reads the file again; absent if there is none. */
  readonly reread?: () => { readonly settings: readonly Setting[] } | { readonly problems: readonly ConfigProblem[] };
}

export interface SettingsInput {
  /** With all defaults. */
  readonly data: unknown;
  /** As in the file and the environment. */
  readonly given: unknown;
  /** Sources of values from the environment, by path. */
  readonly places: ReadonlyMap<string, string>;
  /** `trivium.yaml` */
  readonly file: string;
  readonly document: SourceDocument;
  /** Resolved secrets, by path. */
  readonly secrets: ReadonlyMap<string, string>;
}

export const MASKED = '[redacted]';

/** Hashes of weak secrets could be reversed. */
const isHash = (path: ConfigPath): boolean => path[0] === 'keys' && path.at(-1) === 'hash';

const isGiven = (data: unknown, path: ConfigPath): boolean => {
  let here = data;
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return false;
    here = Reflect.get(here, step);
  }
  return here !== null && here !== undefined;
};

const nameOf = (entry: unknown): string | undefined => {
  const name = isRecord(entry) ? (entry['name'] ?? entry['id']) : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
};

/** Names of the entries if all have one and they are unique, else their positions. */
const stepsOf = (list: readonly unknown[]): readonly Step[] => {
  const names = list.map(nameOf);
  return names.some((name) => name === undefined) || new Set(names).size < list.length
    ? list.map((_, index) => index)
    : names.map((name) => name ?? '');
};

export const settingsIn = ({ data, given, places, file, document, secrets }: SettingsInput): readonly Setting[] => {
  const found: Setting[] = [];

  const masked = (value: unknown, path: ConfigPath, seen: string[]): unknown => {
    if (Array.isArray(value)) return value.map((entry, index) => masked(entry, [...path, index], seen));
    if (isRecord(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, entry]) => [name, masked(entry, [...path, name], seen)]),
      );
    if (typeof value !== 'string') return value;
    const secret = secrets.get(pathText(path)) ?? (isHash(path) ? value : undefined);
    if (secret === undefined) return value;
    seen.push(secret);
    return isReference(value) ? value : MASKED;
  };

  /** `at` is its path in the file, `shown` its displayed name. */
  const add = (value: unknown, at: ConfigPath, shown: ConfigPath): void => {
    const seen: string[] = [];
    const text = masked(value, at, seen);
    const overridden = places.get(pathText(at));
    const isInFile = overridden === undefined && isGiven(given, at);
    const { line, column } = isInFile ? document.placeOf(at, 'value') : { line: 0, column: 0 };
    const place = isInFile ? `${file}:${line}:${column}` : overridden;
    found.push({
      path: pathText(shown),
      value: text,
      source: overridden !== undefined ? 'environment' : isInFile ? 'file' : 'default',
      ...(place !== undefined && { place }),
      ...(seen.length > 0 && { digest: createHash('sha256').update(JSON.stringify(seen)).digest('hex') }),
    });
  };

  const walk = (value: unknown, at: ConfigPath): void => {
    if (isRecord(value)) for (const [name, member] of Object.entries(value)) walk(member, [...at, name]);
    else if (Array.isArray(value) && value.some(isRecord)) {
      const steps = stepsOf(value);
      for (const [index, entry] of value.entries()) add(entry, [...at, index], [...at, steps[index] ?? index]);
    } else if (value !== undefined) add(value, at, at);
  };

  walk(data, []);
  return found;
};
