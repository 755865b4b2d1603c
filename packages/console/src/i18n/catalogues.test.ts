import { fileURLToPath } from 'node:url';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { describe, expect, test } from 'vitest';
import { catalogue, catalogueEntries, LANGUAGES, messagesIn, usedMessages } from '../../build/catalogues.ts';

const SOURCES = fileURLToPath(new URL('..', import.meta.url));
const used = usedMessages(SOURCES);

/** The names in braces, and whether each chooses a plural. */
const argumentsOf = (text: string): readonly string[] =>
  [...text.matchAll(/\{(\w+)(?=[,}])/g)].map(([, name]) => name ?? '').sort();

test('messages are found in every way they are written', () =>
  expect(messagesIn(`t('one') msg("two") t(\`three\`, {}) t(\n  'it\\'s', x) at('no') text('no')`)).toEqual([
    'one',
    'two',
    'three',
    "it's",
  ]));

describe.each(LANGUAGES)('%s', (language) => {
  const texts = catalogue(SOURCES, language);

  test('translates every message', () => expect([...used].filter((text) => !texts.has(text))).toEqual([]));
  test('translates nothing else', () => expect([...texts.keys()].filter((text) => !used.has(text))).toEqual([]));
  test('keeps the arguments of each message', () => {
    const changed = [...texts].filter(
      ([english, text]) => new Set(argumentsOf(english)).symmetricDifference(new Set(argumentsOf(text))).size > 0,
    );
    expect(changed).toEqual([]);
  });
  test('has one translation of each message, whichever page shows it', () => {
    const seen = new Map<string, string>();
    const changed = catalogueEntries(SOURCES, language).filter(([english, text]) => {
      const before = seen.get(english) ?? text;
      seen.set(english, text);
      return before !== text;
    });
    expect(changed).toEqual([]);
  });
  test('can be compiled', () => {
    for (const text of texts.values()) expect(() => compileMessage(text)).not.toThrow();
  });
});
