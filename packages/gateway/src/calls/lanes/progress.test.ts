// What counts as progress of a stream, in every dialect and both lanes: content, usage and ends do, keep-alives do not.
import { type AnswerContext, type Dialect, findDialect } from '@trivium/protocol/dialects';
import { describe, expect, test } from 'vitest';
import type { TextTarget } from '../../kernel/target.ts';
import { TranslatedStream } from './translated.ts';
import type { Translator } from './translator.ts';
import { VerbatimStream } from './verbatim.ts';

const LIMITS = { eventLength: 100_000, jsonDepth: 64 };
const context: AnswerContext = {
  requestId: 'r',
  model: 'm',
  createdAtSeconds: 1,
  responseOptions: { usageInStream: true, withCost: false, hideReasoning: false, logprobs: false },
};

const dialectOf = (id: string): Dialect => {
  const dialect = findDialect(id);
  if (dialect === undefined) throw new Error(id);
  return dialect;
};
const targetOf = (dialect: Dialect): TextTarget =>
  ({
    dialect,
    facts: { quirks: dialect.quirks({}), sealOwner: { dialect: dialect.id, family: 'f' }, model: {} },
  }) as unknown as TextTarget;

const chat = (delta: object, more: object = {}): object => ({
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const text = (delta: object): object => ({ type: 'content_block_delta', index: 0, delta });
const parts = (...all: object[]): object => ({ candidates: [{ index: 0, content: { role: 'model', parts: all } }] });
const RESPONSE = { id: 'r', object: 'response', status: 'in_progress', output: [] };
const said = (delta: string): object => ({
  type: 'response.output_text.delta',
  item_id: 'i',
  output_index: 0,
  content_index: 0,
  delta,
});

type Case = {
  readonly before: readonly object[];
  readonly quiet: readonly object[];
  readonly content: readonly object[];
};
const CASES: Readonly<Record<string, Case>> = {
  'openai-chat': {
    before: [chat({ role: 'assistant', content: '' })],
    quiet: [chat({}), chat({ content: '' }), chat({ role: 'assistant', content: null, refusal: null })],
    content: [
      chat({ content: 'x' }),
      chat({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' } }] }),
      { ...chat({}), usage: { prompt_tokens: 1, completion_tokens: 1 } },
      { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } },
    ],
  },
  'anthropic-messages': {
    before: [
      { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: {} } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ],
    quiet: [{ type: 'ping' }, text({ type: 'text_delta', text: '' }), { type: 'unheard_of' }],
    content: [
      text({ type: 'text_delta', text: 'x' }),
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', name: 'f', input: {} } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
    ],
  },
  'google-generate': {
    before: [],
    quiet: [parts(), parts({ text: '' })],
    content: [
      parts({ text: 'x' }),
      parts({ functionCall: { name: 'f', args: {} } }),
      { ...parts({ text: '' }), usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 } },
    ],
  },
  'openai-responses': {
    before: [
      { type: 'response.created', response: RESPONSE },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { id: 'i', type: 'message', role: 'assistant', content: [] },
      },
    ],
    quiet: [{ type: 'response.in_progress', response: RESPONSE }, { type: 'keepalive' }, said('')],
    content: [
      said('x'),
      {
        type: 'response.output_item.added',
        output_index: 1,
        item: { type: 'function_call', call_id: 'c', name: 'f', arguments: '' },
      },
    ],
  },
};

const frame = (event: object): string => {
  const name = 'type' in event ? `event: ${String(event.type)}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
};

describe.each(Object.entries(CASES))('%s', (id, { before, quiet, content }) => {
  const dialect = dialectOf(id);
  const lanes: readonly [string, () => Translator][] = [
    ['verbatim', () => new VerbatimStream(dialect, context, targetOf(dialect), LIMITS)],
    ['translated', () => new TranslatedStream(dialectOf('openai-chat'), context, targetOf(dialect), LIMITS)],
  ];
  test.each(lanes)('%s', (_lane, open) => {
    const pump = open();
    for (const event of before) pump.push(frame(event));
    // Twice each: frames that match a known template take another code path.
    for (const event of [...content, ...content.slice(0, 1)]) {
      const [progress, shown] = [pump.progress, JSON.stringify(event)];
      for (const sign of [...quiet, ...quiet]) pump.push(frame(sign));
      pump.push(': comment\n\n');
      expect(pump.progress, `before ${shown}`).toBe(progress);
      pump.push(frame(event));
      expect(pump.progress, shown).toBeGreaterThan(progress);
      expect(pump.fault).toBeUndefined();
    }
  });
});
