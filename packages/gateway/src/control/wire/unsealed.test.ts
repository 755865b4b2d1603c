import type { JsonObject } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import { unsealed } from './unsealed.ts';

const ENVELOPE = Buffer.from('TRV1 some state').toString('base64');

test.each<[string, JsonObject, JsonObject, number]>([
  [
    'thinking with its signature, and redacted thinking',
    {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
            { type: 'redacted_thinking', data: 'c2ln' },
            { type: 'text', text: 'yes' },
          ],
        },
      ],
    },
    { messages: [{ role: 'assistant', content: [{ type: 'text', text: 'yes' }] }] },
    2,
  ],
  [
    'reasoning items of responses',
    {
      input: [
        { type: 'reasoning', id: 'rs_1', encrypted_content: 'c2ln' },
        { type: 'message', role: 'user', content: 'go' },
      ],
    },
    { input: [{ type: 'message', role: 'user', content: 'go' }] },
    1,
  ],
  [
    'signatures of thoughts, beside the words they belong to',
    { contents: [{ parts: [{ text: 'a', thoughtSignature: 'c2ln' }] }] },
    { contents: [{ parts: [{ text: 'a' }] }] },
    1,
  ],
  [
    'envelopes of the gateway, wherever they stand',
    { messages: [{ role: 'assistant', reasoning_details: [{ data: ENVELOPE }], extra: ENVELOPE }] },
    { messages: [{ role: 'assistant' }] },
    2,
  ],
])('a replay leaves out %s', (_, body, expected, removed) => {
  expect(unsealed(body)).toEqual({ body: expected, removed });
});

test('text of callers and models stays, whatever its member is called', () => {
  const body = {
    tools: [{ name: 'sign', input_schema: { properties: { thoughtSignature: {}, encrypted_content: {} } } }],
    messages: [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 't', name: 'sign', input: { encrypted_content: 'mine' } }],
      },
      { role: 'user', content: 'signature' },
    ],
  };
  expect(unsealed(body)).toEqual({ body, removed: 0 });
});
