import type { Call, TextCall } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import { estimateComplexity, LONG_PROMPT, SHORT_PROMPT } from './estimate-complexity.ts';

const PLAIN: TextCall = {
  operation: 'text',
  model: 'm',
  stream: false,
  system: [],
  turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'Hello' }] }],
  tools: [],
  sampling: {},
  usageWanted: { inStream: false, withCost: false },
  extras: {},
};
const IMAGE = { kind: 'media', media: 'image', mimeType: 'image/png', source: { via: 'inline', base64: '' } } as const;

test.each<[string, Partial<TextCall>, number, string]>([
  ['a short question', {}, SHORT_PROMPT, 'low'],
  ['a longer one', {}, SHORT_PROMPT + 1, 'medium'],
  ['a very long one', {}, LONG_PROMPT + 1, 'high'],
  ['tools', { tools: [{ kind: 'function', name: 'f' }] }, 1, 'medium'],
  ['a search', { webSearch: {} }, 1, 'medium'],
  ['a schema', { output: { kind: 'schema', schema: {} } }, 1, 'medium'],
  ['any JSON', { output: { kind: 'json' } }, 1, 'low'],
  ['a picture', { turns: [{ role: 'user', blocks: [IMAGE] }] }, 1, 'medium'],
  ['thinking', { reasoning: { enabled: true } }, 1, 'high'],
  ['no thinking', { reasoning: { enabled: false, effort: 'high' } }, 1, 'low'],
  ['little effort', { reasoning: { enabled: true, effort: 'low' } }, 1, 'low'],
  ['effort', { reasoning: { effort: 'medium' } }, 1, 'high'],
  ['a budget', { reasoning: { budgetTokens: 1024 } }, 1, 'high'],
  ['no budget', { reasoning: { budgetTokens: 0 } }, 1, 'low'],
])('%s', (_sign, more, tokens, expected) => {
  expect(estimateComplexity({ ...PLAIN, ...more }, tokens)).toBe(expected);
});

test('an embedding call is of low complexity unless it is very long', () => {
  const call = { operation: 'embed' } as Call;
  expect([estimateComplexity(call, LONG_PROMPT), estimateComplexity(call, LONG_PROMPT + 1)]).toEqual(['low', 'high']);
});
