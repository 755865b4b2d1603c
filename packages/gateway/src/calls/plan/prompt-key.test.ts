import { findDialect } from '@trivium/protocol/dialects';
import { DEFAULT_JSON_BOUNDS, parseUntrustedObject } from '@trivium/protocol/framing';
import { expect, test } from 'vitest';
import type { DirectoryEntry } from '../../kernel/target.ts';
import type { Prompt, Understood } from '../request.ts';
import { promptOf } from './prompt-key.ts';

const LONG = 'x'.repeat(5000);
const MARK = { cache_control: { type: 'ephemeral' } };
const HOUR = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const [SHORT_MS, LONG_MS] = [300_000, 3_600_000];

function promptIn(
  dialectId: string,
  body: object,
  promptCache: DirectoryEntry['promptCache'] = 'auto',
  accountId = 'account',
): Prompt | undefined {
  const text = JSON.stringify(body);
  const { members } = parseUntrustedObject(text, DEFAULT_JSON_BOUNDS);
  const understood = { dialect: findDialect(dialectId), text, members, caller: { accountId } };
  const model = { id: 'm', promptCache } as DirectoryEntry;
  return promptOf(understood as unknown as Understood, model, (prompt) => prompt);
}

const messages = (members: object): object => ({ messages: [{ role: 'user', content: LONG }], ...members });

test.each<[string, string, object, number]>([
  ['a long beginning', 'anthropic-messages', messages({}), SHORT_MS],
  ['a mark', 'anthropic-messages', { system: [{ type: 'text', text: LONG.slice(0, 1100), ...MARK }] }, SHORT_MS],
  ['a mark for an hour', 'anthropic-messages', messages({ system: [{ type: 'text', text: 'a', ...HOUR }] }), LONG_MS],
  ['a key', 'openai-chat', { prompt_cache_key: 'k', messages: [] }, SHORT_MS],
  ['a day', 'openai-responses', { input: LONG, prompt_cache_retention: '24h' }, LONG_MS],
  ['kept content', 'google-generate', { cachedContent: 'projects/p/locations/l/cachedContents/c' }, SHORT_MS],
])('%s is kept for its time', (_case, dialect, body, ttlMs) => {
  expect(promptIn(dialect, body)?.ttlMs).toBe(ttlMs);
});

test('a prompt that is short, not cached, or lacks a required cache marker has no key', () => {
  expect(promptIn('anthropic-messages', { messages: [{ role: 'user', content: 'Hello' }] })).toBeUndefined();
  expect(promptIn('anthropic-messages', messages({}), 'explicit')).toBeUndefined();
  const talk = 'they write "cache_control": in their bodies';
  expect(promptIn('anthropic-messages', messages({ system: talk }), 'explicit')).toBeUndefined();
});

test('the order of members in the body does not matter, their values do', () => {
  const one = promptIn('anthropic-messages', { system: 'a', messages: [LONG] });
  expect(promptIn('anthropic-messages', { messages: [LONG], system: 'a' })).toEqual(one);
  expect(promptIn('anthropic-messages', { messages: [LONG], system: 'b' })).not.toEqual(one);
  expect(promptIn('anthropic-messages', { messages: [`${LONG}, and more`], system: 'a' })).toEqual(one);
});

test('two accounts share nothing', () => {
  expect(promptIn('anthropic-messages', messages({}), 'auto', 'other')?.key).not.toBe(
    promptIn('anthropic-messages', messages({}))?.key,
  );
});
