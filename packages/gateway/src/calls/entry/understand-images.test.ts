import { findAnyDialect } from '@trivium/protocol/dialects';
import { DEFAULT_JSON_BOUNDS } from '@trivium/protocol/framing';
import { expect, test } from 'vitest';
import type { LongStrings } from '../../kernel/long-strings.ts';
import type { Identified } from '../request.ts';
import { sealingFor } from '../seals/envelopes.ts';
import { understandImages } from './understand-images.ts';

const MARK = 'abcdef0123456789';
const BASE64 = `${'iVBORw0K'.repeat(12_000)}${MARK}${'AAAA'.repeat(4_000)}`;
const longStrings = { count: 1, isIn: (text: string) => text.includes(MARK) } as unknown as LongStrings;
const ports = { jsonBounds: DEFAULT_JSON_BOUNDS, sealing: sealingFor(['a-key-to-sign-seals-with']) };

function read(dialectId: string, body: object) {
  const identified = {
    dialect: findAnyDialect(dialectId as never),
    head: {
      header: (name: string) => (name === 'anthropic-version' ? '2023-06-01' : undefined),
      model: 'm',
      stream: false,
    },
    caller: { accountId: 'a' },
    strict: false,
  };
  return understandImages(identified as unknown as Identified, JSON.stringify(body), longStrings, ports);
}

const chat = (...content: readonly object[]) => ({ model: 'm', messages: [{ role: 'user', content }] });
const url = `data:image/png;base64,${BASE64}`;
const source = (type: string) => ({ type: 'base64', media_type: type, data: BASE64 });
const messages = (...content: readonly object[]) => ({ max_tokens: 9, ...chat(...content) });
const result = { type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: source('image/png') }] };
const use = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] };

test.each([
  ['openai-chat', chat({ type: 'image_url', image_url: { url } })],
  ['openai-responses', { model: 'm', input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }] }],
  ['anthropic-messages', messages({ type: 'image', source: source('image/png') })],
  [
    'anthropic-messages',
    { ...messages(result), messages: [{ role: 'user', content: 'a' }, use, { role: 'user', content: [result] }] },
  ],
  ['google-generate', { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: BASE64 } }] }] }],
])('an image in %s is read by its first and last bytes only', (dialectId, body) => {
  expect(read(dialectId, body)).toMatchObject({ longStrings, understanding: { media: [{ kind: 'image' }] } });
});

test.each([
  ['a text', 'openai-chat', chat({ type: 'text', text: BASE64 })],
  ['an unknown member', 'openai-chat', { ...chat({ type: 'text', text: 'a' }), data: BASE64 }],
  ['another file', 'anthropic-messages', messages({ type: 'document', source: source('application/pdf') })],
  [
    'an image too short to be known by its ends',
    'openai-chat',
    chat({ type: 'image_url', image_url: { url: `data:image/png;base64,${MARK}` } }),
  ],
  ['a body that is wrong', 'openai-chat', { ...chat({ type: 'image_url', image_url: { url } }), n: 'many' }],
])('%s is read whole', (_what, dialectId, body) => {
  expect(read(dialectId, body)).toBeUndefined();
});
