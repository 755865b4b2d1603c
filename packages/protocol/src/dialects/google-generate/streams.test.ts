import { describe, expect, test } from 'vitest';
import { FAULT_KINDS } from '../../canonical/fault.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { fold } from '../../stream/fold.ts';
import { grammarProblem } from '../../stream/grammar.ts';
import { unfold } from '../../stream/unfold.ts';
import {
  answer,
  candidate,
  chunk,
  context,
  decodeChunks,
  encodeEvents,
  firstCandidate,
  target,
} from './answer.fixture.ts';
import { streamFault } from './faults.ts';
import { googleGenerate } from './index.ts';
import { stepsOf } from './partial-arguments.ts';

const { server, client } = googleGenerate;

describe('streams from an upstream', () => {
  const chunks = [
    chunk([{ text: 'th', thought: true }], {}, { usageMetadata: { promptTokenCount: 4 } }),
    chunk([{ text: 'ink', thought: true }], { finishReason: '' }),
    chunk([{ text: 'Hel' }]),
    chunk([{ text: 'lo' }]),
    chunk([{ functionCall: { name: 'f', args: { n: 1 } }, thoughtSignature: 'c2ln' }, { functionCall: { name: 'g' } }]),
    chunk(
      [{ text: '' }],
      { finishReason: 'STOP' },
      { usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 9 } },
    ),
  ];
  test('parts of one kind are one block, calls are complete, and STOP after calls is a call', () => {
    const events = decodeChunks(chunks);
    expect(grammarProblem(events)).toBeUndefined();
    const { candidates, usage } = fold(events);
    expect(candidates[0]).toMatchObject({
      finish: { reason: 'tool-call', raw: 'STOP' },
      blocks: [
        { kind: 'thinking', text: 'think' },
        { kind: 'text', text: 'Hello' },
        { kind: 'tool-call', id: 'call_r_0', name: 'f', argumentsJson: '{"n":1}', seal: { data: 'c2ln' } },
        { kind: 'tool-call', id: 'call_r_1', name: 'g', argumentsJson: '{}' },
      ],
    });
    expect(usage).toEqual({ prompt: 4, completion: 9 });
  });
  test('citations of all chunks are kept, whether a chunk repeats those before it or not', () => {
    const cites = (...uris: string[]) => ({
      citationMetadata: { citations: uris.map((uri, at) => ({ startIndex: at, endIndex: at + 1, uri, title: '' })) },
    });
    const [first, second] = ['https://a.example', 'https://b.example'];
    const last = chunk([{ text: 'c' }], { finishReason: 'STOP' });
    for (const later of [
      cites(first, second),
      { citationMetadata: { citations: [{ startIndex: 1, endIndex: 2, uri: second, title: '' }] } },
    ]) {
      const events = decodeChunks([chunk([{ text: 'a' }], cites(first)), chunk([{ text: 'b' }], later), last]);
      expect(fold(events).candidates[0]?.blocks[0]).toMatchObject({
        citations: [
          { url: first, from: 0, to: 1 },
          { url: second, from: 1, to: 2 },
        ],
      });
    }
  });
  test('metadata that comes in several chunks is kept whole', () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
      groundingSupports: [{ segment: { startIndex: 0, endIndex: 1 }, groundingChunkIndices: [0] }],
    };
    const events = decodeChunks([
      chunk([{ text: 'a' }], { groundingMetadata: { webSearchQueries: ['q'] } }),
      chunk([{ text: 'b' }], { groundingMetadata }),
      chunk([{ text: 'c' }], { groundingMetadata: {}, finishReason: 'STOP' }),
    ]);
    expect(fold(events).candidates[0]).toMatchObject({
      blocks: [{ citations: [{ url: 'https://a.example', from: 0, to: 1 }] }],
      extras: { 'google-generate': { groundingMetadata: { ...groundingMetadata, webSearchQueries: ['q'] } } },
    });
  });
  test('a stream cut anywhere is a failure', () => {
    for (let length = 0; length < chunks.length; length++) {
      const events = decodeChunks(chunks.slice(0, length));
      expect(grammarProblem(events)).toBeUndefined();
      expect(events.at(-1)).toMatchObject({ type: 'answer-fault', fault: { kind: 'upstream-broken' } });
    }
  });
  test('errors and broken frames end it at once, and nothing follows', () => {
    const decoder = client.eventDecoder(target());
    expect(decoder.push({ data: '{"error":{"code":429,"message":"x"}}' })).toMatchObject([
      { type: 'answer-fault', fault: { kind: 'upstream-over-rate' } },
    ]);
    expect(decoder.push({ data: JSON.stringify(chunks[2]) })).toEqual([]);
    expect(decoder.end()).toEqual([]);
    expect(client.eventDecoder(target()).push({ data: '{"candidates":[' })).toMatchObject([{ type: 'answer-fault' }]);
  });
  test('an argument piece with an invalid path ends the answer: without it the arguments would be wrong', () => {
    const pieces = (jsonPath: string) => [
      chunk([{ functionCall: { name: 'f', partialArgs: [{ jsonPath, stringValue: 'x' }] } }]),
      chunk([], { finishReason: 'STOP' }),
    ];
    expect(() => decodeChunks(pieces('$..a'))).toThrow('a part of a tool call that cannot be read');
    expect(grammarProblem(decodeChunks(pieces('$.größe')))).toBeUndefined();
  });
  test('arguments that arrive in pieces are assembled', () => {
    expect(stepsOf("$.a['b c'][2].d")).toEqual(['a', 'b c', 2, 'd']);
    expect(stepsOf(String.raw`$.größe["a\u0062\n"]['it\'s']`)).toEqual(['größe', 'ab\n', "it's"]);
    expect(stepsOf('$..a')).toBeUndefined();
    const part = (functionCall: JsonObject) => chunk([{ functionCall }]);
    const events = decodeChunks([
      part({ name: 'f', willContinue: true }),
      part({ partialArgs: [{ jsonPath: '$.city', stringValue: 'New ', willContinue: true }], willContinue: true }),
      part({
        partialArgs: [
          { jsonPath: '$.city', stringValue: 'York' },
          { jsonPath: '$.list[0].n', numberValue: 3 },
        ],
        willContinue: true,
      }),
      part({
        partialArgs: [
          { jsonPath: '$.ok', boolValue: true },
          { jsonPath: '$.none', nullValue: 'NULL_VALUE' },
        ],
      }),
      chunk([], { finishReason: 'STOP' }),
    ]);
    expect(grammarProblem(events)).toBeUndefined();
    const [block] = fold(events).candidates[0]?.blocks ?? [];
    expect(block?.kind === 'tool-call' && JSON.parse(block.argumentsJson)).toEqual({
      city: 'New York',
      list: [{ n: 3 }],
      ok: true,
      none: null,
    });
  });
  test('a signature without text is a block of its own; numbers keep their digits', () => {
    const decoder = client.eventDecoder(target());
    const events = [
      ...decoder.push({ data: JSON.stringify(chunk([{ text: 'a' }])) }),
      ...decoder.push({
        data: '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"n":12345678901234567890}}}]}}]}',
      }),
      ...decoder.push({
        data: JSON.stringify(chunk([{ text: '', thoughtSignature: 'c2ln' }], { finishReason: 'STOP' })),
      }),
      ...decoder.end(),
    ];
    expect(grammarProblem(events)).toBeUndefined();
    expect(fold(events).candidates[0]?.blocks).toMatchObject([
      { kind: 'text', text: 'a' },
      { argumentsJson: '{"n":12345678901234567890}' },
      { kind: 'text', text: '', seal: { data: 'c2ln' } },
    ]);
  });
  test('sources that arrive at the end are attached to the last text, signed or not', () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'u', title: 't' } }],
      groundingSupports: [{ segment: { startIndex: 5, endIndex: 7 }, groundingChunkIndices: [0] }],
    };
    const events = decodeChunks([
      chunk([{ text: 'é' }, { text: 'bcd' }]),
      chunk([{ text: 'ef', thoughtSignature: 'c2ln' }]),
      chunk([{ text: '' }], { finishReason: 'STOP', groundingMetadata }),
    ]);
    expect(grammarProblem(events)).toBeUndefined();
    expect(fold(events).candidates[0]?.blocks).toMatchObject([
      { text: 'ébcdef', citations: [{ url: 'u', from: 4, to: 6 }], seal: { data: 'c2ln' } },
    ]);
  });
  test('several candidates stay separate', () => {
    const both = (a: string, b: string, more: JsonObject = {}): JsonObject => ({
      candidates: [candidate([{ text: a }], more), candidate([{ text: b }], { index: 1, ...more })],
    });
    const events = decodeChunks([both('a', 'x'), both('b', 'y', { finishReason: 'STOP' })]);
    expect(grammarProblem(events)).toBeUndefined();
    expect(fold(events).candidates.map(({ blocks }) => blocks[0])).toMatchObject([{ text: 'ab' }, { text: 'xy' }]);
  });
  test('more candidates than any model returns are a failure', () => {
    const many = (length: number): JsonObject[] =>
      Array.from({ length }, (_, index) => chunk([{ text: 'a' }], { index, finishReason: 'STOP' }));
    expect(fold(decodeChunks(many(64))).candidates).toHaveLength(64);
    expect(() => decodeChunks(many(65))).toThrow('more than 64 candidates');
  });
  test('a blocked prompt', () => {
    const events = decodeChunks([{ promptFeedback: { blockReason: 'SAFETY', safetyRatings: [] } }]);
    expect(events.at(-1)).toMatchObject({ type: 'prompt-blocked', reason: 'SAFETY' });
  });
});

describe('streams for a caller', () => {
  test('log probabilities come with their text, and those without later text with the last chunk', () => {
    const token = (text: string) => ({ token: text, logprob: -1, alternatives: [] });
    const chosen = (frames: JsonObject[]) => frames.map((frame) => firstCandidate(frame)['logprobsResult']);
    const result = (text: string) => ({
      topCandidates: [{ candidates: [] }],
      chosenCandidates: [{ token: text, logProbability: -1 }],
    });
    const start = [
      { type: 'answer-start', id: 'x', model: 'y' },
      { type: 'block-start', index: 0, candidate: 0, block: { kind: 'text' } },
    ] as const;
    const end = [
      { type: 'block-end', index: 0 },
      { type: 'answer-end', candidate: 0, finish: { reason: 'stop' } },
    ] as const;
    const own = context({ logprobs: true });
    const withText = [
      { type: 'block-note', index: 0, note: { logprobs: [token('a')] } },
      { type: 'block-delta', index: 0, text: 'a' },
    ] as const;
    const late = { type: 'block-note', index: 0, note: { logprobs: [token('b')] } } as const;
    expect(chosen(encodeEvents([...start, ...withText, ...end], own))).toEqual([result('a'), undefined]);
    expect(chosen(encodeEvents([...start, ...withText, late, ...end], own))).toEqual([result('a'), result('b')]);
    const second = [
      { type: 'block-start', index: 1, candidate: 1, block: { kind: 'text' } },
      { type: 'block-delta', index: 1, text: 'c' },
      { type: 'block-end', index: 1 },
      { type: 'answer-end', candidate: 1, finish: { reason: 'stop' } },
    ] as const;
    expect(chosen(encodeEvents([...start, late, ...second, ...end], own))).toEqual([undefined, undefined, result('b')]);
  });
  const events = unfold(
    answer([
      { kind: 'thinking', text: 't', form: 'full' },
      { kind: 'text', text: 'hello' },
      { kind: 'tool-call', id: 'i', name: 'f', form: 'function', argumentsJson: '{"a":1}' },
      { kind: 'media', media: 'image', mimeType: 'image/png', source: { via: 'inline', base64: 'QUJD' } },
    ]),
  );
  test('every chunk is a response with a part', () => {
    for (const each of encodeEvents(events)) {
      const own = firstCandidate(each);
      expect(each).toMatchObject({
        responseId: 'req1',
        modelVersion: 'google/m',
        createTime: '2023-11-14T22:13:20.000Z',
      });
      expect(own).toMatchObject({ index: 0, content: { role: 'model', parts: [expect.any(Object)] } });
    }
  });
  test('the content of chunks', () => {
    const chunks = encodeEvents(events);
    expect(chunks.map((each) => firstCandidate(each)['content'])).toEqual(
      [
        { text: 't', thought: true },
        { text: 'hello' },
        { functionCall: { id: 'i', name: 'f', args: { a: 1 } } },
        { inlineData: { mimeType: 'image/png', data: 'QUJD' } },
        { text: '' },
      ].map((part) => ({ role: 'model', parts: [part] })),
    );
    expect(
      chunks
        .slice(0, -1)
        .some((each) => 'finishReason' in firstCandidate(each) || 'finishMessage' in firstCandidate(each)),
    ).toBe(false);
    expect(chunks.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'FINISH_REASON_STOP', finishMessage: expect.any(String) }],
      usageMetadata: { totalTokenCount: 5 },
    });
    expect(firstCandidate(encodeEvents(events, context({ bareEnums: true })).at(-1) ?? {})['finishReason']).toBe(
      'STOP',
    );
  });
  test('hidden thoughts give no chunk', () => {
    expect(JSON.stringify(encodeEvents(events, context({ hideReasoning: true })))).not.toContain('thought');
  });
  test('a signature follows its text', () => {
    const seal = { owner: { dialect: 'google-generate', family: 'gemini' }, kind: 'carry', data: 'c2ln' } as const;
    const chunks = encodeEvents(unfold(answer([{ kind: 'text', text: 'a', seal }])));
    expect(firstCandidate(chunks[1] ?? {})['content']).toEqual({
      role: 'model',
      parts: [{ text: '', thoughtSignature: 'c2ln' }],
    });
  });
  test('a failure is sent twice, with a numeric code', () => {
    for (const kind of FAULT_KINDS) {
      const stream = streamFault({ kind, message: 'm' });
      const [framed, bare] = stream.split('\n\n');
      expect(framed).toBe(`data: ${bare}`);
      expect(bare?.startsWith('{"error":{"code":')).toBe(true);
      expect(JSON.parse(bare ?? '').error.code).toBeGreaterThanOrEqual(400);
    }
  });
  test('a keep-alive is an ordinary chunk', () => {
    const sign = server.keepAlive(context());
    expect(sign).toMatch(/^data: \{.*\}\n\n$/);
    expect(JSON.parse(sign.slice(6))).toMatchObject({
      candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, index: 0 }],
      responseId: 'req1',
    });
  });
});
