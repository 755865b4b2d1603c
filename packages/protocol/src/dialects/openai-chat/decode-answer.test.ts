import { describe, expect, test } from 'vitest';
import type { Block } from '../../canonical/content.ts';
import type { Json } from '../../canonical/json.ts';
import { fold } from '../../stream/fold.ts';
import { targetFacts } from '../dialect.fixture.ts';
import type { TargetFacts } from '../dialect.ts';
import { argumentsText, decodeAnswer } from './decode-answer.ts';
import { eventDecoder } from './decode-stream.ts';
import { type ChatQuirks, chatQuirks } from './quirks.ts';

const owner = { dialect: 'openai-chat', family: 'f' } as const;
const target = (quirks: Partial<ChatQuirks> = {}): TargetFacts => targetFacts(owner, chatQuirks(quirks));
const answerOf = (message: Json, more: object = {}, head: object = {}): Json =>
  JSON.parse(JSON.stringify({ ...head, choices: [{ message, finish_reason: 'stop', ...more }] }));
const blocksOf = (message: Json, more: object = {}): readonly Block[] | undefined =>
  decodeAnswer(answerOf(message, more), target()).candidates[0]?.blocks;
const logprobs = { token: 'a', logprob: -1, bytes: [97], top_logprobs: [{ token: 'b', logprob: -2 }] };
const read = { token: 'a', logprob: -1, bytes: [97], alternatives: [{ token: 'b', logprob: -2 }] };

describe('a complete answer', () => {
  test('has an id, a model, a time and usage if the host sends them', () => {
    const head = { id: 'i', model: 'm', created: 5, usage: { prompt_tokens: 3 } };
    expect(decodeAnswer(answerOf({ content: 'x' }, {}, head), target())).toEqual({
      id: 'i',
      model: 'm',
      createdAtSeconds: 5,
      candidates: [{ blocks: [{ kind: 'text', text: 'x' }], finish: { reason: 'stop', raw: 'stop' } }],
      usage: { prompt: 3 },
    });
    const bare = decodeAnswer(answerOf({}), target());
    expect(bare).toMatchObject({ id: '', model: '', usage: {}, candidates: [{ blocks: [] }] });
    expect(bare).not.toHaveProperty('createdAtSeconds');
  });

  test.each<[string, Json, object, object]>([
    [
      'text in parts',
      { content: [{ type: 'text', text: 'a' }, { type: 'x', text: 'b' }, 1] },
      {},
      { kind: 'text', text: 'a' },
    ],
    [
      'text with log probabilities',
      { content: 'a' },
      { logprobs: { content: [logprobs] } },
      { kind: 'text', text: 'a', logprobs: [read] },
    ],
    [
      'refusal',
      { refusal: 'no' },
      { logprobs: { refusal: [logprobs] } },
      { kind: 'refusal', text: 'no', logprobs: [read] },
    ],
    ['refusal without log probabilities', { refusal: 'no' }, {}, { kind: 'refusal', text: 'no' }],
    ['thinking', { reasoning_content: 't' }, {}, { kind: 'thinking', text: 't', form: 'full' }],
    [
      'a call',
      { tool_calls: [{ id: 'i', function: { name: 'f', arguments: '{}' } }] },
      {},
      { kind: 'tool-call', id: 'i', name: 'f', form: 'function', argumentsJson: '{}' },
    ],
    [
      'a call without an id',
      { tool_calls: [{ id: '', function: { name: 'f', arguments: { a: 1 } } }] },
      {},
      { kind: 'tool-call', id: 'call_0', idMinted: true, name: 'f', form: 'function', argumentsJson: '{"a":1}' },
    ],
    [
      'a free-form call',
      { tool_calls: [{ id: 'i', custom: { name: 'c', input: 'x' } }] },
      {},
      { kind: 'tool-call', id: 'i', name: 'c', form: 'custom', argumentsJson: 'x' },
    ],
    [
      'a call of the old form',
      { function_call: { name: 'f', arguments: '{}' } },
      {},
      { kind: 'tool-call', id: 'call_0', idMinted: true, name: 'f', form: 'function', argumentsJson: '{}' },
    ],
    [
      'hidden thinking',
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'd' }] },
      {},
      { kind: 'redacted', seal: { owner, kind: 'sealed', data: 'd' } },
    ],
    [
      'signed thinking',
      { reasoning_details: [{ type: 'reasoning.text', text: 't', signature: 's' }] },
      {},
      { kind: 'thinking', text: 't', form: 'full', seal: { owner, kind: 'signature', data: 's' } },
    ],
    [
      'a signed summary',
      { reasoning_details: [{ type: 'reasoning.summary', summary: 't', signature: 's' }] },
      {},
      { kind: 'thinking', text: 't', form: 'summary', seal: { owner, kind: 'signature', data: 's' } },
    ],
    [
      'thinking with details that carry no seal',
      { reasoning: 't', reasoning_details: [{ type: 'reasoning.text', text: 't' }] },
      {},
      { kind: 'thinking', text: 't', form: 'full' },
    ],
    [
      'a summary that carries no seal and stands nowhere else',
      { reasoning_details: [{ type: 'reasoning.summary', summary: 't' }] },
      {},
      { kind: 'thinking', text: 't', form: 'full' },
    ],
    [
      'an empty signature, which is none',
      { reasoning_details: [{ type: 'reasoning.text', text: 't', signature: '' }] },
      {},
      { kind: 'thinking', text: 't', form: 'full' },
    ],
    [
      'data that is not said to be hidden',
      { reasoning_details: [{ type: 'reasoning.text', text: 't', data: 'd' }] },
      {},
      { kind: 'thinking', text: 't', form: 'full' },
    ],
  ])('%s', (_name, message, more, block) => {
    expect(blocksOf(message, more)).toStrictEqual([block]);
  });

  test('readable reasoning beside encrypted details is not lost', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'd' }];
    expect(blocksOf({ reasoning: 't', reasoning_details: details })).toEqual([
      { kind: 'thinking', text: 't', form: 'full' },
      { kind: 'redacted', seal: { owner, kind: 'sealed', data: 'd' } },
    ]);
  });

  test.each<[string, Json]>([
    ['not an object', []],
    ['without a message', { choices: [] }],
    ['without a message', { choices: [1] }],
    ['without a message', { choices: [{ finish_reason: 'stop' }] }],
    ['without a reason to stop', { choices: [{ message: {} }] }],
    ['without a reason to stop', { choices: [{ message: {}, finish_reason: 'error' }] }],
    ['rate limit was exceeded', { error: { code: 429 }, choices: [{ message: {}, finish_reason: 'stop' }] }],
  ])('%s is refused: %j', (words, body) => {
    expect(() => decodeAnswer(body, target())).toThrow(words);
  });

  test('an empty call of the old form is none; one without a name or arguments is', () => {
    const legacy = (name: string, text: string) => blocksOf({ content: 'x', function_call: { name, arguments: text } });
    expect(legacy('', '')).toEqual([{ kind: 'text', text: 'x' }]);
    expect(legacy('f', '')).toMatchObject([{ text: 'x' }, { name: 'f', argumentsJson: '' }]);
    expect(legacy('', '{}')).toMatchObject([{ text: 'x' }, { name: '', argumentsJson: '{}' }]);
  });

  test('empty text is not a block, and tool calls correct a plain stop', () => {
    expect(blocksOf({ content: '', refusal: '', reasoning_content: '' })).toEqual([]);
    const called = decodeAnswer(answerOf({ tool_calls: [{ id: 'i', function: { name: 'f' } }, 1] }), target());
    expect(called.candidates[0]).toMatchObject({ finish: { reason: 'tool-call', raw: 'stop' }, blocks: [{ id: 'i' }] });
    expect(called.candidates[0]?.blocks).toHaveLength(1);
  });

  test.each<[Json | undefined, string]>([
    ['{"a": 1}', '{"a": 1}'],
    [{ a: 1 }, '{"a":1}'],
    [undefined, ''],
    [null, ''],
  ])('arguments %j are the text %j', (value, text) => expect(argumentsText(value)).toBe(text));
});

/** Folds chunks given as choices; a plain object is a delta. */
function streamed(chunks: readonly object[], quirks: Partial<ChatQuirks> = {}) {
  const decoder = eventDecoder(target(quirks));
  const events = chunks.flatMap((chunk) => decoder.push({ data: JSON.stringify(chunk) }));
  return fold([...events, ...decoder.end()]);
}
const delta = (piece: object, finish?: string, more: object = {}): object => ({
  choices: [{ delta: piece, ...(finish !== undefined && { finish_reason: finish }), ...more }],
});
const fragment = (...calls: object[]): object => delta({ tool_calls: calls });
const STOP = delta({}, 'stop');
const streamedBlocks = (...chunks: object[]) => streamed([...chunks, STOP]).candidates[0]?.blocks;
const call = (id: string, name: string, argumentsJson: string, form = 'function') => ({
  kind: 'tool-call',
  id,
  name,
  form,
  argumentsJson,
});

describe('a streamed answer', () => {
  test('has the head of its first chunk, and its usage wherever the host puts it', () => {
    const first = { id: 'i', model: 'm', created: 5, choices: [{ delta: { content: 'x' } }] };
    const usage = { prompt_tokens: 3 };
    const whole = { id: 'i', model: 'm', createdAtSeconds: 5, usage: { prompt: 3 } };
    expect(streamed([first, STOP, { id: 'other', choices: [], usage }])).toMatchObject(whole);
    expect(streamed([first, delta({}, 'stop', { usage })])).toMatchObject(whole);
    const vendor: Partial<ChatQuirks> = { usageAt: 'vendor', usageVendorField: 'x_own' };
    expect(streamed([first, STOP, { choices: [], x_own: { usage } }], vendor)).toMatchObject(whole);
    expect(streamed([first, STOP, { choices: [], usage }], vendor)).toMatchObject(whole);
    expect(streamed([first, STOP, { choices: [], x_own: { usage } }])).toMatchObject({ usage: {} });
  });

  test('text, refusal and reasoning, each with its metadata', () => {
    expect(
      streamedBlocks(
        delta({ reasoning_content: 't' }),
        delta({ content: 'a' }, undefined, { logprobs: { content: [logprobs] } }),
        delta({ content: 'b' }),
        delta({ refusal: 'n' }, undefined, { logprobs: { refusal: [logprobs] } }),
      ),
    ).toMatchObject([
      { kind: 'thinking', text: 't', form: 'full' },
      { kind: 'text', text: 'ab', logprobs: [read] },
      { kind: 'refusal', text: 'n', logprobs: [read] },
    ]);
  });

  test('encrypted and signed reasoning; text after a signature is another thought', () => {
    expect(
      streamedBlocks(
        delta({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'd' }] }),
        delta({ reasoning: 'x', reasoning_details: [{ type: 'reasoning.text', signature: 's' }] }),
        delta({ reasoning: 'y', reasoning_details: [{ type: 'reasoning.text', text: 'y' }] }),
      ),
    ).toEqual([
      { kind: 'redacted', seal: { owner, kind: 'sealed', data: 'd' } },
      { kind: 'thinking', text: 'x', form: 'full', seal: { owner, kind: 'signature', data: 's' } },
      { kind: 'thinking', text: 'y', form: 'full' },
    ]);
  });

  test('an empty signature does not end a thought', () => {
    const piece = (text: string) =>
      delta({ reasoning: text, reasoning_details: [{ type: 'reasoning.text', text, signature: '' }] });
    expect(streamedBlocks(piece('a'), piece('b'))).toEqual([{ kind: 'thinking', text: 'ab', form: 'full' }]);
  });

  test('an id that the upstream did not send is marked as generated', () => {
    const blocks = (id: object) => streamedBlocks(fragment({ index: 0, ...id, function: { name: 'f' } }));
    expect(blocks({})).toMatchObject([{ id: 'call_0', idMinted: true }]);
    expect(blocks({ id: 'a' })?.[0]).not.toHaveProperty('idMinted');
    const legacy = streamedBlocks(delta({ function_call: { name: 'f', arguments: '{}' } }));
    expect(legacy).toMatchObject([{ id: 'call_0', idMinted: true }]);
  });

  test.each<[string, object[], object[]]>([
    [
      'whole in one fragment',
      [fragment({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } })],
      [call('a', 'f', '{}')],
    ],
    [
      'in pieces, with id and name repeated',
      [
        fragment({ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }),
        fragment({ index: 0, id: 'a', function: { name: 'f', arguments: '}' } }),
      ],
      [call('a', 'f', '{}')],
    ],
    [
      'the name after the arguments',
      [
        fragment({ index: 0, id: 'a', function: { arguments: '{' } }),
        fragment({ index: 0, function: { name: 'f', arguments: '}' } }),
      ],
      [call('a', 'f', '{}')],
    ],
    [
      'index 0 for all of them',
      [
        fragment({ index: 0, id: 'a', function: { name: 'f', arguments: '1' } }),
        fragment({ index: 0, id: 'b', function: { name: 'g', arguments: '2' } }),
        fragment({ index: 0, function: { arguments: '3' } }),
      ],
      [call('a', 'f', '1'), call('b', 'g', '23')],
    ],
    [
      'another id, but no name: still the same call',
      [
        fragment({ index: 0, id: 'a', function: { name: 'f', arguments: '1' } }),
        fragment({ index: 0, id: 'b', function: { arguments: '2' } }),
      ],
      [call('a', 'f', '12')],
    ],
    [
      'no index, distinguished by their ids',
      [
        fragment({ id: 'a', function: { name: 'f', arguments: '1' } }),
        fragment({ id: 'b', function: { name: 'g', arguments: '2' } }),
        fragment({ id: 'a', function: { arguments: '3' } }),
        fragment({ function: { arguments: '4' } }),
      ],
      [call('a', 'f', '13'), call('b', 'g', '24')],
    ],
    [
      'neither index nor id, but a name each',
      [fragment({ function: { name: 'f', arguments: '1' } }), fragment({ function: { name: 'g', arguments: '2' } })],
      [call('call_0', 'f', '1'), call('call_1', 'g', '2')],
    ],
    [
      'free-form',
      [
        fragment({ index: 0, id: 'a', custom: { name: 'c', input: 'x' } }),
        fragment({ index: 0, custom: { input: 'y' } }),
      ],
      [call('a', 'c', 'xy', 'custom')],
    ],
    [
      'of the old form',
      [delta({ function_call: { name: 'f', arguments: '{' } }), delta({ function_call: { arguments: '}' } })],
      [call('call_0', 'f', '{}')],
    ],
    [
      'of the old form, with an empty name and an empty call after it',
      [
        delta({ function_call: { name: 'f', arguments: '{' } }),
        delta({ function_call: { name: '', arguments: '}' } }),
        delta({ function_call: { name: '', arguments: '' } }),
      ],
      [call('call_0', 'f', '{}')],
    ],
  ])('calls: %s', (_name, chunks, blocks) => {
    const folded = streamed([...chunks, STOP]).candidates[0];
    expect(folded?.blocks).toMatchObject(blocks);
    expect(folded?.blocks).toHaveLength(blocks.length);
    expect(folded?.finish?.reason).toBe('tool-call');
  });

  test('fragments that are not objects, chunks without choices and empty finish reasons are skipped', () => {
    expect(streamedBlocks(delta({ tool_calls: [1] }), { choices: [] }, delta({ content: 'a' }, ''))).toMatchObject([
      { kind: 'text', text: 'a' },
    ]);
  });

  test('the first finish reason counts, and nothing after the end marker does', () => {
    const decoder = eventDecoder(target());
    const push = (chunk: object) => decoder.push({ data: JSON.stringify(chunk) });
    push(delta({ content: 'a' }, 'length'));
    push(delta({}, 'stop'));
    const last = decoder.push({ data: '[DONE]' });
    expect(last.at(-1)).toMatchObject({ finish: { reason: 'length', raw: 'length' } });
    expect(push(delta({ content: 'late' }))).toEqual([]);
    expect(decoder.end()).toEqual([]);
  });

  test.each<[string, string]>([
    ['{', 'cannot be read'],
    ['[]', 'cannot be read'],
    [JSON.stringify({ error: { code: 429 } }), 'rate limit was exceeded'],
    [JSON.stringify(delta({}, 'network_error')), 'in the middle'],
  ])('%s fails it, once', (data, words) => {
    const decoder = eventDecoder(target());
    const failed = decoder.push({ data });
    expect(failed.at(-1)).toMatchObject({ type: 'answer-fault', fault: { message: expect.stringContaining(words) } });
    expect(decoder.push({ data: JSON.stringify(STOP) })).toEqual([]);
    expect(decoder.end()).toEqual([]);
  });

  test('usage in the chunk of an error counts once the answer has begun', () => {
    const failure = {
      data: JSON.stringify({ error: { code: 500 }, usage: { prompt_tokens: 5, completion_tokens: 2 } }),
    };
    const decoder = eventDecoder(target());
    decoder.push({ data: JSON.stringify(delta({ content: 'a' })) });
    expect(decoder.push(failure)).toMatchObject([
      { type: 'usage-update', usage: { prompt: 5, completion: 2 } },
      { type: 'answer-fault' },
    ]);
    expect(eventDecoder(target()).push(failure)).toMatchObject([{ type: 'answer-fault' }]);
  });

  test('a stream that ends without a finish reason has failed; blank records are ignored', () => {
    const decoder = eventDecoder(target());
    expect(decoder.push({ data: ' ' })).toEqual([]);
    expect(decoder.end()).toMatchObject([{ type: 'answer-fault', fault: { kind: 'upstream-broken' } }]);
  });
});
