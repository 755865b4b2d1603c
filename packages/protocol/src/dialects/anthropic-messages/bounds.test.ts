import { expect, test } from 'vitest';
import type { Event } from '../../canonical/events.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { NO_OPTIONS } from '../dialect.fixture.ts';
import type { AnswerContext, Frame } from '../dialect.ts';
import { anthropicMessages } from './index.ts';
import { messagesTarget } from './target.fixture.ts';

const target = messagesTarget();
const context: AnswerContext = { requestId: 'r', model: 'm', createdAtSeconds: 1, responseOptions: NO_OPTIONS };
const frame = (event: JsonObject): Frame => ({ event: String(event['type']), data: JSON.stringify(event) });
const start = (index: number, content_block: JsonObject): Frame =>
  frame({ type: 'content_block_start', index, content_block });
const stop = (index: number): Frame => frame({ type: 'content_block_stop', index });
const reader = () => {
  const decoder = anthropicMessages.client.eventDecoder(target);
  return (frames: readonly Frame[]): unknown => frames.map((each) => decoder.push(each));
};
const passer = () => {
  const lane = anthropicMessages.verbatim.frames(context, target);
  return (frames: readonly Frame[]): unknown => frames.map((each) => lane.read(each));
};
const each = <T>(length: number, make: (at: number) => T): T[] => Array.from({ length }, (_, at) => make(at));

test.each([
  ['translated', reader],
  ['verbatim', passer],
])('S10: more than 512 blocks side by side end the answer: %s', (_lane, open) => {
  const text = (index: number) => start(index, { type: 'text', text: '' });
  const push = open();
  push(each(512, text));
  expect(() => push([text(512)])).toThrow('more than 512 blocks side by side');
  const inTurn = open();
  inTurn(each(600, (index) => [text(index), stop(index)]).flat());
});

test('S10: more than 512 searches that wait for their results end the answer', () => {
  const search = (index: number): Frame[] => [
    start(index, { type: 'server_tool_use', id: `srvtoolu_${index}`, name: 'web_search', input: {} }),
    stop(index),
  ];
  const result = (index: number): Frame[] => [
    start(index, { type: 'web_search_tool_result', tool_use_id: `srvtoolu_${index}`, content: [] }),
    stop(index),
  ];
  const push = reader();
  push(each(512, search).flat());
  expect(() => push(search(512))).toThrow('more than 512 calls of its own tools at once');
  reader()(each(600, (index) => [...search(index), ...result(index)]).flat());
});

test('S10: more than a million characters of a block of an unknown type end the answer', () => {
  const delta = (text: string): Frame =>
    frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  const around = JSON.stringify({ type: 'text_delta', text: '' }).length;
  const push = reader();
  push([start(0, { type: 'mystery' }), delta('x'.repeat(500_000 - around)), delta('y'.repeat(500_000 - around))]);
  expect(() => push([delta('')])).toThrow('more than 1000000 characters of a block of an unknown type');
});

test('S10: more than eight million characters that wait for another block end the answer', () => {
  const encoder = anthropicMessages.server.eventEncoder(context);
  const open = (index: number): Event => ({ type: 'block-start', index, candidate: 0, block: { kind: 'text' } });
  const piece = (length: number): Event => ({ type: 'block-delta', index: 1, text: 'x'.repeat(length) });
  for (const event of [open(0), open(1), piece(7_999_999)]) encoder.push(event);
  expect(() => encoder.push(piece(1))).toThrow('more than 8000000 characters of blocks side by side');
});
