/** Reads files for `trivium apply` as one document, checks them, and reports each problem with its file and line. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { sentenceOf } from '../../control/api/forms.ts';
import { readDocument, type SourceDocument } from '../reading/document.ts';
import { isRecord } from '../reading/fill-defaults.ts';
import { type ConfigPath, type ConfigProblem, pathText, type Report } from '../reading/problem.ts';
import { secretResolver } from '../reading/secrets.ts';
import { resolveValues } from './resolve.ts';
import { fitsFile } from './schema.ts';

export { describeConfigProblem } from '../reading/problem.ts';
export { declaredText } from './write.ts';

export type DeclaredFiles = {
  /** In the form of the admin API. */
  readonly declared: Readonly<Record<string, unknown>>;
  /** `accounts.yaml:12:5` for a path of the document. */
  placeOf(path: ConfigPath): string;
};

export type FilesOutcome = DeclaredFiles | { readonly problems: readonly ConfigProblem[] };

type Environment = Readonly<Record<string, string | undefined>>;
type PlaceOf = (path: ConfigPath, point?: 'key' | 'value') => string;
type ReadFile = { readonly data: Readonly<Record<string, unknown>>; readonly placeOf: PlaceOf };

const MAX_BYTES = 16 * 1_048_576;
const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/** The file itself, or the YAML and JSON files of a folder by name. */
const filesAt = (path: string): readonly string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => EXTENSIONS.has(extname(name)))
        .sort()
        .map((name) => join(path, name))
    : [path];

const readText = (file: string): string => {
  const { size } = statSync(file);
  if (size > MAX_BYTES) throw new Error(`is larger than ${MAX_BYTES} bytes`);
  return readFileSync(file, 'utf8');
};

const placeIn =
  (file: string, document: SourceDocument): PlaceOf =>
  (path, point = 'value') => {
    const { line, column } = document.placeOf(path, point);
    return `${file}:${line}:${column}`;
  };

const patternText = (pattern: string): string => sentenceOf(pattern) ?? `does not have the form ${pattern}`;

const readOne = (file: string, env: Environment, problems: ConfigProblem[]): ReadFile | undefined => {
  const document = readDocument(readText(file));
  for (const { place, message } of document.errors)
    problems.push({ place: `${file}:${place.line}:${place.column}`, path: '', message });
  if (document.errors.length > 0) return undefined;
  const placeOf = placeIn(file, document);
  const before = problems.length;
  const report: Report = (path, message, point) => {
    const place = placeOf(path, point);
    // An unresolved reference already has a problem: its type is not reported as well.
    if (!problems.slice(before).some((known) => known.place === place))
      problems.push({ place, path: pathText(path), message });
  };
  const data = resolveValues(document.data ?? {}, secretResolver(env, dirname(file)), report);
  return fitsFile(data, report, patternText) && problems.length === before && isRecord(data)
    ? { data, placeOf }
    : undefined;
};

/** Lists of several files follow one another, and names of maps stand in one file only. */
class Merged {
  readonly declared: Record<string, unknown> = {};
  readonly problems: ConfigProblem[] = [];
  /** Where each entry of a list, or each name of a map, comes from. */
  readonly #places = new Map<string, (path: ConfigPath) => string>();
  readonly #accounts = new Map<string, string>();

  add({ data, placeOf }: ReadFile): void {
    for (const [section, value] of Object.entries(data)) {
      if (Array.isArray(value)) for (const [at, entry] of value.entries()) this.#addEntry(section, entry, at, placeOf);
      else if (isRecord(value))
        for (const [name, one] of Object.entries(value)) this.#addName(section, name, one, placeOf);
      // An empty list is complete, too.
      this.declared[section] ??= Array.isArray(value) ? [] : {};
    }
  }

  #addEntry(section: string, entry: unknown, at: number, placeOf: PlaceOf): void {
    const list = (this.declared[section] ?? []) as unknown[];
    this.declared[section] = list;
    this.#places.set(`${section} ${list.length}`, (path) => placeOf([section, at, ...path]));
    list.push(entry);
    if (section !== 'accounts' || !isRecord(entry)) return;
    const [id, place] = [String(entry['id']), placeOf([section, at])];
    const first = this.#accounts.get(id);
    if (first === undefined) this.#accounts.set(id, place);
    else this.problems.push({ place, path: '', message: `account "${id}" stands at ${first} already` });
  }

  #addName(section: string, name: string, value: unknown, placeOf: PlaceOf): void {
    const map = (this.declared[section] ?? {}) as Record<string, unknown>;
    this.declared[section] = map;
    const place = placeOf([section, name]);
    const first = this.#places.get(`${section} ${name}`)?.([]);
    if (first !== undefined) this.problems.push({ place, path: '', message: `"${name}" stands at ${first} already` });
    this.#places.set(`${section} ${name}`, (path) => placeOf([section, name, ...path]));
    map[name] = value;
  }

  placeOf([section, name, ...path]: ConfigPath): string {
    return this.#places.get(`${section} ${name}`)?.(path) ?? String(section ?? '');
  }
}

export const readDeclaredFiles = (path: string, env: Environment): FilesOutcome => {
  const problems: ConfigProblem[] = [];
  const merged = new Merged();
  for (const file of filesAt(path)) {
    const read = readOne(file, env, problems);
    if (read !== undefined) merged.add(read);
  }
  problems.push(...merged.problems);
  return problems.length > 0 ? { problems } : { declared: merged.declared, placeOf: (place) => merged.placeOf(place) };
};
