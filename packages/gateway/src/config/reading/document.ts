// A YAML or JSON text as plain data, and the line and column of any path in it.

import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { ConfigPath, Step } from './problem.ts';

interface Place {
  readonly line: number;
  readonly column: number;
}

export interface SourceDocument {
  readonly data: unknown;
  readonly errors: readonly { readonly place: Place; readonly message: string }[];
  /** The place of the value at `path`, of its name, or of the nearest existing parent. */
  placeOf(path: ConfigPath, point: 'key' | 'value'): Place;
}

/** References to anchors, so that a small file cannot expand into a huge one. */
const MAX_YAML_REFERENCES = 100;
const START: Place = { line: 1, column: 1 };

interface Found {
  readonly key: Node | undefined;
  readonly value: Node | undefined;
}

const asNode = (value: unknown): Node | undefined =>
  isMap(value) || isSeq(value) || isScalar(value) || isAlias(value) ? value : undefined;

const stepInto = (node: Node | undefined, step: Step): Found | undefined => {
  if (isSeq(node) && typeof step === 'number') {
    const value = asNode(node.items[step]);
    return value === undefined ? undefined : { key: value, value };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
  return pair === undefined ? undefined : { key: asNode(pair.key), value: asNode(pair.value) };
};

export const readDocument = (text: string): SourceDocument => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const placeAt = (offset: number | undefined): Place => {
    if (offset === undefined) return START;
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const errors = document.errors.map((error) => ({ place: placeAt(error.pos[0]), message: error.message }));
  let data: unknown;
  if (errors.length === 0) {
    try {
      data = document.toJS({ maxAliasCount: MAX_YAML_REFERENCES });
    } catch (error) {
      errors.push({ place: START, message: error instanceof Error ? error.message : String(error) });
    }
  }
  return {
    data,
    errors,
    placeOf: (path, point) => {
      let node = asNode(document.contents);
      let offset = node?.range?.[0];
      for (const [index, step] of path.entries()) {
        const found = stepInto(isAlias(node) ? node.resolve(document) : node, step);
        if (found === undefined) break;
        const isLast = index === path.length - 1;
        const target = isLast && point === 'key' ? found.key : (found.value ?? found.key);
        offset = target?.range?.[0] ?? offset;
        node = found.value;
      }
      return placeAt(offset);
    },
  };
};
