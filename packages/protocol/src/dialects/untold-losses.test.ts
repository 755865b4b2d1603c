/** Where a thing may stand in several places of a request, leaving it out is told wherever it stands. */
import { describe, expect, test } from 'vitest';
import { textCall } from '../canonical/call.fixture.ts';
import type { TextCall, Tool } from '../canonical/call.ts';
import type { Block, ToolCallBlock, ToolResultBlock } from '../canonical/content.ts';
import type { DialectId } from '../canonical/dialect-id.ts';
import { targetFacts } from './dialect.fixture.ts';
import type { Dialect } from './dialect.ts';
import { googleGenerate } from './google-generate/index.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiResponses } from './openai-responses/index.ts';

const OTHERS: readonly (readonly [DialectId, Dialect])[] = [
  ['openai-chat', openaiChat],
  ['google-generate', googleGenerate],
  ['openai-responses', openaiResponses],
];

const encoded = (dialect: Dialect, call: Partial<TextCall>) =>
  dialect.client.encodeCall(
    textCall(call),
    targetFacts({ dialect: dialect.id, family: 'f' }, dialect.quirks({ webSearchOptions: true })),
  );
const lossesOf = (dialect: Dialect, call: Partial<TextCall>): string[] =>
  encoded(dialect, call).losses.map(({ field, why }) => `${field} ${why}`);

const TOOL: Tool = { kind: 'function', name: 'f', parameters: { type: 'object', properties: {} } };
const CALL: ToolCallBlock = { kind: 'tool-call', id: 'c', name: 'f', form: 'function', argumentsJson: '{}' };
const RESULT: ToolResultBlock = {
  kind: 'tool-result',
  callId: 'c',
  content: [{ kind: 'text', text: 'done' }],
  isError: false,
};

function toolRound(tool: Tool, call: Block, result: Block): Partial<TextCall> {
  const turns: TextCall['turns'] = [
    { role: 'user', blocks: [{ kind: 'text', text: 'go' }] },
    { role: 'assistant', blocks: [call] },
    { role: 'user', blocks: [result] },
  ];
  return { tools: [tool], turns };
}

describe.each(OTHERS)('%s', (_id, dialect) => {
  test.each<[string, Partial<TextCall>]>([
    ['a tool', toolRound({ ...TOOL, cache: {} }, CALL, RESULT)],
    ['a call', toolRound(TOOL, { ...CALL, cache: {} }, RESULT)],
    ['a result', toolRound(TOOL, CALL, { ...RESULT, cache: { ttl: '1h' } })],
    ['all of them', toolRound({ ...TOOL, cache: {} }, { ...CALL, cache: {} }, { ...RESULT, cache: {} })],
  ])('a cache mark on %s is told, once', (_name, call) => {
    expect(lossesOf(dialect, call)).toEqual(['block.cache no-equivalent']);
  });
});
