/** The rule list and the rules that wait for a later part, read from the files people edit. */
import { readFileSync } from 'node:fs';

export type Rule = { readonly id: string; readonly area: string; readonly isWithdrawn: boolean };

/** Rule id → the part of the product that is missing. */
export type Pending = Readonly<Record<string, string>>;

const RULE_LINE = /^- \*\*([A-Z]{1,2})-([0-9]{2,3})\*\*( withdrawn\b)?/;

/** Throws when the list is empty or names a rule twice, since every count would then be worthless. */
export function parseRules(markdown: string): readonly Rule[] {
  const rules: Rule[] = [];
  const seen = new Set<string>();
  for (const line of markdown.split('\n')) {
    const match = RULE_LINE.exec(line);
    if (match === null) continue;
    const [, area = '', number = '', withdrawn] = match;
    const id = `${area}-${number}`;
    if (seen.has(id)) throw new Error(`rule ${id} is in the list twice`);
    seen.add(id);
    rules.push({ id, area, isWithdrawn: withdrawn !== undefined });
  }
  if (rules.length === 0) throw new Error('the rule list holds no rules');
  return rules;
}

export function parsePending(text: string, rules: readonly Rule[]): Pending {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Error('pending.json must hold an object');
  const known = new Set(rules.map(({ id }) => id));
  const pending: Record<string, string> = {};
  for (const [id, part] of Object.entries(parsed)) {
    if (!known.has(id)) throw new Error(`pending.json names ${id}, which is no rule`);
    if (typeof part !== 'string' || part === '') throw new Error(`pending.json does not say what ${id} waits for`);
    pending[id] = part;
  }
  return pending;
}

export const readRules = (root: URL): readonly Rule[] =>
  parseRules(readFileSync(new URL('docs/reference/conformance.md', root), 'utf8'));

export const readPending = (root: URL, rules: readonly Rule[]): Pending =>
  parsePending(readFileSync(new URL('scripts/conformance/pending.json', root), 'utf8'), rules);
