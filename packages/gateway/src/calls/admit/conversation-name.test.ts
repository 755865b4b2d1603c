import type { JsonObject } from '@trivium/protocol/canonical';
import { scanMembers } from '@trivium/protocol/framing';
import { expect, test } from 'vitest';
import { conversationName } from './conversation-name.ts';

const nameOf = (
  headers: Readonly<Record<string, string>>,
  body: Readonly<Record<string, unknown>> = {},
  state?: JsonObject,
): string | undefined => {
  const text = JSON.stringify(body);
  const metadata = body['metadata'] as Readonly<Record<string, unknown>> | undefined;
  return conversationName({
    headers: new Map(Object.entries(headers)),
    head: { ...(state !== undefined && { state }) },
    text,
    members: scanMembers(text, 20),
    understanding: { metadata },
  });
};

test('a call without a name belongs to no conversation', () => {
  expect(nameOf({})).toBeUndefined();
  expect(nameOf({ 'x-session-id': '' }, { prompt_cache_key: '', metadata: { user_id: 'ann' } })).toBeUndefined();
});

test('the header is asked before the body, the own one before those of agents', () => {
  const headers = { session_id: 'codex', 'x-claude-code-session-id': 'claude' };
  const body = { prompt_cache_key: 'key', metadata: { session_id: 'metadata' } };
  expect(nameOf({ ...headers, 'x-session-id': 'own' }, body)).toBe('own');
  expect(nameOf(headers, body)).toBe('claude');
  expect(nameOf({ session_id: 'codex' }, body)).toBe('codex');
  expect(nameOf({}, body)).toBe('metadata');
  expect(nameOf({}, { prompt_cache_key: 'key' })).toBe('key');
});

test('a call of a stored conversation belongs to it, unless its caller says otherwise', () => {
  const state = { conversation: { id: 'conv_1' } };
  expect(nameOf({}, { metadata: {} }, state)).toBe('conv_1');
  expect(nameOf({}, { prompt_cache_key: 'key' }, state)).toBe('key');
  expect(nameOf({}, {}, { previous_response_id: 'resp_1' })).toBeUndefined();
});

test('Claude Code names its session within the id of the user', () =>
  expect(nameOf({}, { metadata: { user_id: 'user_ab12_account__session_0c9fd3a2-11aa' } })).toBe('0c9fd3a2-11aa'));

test('a name is bounded, and only a text is one', () => {
  expect(nameOf({ 'x-session-id': 'a'.repeat(5000) })).toHaveLength(200);
  expect(nameOf({}, { prompt_cache_key: 'b'.repeat(5000) })).toHaveLength(200);
  expect(nameOf({}, { prompt_cache_key: 5 })).toBeUndefined();
});
