/** Tables and lists of ARCHITECTURE.md that are written by hand, beside what they are about. */
import { DIALECT_IDS } from '@trivium/protocol/canonical';
import { findAnyDialect, hasCallers, videoDialects } from '@trivium/protocol/dialects';
import { expect, test } from 'vitest';
import { codeSpansOf, tablesOf } from './markdown.ts';
import { exists, read, readJson } from './tree.ts';

const page = read('ARCHITECTURE.md');

test('the protocol offers the entry points that the page names, and nothing deeper', () => {
  const { exports } = readJson<{ readonly exports: Readonly<Record<string, unknown>> }>(
    'packages/protocol/package.json',
  );
  const named = /offer four entry points \(([^)]+)\)/.exec(page)?.[1] ?? '';
  expect(Object.keys(exports)).toEqual([...codeSpansOf(named).map((name) => `./${name}`), './package.json']);
});

test('the table of dialects has every format that callers speak, under its operation', () => {
  const OPERATIONS: Readonly<Record<string, string>> = {
    embed: 'embeddings',
    image: 'images',
    moderate: 'moderation',
    rerank: 'reranking',
    video: 'videos',
  };
  // Videos are ordered by two formats, which code of their own reads: the description of a host has no half for callers.
  const VIDEOS = ['google-operations', 'openai-videos'];
  const spoken = new Map<string, string[]>();
  for (const id of DIALECT_IDS) {
    const dialect = findAnyDialect(id);
    const isSpoken = dialect === undefined ? VIDEOS.includes(id) : hasCallers(dialect);
    const operation = dialect?.operation ?? 'video';
    const row = OPERATIONS[operation] ?? operation;
    spoken.set(row, [...(spoken.get(row) ?? []), ...(isSpoken ? [id] : [])]);
  }
  expect(VIDEOS.filter((id) => videoDialects.some((dialect) => dialect.id === id))).toEqual(VIDEOS);
  const rows = tablesOf(page).get('Dialect ≠ provider') ?? [];
  const shown = new Map(rows.map(([operation = '', , callers = '']) => [operation, codeSpansOf(callers).sort()]));
  expect(shown).toEqual(new Map([...spoken].map(([operation, ids]) => [operation, ids.sort()])));
  for (const [, where = ''] of rows)
    for (const file of codeSpansOf(where)) expect(exists(`packages/protocol/src/dialects/${file}`)).toBe(true);
});
