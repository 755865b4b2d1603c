/** Arguments that arrive as values at paths: assembled here, because text cannot be streamed from them. */
import { isJsonArray, isJsonObject, type Json, type JsonObject, stringAt } from '../../canonical/json.ts';
import { exactObject } from '../../passes/exact-json.ts';

/** No model sends arguments with deeper paths or longer lists. */
const MAX_STEPS = 64;
const MAX_INDEX = 10_000;

type Container = Json[] | { [name: string]: Json };
/** As RFC 9535 defines them: names may contain any letter, and quoted ones escapes. */
const STEP = /\.([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|(.))/g;
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r' };

/** The steps of a simple path (names and indexes only); undefined for any other. */
export function stepsOf(path: string): (string | number)[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (match === null || steps.length >= MAX_STEPS) return undefined;
    const [, name, index, single, double] = match;
    steps.push(
      index === undefined
        ? (name ??
            (single ?? double ?? '').replace(ESCAPE, (_all, hex: string | undefined, other: string) =>
              hex === undefined ? (ESCAPED[other] ?? other) : String.fromCharCode(Number.parseInt(hex, 16)),
            ))
        : Number(index),
    );
  }
  return steps;
}

export class PartialArguments {
  readonly #root: Container;
  /** Paths of strings that will continue. */
  readonly #growing = new Set<string>();

  constructor(initial: JsonObject) {
    const copy = exactObject(JSON.stringify(initial));
    this.#root = copy !== undefined && isContainer(copy) ? copy : {};
  }

  /** False if the piece could not be read: without it the arguments would be wrong. */
  apply(piece: JsonObject): boolean {
    const path = stringAt(piece, 'jsonPath');
    if (path === undefined) return true;
    const steps = stepsOf(path);
    const last = steps?.pop();
    if (steps === undefined || last === undefined) return false;
    const holder = this.#holder(steps, last);
    if (holder === undefined) return false;
    const text = stringAt(piece, 'stringValue');
    const before = get(holder, last);
    if (text !== undefined)
      put(holder, last, this.#growing.has(path) && typeof before === 'string' ? before + text : text);
    else if (piece['numberValue'] !== undefined) put(holder, last, piece['numberValue']);
    else if (piece['boolValue'] !== undefined) put(holder, last, piece['boolValue']);
    else if ('nullValue' in piece) put(holder, last, null);
    if (piece['willContinue'] === true) this.#growing.add(path);
    else this.#growing.delete(path);
    return true;
  }

  toJSON(): Json {
    return this.#root;
  }

  #holder(steps: readonly (string | number)[], last: string | number): Container | undefined {
    let node: Container = this.#root;
    for (const [position, step] of steps.entries()) {
      const next: string | number = steps[position + 1] ?? last;
      const found = get(node, step);
      const inner: Json = found ?? (typeof next === 'number' ? [] : {});
      if (!isContainer(inner)) return undefined;
      if (found === undefined && !put(node, step, inner)) return undefined;
      node = inner;
    }
    return Array.isArray(node) === (typeof last === 'number') ? node : undefined;
  }
}

/** Everything below the root was created or copied here, so it may be modified. */
const isContainer = (value: Json): value is Container => isJsonArray(value) || isJsonObject(value);

function get(node: Container, step: string | number): Json | undefined {
  if (Array.isArray(node)) return typeof step === 'number' ? node[step] : undefined;
  return Object.hasOwn(node, String(step)) ? node[String(step)] : undefined;
}

function put(node: Container, step: string | number, value: Json | undefined): boolean {
  if (value === undefined) return false;
  if (Array.isArray(node)) {
    if (typeof step !== 'number' || step > MAX_INDEX) return false;
    node[step] = value;
    return true;
  }
  Object.defineProperty(node, String(step), { value, enumerable: true, writable: true, configurable: true });
  return true;
}
