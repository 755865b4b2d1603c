// The only parser for untrusted JSON text: bytes to value, refusing bad UTF-8, bad JSON and repeated member names.

import { isRecord, type JsonRecord } from './json-value.ts';

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown; readonly text: string }
  | { readonly ok: false; readonly problem: string; readonly text: string };

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

export function parseJsonBytes(bytes: Uint8Array): ParsedJson {
  let text: string;
  try {
    text = strictUtf8.decode(bytes);
  } catch {
    return { ok: false, problem: 'the body is not valid UTF-8', text: new TextDecoder().decode(bytes) };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: 'the body is not valid JSON', text };
  }
  const repeated = findRepeatedMember(text);
  if (repeated !== undefined) return { ok: false, problem: `the member "${repeated}" appears twice`, text };
  return { ok: true, value, text };
}

/** For readers that treat every problem alike. */
export function parseObject(bytes: Uint8Array): JsonRecord | undefined {
  const parsed = parseJsonBytes(bytes);
  return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined;
}

/** Expects valid JSON, so a scan for strings and brackets is enough. */
export function findRepeatedMember(text: string): string | undefined {
  const open: (Set<string> | 'array')[] = [];
  let expectsName = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      let end = at + 1;
      while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
      const members = open.at(-1);
      if (expectsName && members instanceof Set) {
        const name = String(JSON.parse(text.slice(at, end + 1)));
        if (members.has(name)) return name;
        members.add(name);
        expectsName = false;
      }
      at = end;
    } else if (character === '{') {
      open.push(new Set());
      expectsName = true;
    } else if (character === '[') {
      open.push('array');
      expectsName = false;
    } else if (character === '}' || character === ']') {
      open.pop();
      expectsName = false;
    } else if (character === ',') {
      expectsName = open.at(-1) instanceof Set;
    }
  }
  return undefined;
}
