import { describe, expect, test } from 'vitest';
import type { Block } from '../../canonical/content.ts';
import { FINISH_REASONS } from '../../canonical/events.ts';
import type { Json } from '../../canonical/json.ts';
import { unfold } from '../../stream/unfold.ts';
import { runToEnd } from '../dialect.fixture.ts';
import { answer, candidate, context, encodeEvents, firstCandidate, target, whole } from './answer.fixture.ts';
import { byteOffset, unitOffset } from './citations.ts';
import { decodeFault } from './faults.ts';
import { googleGenerate } from './index.ts';
import { readUsage, writeUsage } from './usage.ts';

const { server, client } = googleGenerate;

describe('complete answers for a caller', () => {
  test('the complete object', () => {
    expect(server.encodeAnswer(answer([{ kind: 'text', text: 'hello' }]), context()).body).toEqual({
      candidates: [
        { content: { role: 'model', parts: [{ text: 'hello' }] }, finishReason: 'FINISH_REASON_STOP', index: 0 },
      ],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
      modelVersion: 'google/m',
      createTime: '2023-11-14T22:13:20.000Z',
      responseId: 'req1',
    });
  });
  test('every finish reason has a value, prefixed or bare', () => {
    for (const reason of FINISH_REASONS) {
      const given = answer([], { candidates: [{ blocks: [], finish: { reason } }] });
      const prefixed = firstCandidate(server.encodeAnswer(given, context()).body)['finishReason'];
      const bare = firstCandidate(server.encodeAnswer(given, context({ bareEnums: true })).body)['finishReason'];
      expect(prefixed).toBe(`FINISH_REASON_${bare}`);
      expect(bare).toMatch(/^[A-Z_]+$/);
    }
  });
  test('blocked content is not sent', () => {
    const own: Block = { kind: 'foreign', dialect: 'google-generate', wire: { newPart: {} } };
    const text: Block = { kind: 'text', text: 'x' };
    for (const blocks of [[text], [own], [text, own, text]]) {
      const given = answer([], { candidates: [{ blocks, finish: { reason: 'filter' } }] });
      const { body, losses } = server.encodeAnswer(given, context());
      expect(firstCandidate(body)).toMatchObject({ content: { parts: [] }, finishReason: 'FINISH_REASON_SAFETY' });
      expect(losses).toEqual([{ path: 'candidates[0].content', why: 'no-equivalent' }]);
    }
  });
  test('a call has an object as arguments; one without is not a clean stop', () => {
    const call = (argumentsJson: string): Block => ({
      kind: 'tool-call',
      id: 'i',
      name: 'f',
      form: 'function',
      argumentsJson,
    });
    const good = firstCandidate(server.encodeAnswer(answer([call('{"a":1}')]), context()).body);
    expect(good).toMatchObject({
      content: { parts: [{ functionCall: { id: 'i', name: 'f', args: { a: 1 } } }] },
      finishReason: 'FINISH_REASON_STOP',
    });
    const bad = server.encodeAnswer(answer([call('{"a":')]), context());
    expect(firstCandidate(bad.body)['finishReason']).toBe('FINISH_REASON_MALFORMED_FUNCTION_CALL');
    expect(bad.losses).toHaveLength(1);
  });
  test('thoughts are only sent to callers who asked for them', () => {
    const given = answer([
      { kind: 'thinking', text: 't', form: 'full' },
      { kind: 'text', text: 'a' },
    ]);
    expect(firstCandidate(server.encodeAnswer(given, context({ hideReasoning: true })).body)['content']).toEqual({
      role: 'model',
      parts: [{ text: 'a' }],
    });
    expect(firstCandidate(server.encodeAnswer(given, context()).body)).toMatchObject({
      content: { parts: [{ text: 't', thought: true }, { text: 'a' }] },
    });
  });
  test('parts that only this format has are sent as they came; hidden are those of its thoughts', () => {
    const code = { executableCode: { language: 'PYTHON', code: '1' } };
    const thought = { inlineData: { mimeType: 'image/png', data: 'QUJD' }, thought: true };
    const own = (wire: Json): Block => ({ kind: 'foreign', dialect: 'google-generate', wire });
    const encoded = (wires: Json[], hideReasoning: boolean) => {
      const { body, losses } = server.encodeAnswer(answer(wires.map(own)), context({ hideReasoning }));
      return { content: firstCandidate(body)['content'], lossCount: losses.length };
    };
    const sent = (...parts: Json[]) => ({ content: { role: 'model', parts }, lossCount: 0 });
    expect(encoded([code, thought], false)).toEqual(sent(code, thought));
    expect(encoded([code, thought], true)).toEqual(sent(code));
    expect(encoded(['no part', code], false)).toEqual({ ...sent(code), lossCount: 1 });
  });
  test('citations count bytes of the whole text', () => {
    const given = answer([
      { kind: 'text', text: 'é😀' },
      { kind: 'text', text: 'ab', citations: [{ kind: 'web', url: 'u', title: 't', from: 1, to: 2 }] },
    ]);
    expect(firstCandidate(server.encodeAnswer(given, context()).body)['citationMetadata']).toEqual({
      citations: [{ startIndex: 7, endIndex: 8, uri: 'u', title: 't' }],
    });
    expect(unitOffset('é😀a', byteOffset('é😀a', 3))).toBe(3);
  });
  test('log probabilities are only sent on request', () => {
    const logprobs = [{ token: 'a', logprob: -1, alternatives: [{ token: 'b', logprob: -2 }] }];
    const given = answer([{ kind: 'text', text: 'a', logprobs }]);
    expect(firstCandidate(server.encodeAnswer(given, context()).body)).not.toHaveProperty('logprobsResult');
    expect(firstCandidate(server.encodeAnswer(given, context({ logprobs: true })).body)).toMatchObject({
      avgLogprobs: -1,
      logprobsResult: {
        chosenCandidates: [{ token: 'a', logProbability: -1 }],
        topCandidates: [{ candidates: [{ token: 'b', logProbability: -2 }] }],
      },
    });
  });
  test('a refused prompt has feedback and no candidates', () => {
    const given = answer([], { candidates: [], promptBlocked: { reason: 'SAFETY', message: 'm' } });
    const { body } = server.encodeAnswer(given, context());
    expect(body).toMatchObject({ promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: 'm' } });
    expect(body).not.toHaveProperty('candidates');
  });
  test('a wrapped enum value is sent bare', () => {
    const own = context({ enumValues: ['a', 'b'] });
    const given = answer([{ kind: 'text', text: '{"value":"b"}' }]);
    expect(firstCandidate(server.encodeAnswer(given, own).body)).toMatchObject({ content: { parts: [{ text: 'b' }] } });
    expect(encodeEvents(unfold(given), own)[0]).toMatchObject({
      candidates: [{ content: { parts: [{ text: 'b' }] } }],
    });
  });
  test('seals of other owners are sent in an envelope', () => {
    const seal = {
      owner: { dialect: 'anthropic-messages', family: 'claude' },
      kind: 'signature',
      data: 'raw',
    } as const;
    const given = answer([{ kind: 'thinking', text: 't', form: 'full', seal }]);
    expect(JSON.stringify(server.encodeAnswer(given, context()).body)).toContain('"thoughtSignature":"RU5W"');
    const { sealing: _, ...bare } = context();
    expect(JSON.stringify(server.encodeAnswer(given, bare).body)).not.toContain('raw');
    const partsFor = (own: typeof bare) => {
      const sealed: Block = { kind: 'redacted', seal };
      return firstCandidate(server.encodeAnswer(answer([sealed]), own).body)['content'];
    };
    expect(partsFor(context())).toMatchObject({ parts: [{ text: '', thought: true, thoughtSignature: 'RU5W' }] });
    for (const own of [bare, context({ hideReasoning: true })]) expect(partsFor(own)).toMatchObject({ parts: [] });
    const lossesFor = (own: typeof bare) => {
      const encoder = server.eventEncoder(own);
      const redacted = answer([{ kind: 'redacted', seal }]);
      runToEnd(encoder, unfold(redacted));
      return [server.encodeAnswer(redacted, own).losses, encoder.losses()];
    };
    const lost = [{ path: 'candidates[0].content', why: 'no-equivalent' }];
    expect(lossesFor(bare)).toEqual([lost, lost]);
    for (const own of [context(), context({ hideReasoning: true })]) expect(lossesFor(own)).toEqual([[], []]);
  });
  test('a file keeps its name', () => {
    const part = { inlineData: { mimeType: 'image/png', data: 'QUJD', displayName: 'cat.png' } };
    const decoded = client.decodeAnswer(whole([part]), target());
    expect(firstCandidate(server.encodeAnswer(decoded, context()).body)).toMatchObject({ content: { parts: [part] } });
  });
});

describe('complete answers from an upstream', () => {
  test('parts stay separate, with their metadata', () => {
    const { candidates } = client.decodeAnswer(
      whole([
        { text: 't', thought: true, thoughtSignature: 'c2ln' },
        { text: 'a' },
        { text: 'b', thoughtSignature: 'c2ln' },
        { inlineData: { mimeType: 'image/png', data: 'QUJD' } },
        { functionCall: { name: 'f', args: { x: 1 } }, thoughtSignature: 'c2ln' },
        { executableCode: { language: 'PYTHON', code: '1' } },
      ]),
      target(),
    );
    expect(candidates[0]?.blocks).toMatchObject([
      { kind: 'thinking', text: 't', form: 'summary', seal: { data: 'c2ln' } },
      { kind: 'text', text: 'a' },
      { kind: 'text', text: 'b', seal: { kind: 'carry' } },
      { kind: 'media', media: 'image', source: { base64: 'QUJD' } },
      { kind: 'tool-call', idMinted: true, name: 'f', argumentsJson: '{"x":1}', seal: { data: 'c2ln' } },
      { kind: 'foreign', wire: { executableCode: { language: 'PYTHON', code: '1' } } },
    ]);
    expect(candidates[0]?.finish.reason).toBe('tool-call');
  });
  test('the unspecified value has one spelling', () => {
    const decoded = client.decodeAnswer(
      whole([{ text: 'a' }], { finishReason: 'FINISH_REASON_UNSPECIFIED' }),
      target(),
    );
    for (const bareEnums of [true, false])
      expect(firstCandidate(server.encodeAnswer(decoded, context({ bareEnums })).body)['finishReason']).toBe(
        'FINISH_REASON_UNSPECIFIED',
      );
  });
  test('finish reasons of the upstream, in either spelling, are kept, and an unknown one becomes OTHER', () => {
    for (const word of [
      'RECITATION',
      'BLOCKLIST',
      'PROHIBITED_CONTENT',
      'IMAGE_PROHIBITED_CONTENT',
      'NO_IMAGE',
      'SPII',
      'MALFORMED_FUNCTION_CALL',
      'OTHER',
      'MAX_TOKENS',
      'SAFETY',
    ])
      for (const raw of [word, `FINISH_REASON_${word}`]) {
        const decoded = client.decodeAnswer(whole([], { finishReason: raw }), target());
        expect(firstCandidate(server.encodeAnswer(decoded, context({ bareEnums: true })).body)['finishReason']).toBe(
          word,
        );
      }
    const weird = client.decodeAnswer(whole([], { finishReason: 'weird' }), target());
    expect(firstCandidate(server.encodeAnswer(weird, context()).body)['finishReason']).toBe('FINISH_REASON_OTHER');
  });
  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'filter'],
    ['BLOCKLIST', 'filter'],
    ['PROHIBITED_CONTENT', 'filter'],
    ['SPII', 'filter'],
    ['IMAGE_SAFETY', 'filter'],
    ['IMAGE_PROHIBITED_CONTENT', 'filter'],
    ['RECITATION', 'recitation'],
    ['IMAGE_RECITATION', 'recitation'],
    ['CONTINUATION', 'pause'],
    ['MALFORMED_FUNCTION_CALL', 'bad-tool-call'],
    ['UNEXPECTED_TOOL_CALL', 'bad-tool-call'],
    ['TOO_MANY_TOOL_CALLS', 'bad-tool-call'],
    ['NO_IMAGE', 'no-image'],
    ['IMAGE_OTHER', 'no-image'],
    ['LANGUAGE', 'other'],
    ['OTHER', 'other'],
    ['FINISH_REASON_UNSPECIFIED', 'other'],
  ])('%s is read as %s', (word, reason) => {
    const { candidates } = client.decodeAnswer(whole([{ text: 'a' }], { finishReason: word }), target());
    expect(candidates[0]?.finish.reason).toBe(reason);
  });
  test('metadata of an answer reaches callers of this protocol', () => {
    const metadata = {
      safetyRatings: [{ category: 'C', probability: 'LOW', blocked: false }],
      citationMetadata: {
        citations: [{ startIndex: 0, endIndex: 1, uri: 'u', publicationDate: { year: 2024, month: 5, day: 1 } }],
      },
      groundingMetadata: { webSearchQueries: ['q'], searchEntryPoint: { renderedContent: 'x' } },
      urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'u', urlRetrievalStatus: 'OK' }] },
      avgLogprobs: -0.5,
    };
    const decoded = client.decodeAnswer(whole([{ text: 'é' }], metadata), target());
    expect(firstCandidate(server.encodeAnswer(decoded, context()).body)).toMatchObject(metadata);
    expect(encodeEvents(unfold(decoded)).at(-1)).toMatchObject({ candidates: [metadata] });
    expect(decoded.usage.webSearch).toBe(1);
    expect(decoded.candidates[0]?.blocks[0]).toMatchObject({ citations: [{ kind: 'web', url: 'u', from: 0, to: 1 }] });
  });
  test('sources count from the part they name, also if thoughts and calls come before it', () => {
    const segment = { partIndex: 3, startIndex: 0, endIndex: 5 };
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'u' } }],
      groundingSupports: [{ segment, groundingChunkIndices: [0] }],
    };
    const parts = [
      { text: 'hm', thought: true },
      { text: 'Grüße ' },
      { functionCall: { name: 'f' } },
      { text: 'world' },
    ];
    const { candidates } = client.decodeAnswer(whole(parts, { groundingMetadata }), target());
    const [, before, , cited] = candidates[0]?.blocks ?? [];
    expect(before).not.toHaveProperty('citations');
    expect(cited).toMatchObject({ text: 'world', citations: [{ url: 'u', from: 0, to: 5 }] });
  });
  test('a blocked prompt is an answer; one without an end or with an error is not', () => {
    const blocked = client.decodeAnswer({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: {} }, target());
    expect(blocked).toMatchObject({ candidates: [], promptBlocked: { reason: 'SAFETY' } });
    expect(() => client.decodeAnswer({ candidates: [candidate([{ text: 'x' }])] }, target())).toThrow('reason to stop');
    expect(() => client.decodeAnswer([{ error: { code: 503, message: 'x' } }], target())).toThrow('overloaded');
    expect(() => client.decodeAnswer('x', target())).toThrow('not an object');
  });
});

describe('usage', () => {
  test('candidates exclude thoughts, the prompt includes cached tokens', () => {
    const wire = {
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 30,
      thoughtsTokenCount: 20,
      toolUsePromptTokenCount: 7,
      totalTokenCount: 157,
    };
    const usage = readUsage(wire, target());
    expect(usage).toEqual({ prompt: 60, inputCacheRead: 40, completion: 30, internalReasoning: 20, toolUsePrompt: 7 });
    expect(writeUsage(usage)).toEqual(wire);
  });
  test('documents count as images on the newest generation', () => {
    const wire = {
      promptTokenCount: 30,
      candidatesTokenCount: 12,
      totalTokenCount: 42,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 10 },
        { modality: 'DOCUMENT', tokenCount: 20 },
      ],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 12 }],
    };
    expect(readUsage(wire, target())).toEqual({ prompt: 10, inputImage: 20, completion: 0, outputImage: 12 });
    const older = readUsage(wire, target('gemini', 'budget'));
    expect(older).toMatchObject({ prompt: 10, inputDocument: 20 });
    expect(writeUsage(older)).toEqual(wire);
  });
});

describe('failures of an upstream', () => {
  test.each([
    [
      400,
      { error: { message: 'bad', details: [{ fieldViolations: [{ field: 'contents' }] }] } },
      { kind: 'refused', message: 'bad', field: 'contents' },
    ],
    [400, [{ error: { message: 'bad' } }], { kind: 'refused', message: 'bad' }],
    [400, { error: { details: [{ reason: 'API_KEY_INVALID' }] } }, { kind: 'upstream-broken' }],
    [400, { error: { status: 'FAILED_PRECONDITION' } }, { kind: 'upstream-broken' }],
    [403, { error: { message: 'secret' } }, { kind: 'upstream-broken' }],
    [404, undefined, { kind: 'upstream-broken' }],
    [429, { error: { details: [{ retryDelay: '1.5s' }] } }, { kind: 'upstream-over-rate', retryAfterMs: 1500 }],
    [503, undefined, { kind: 'upstream-overloaded' }],
    [504, undefined, { kind: 'upstream-timeout' }],
  ] as [number, Json | undefined, object][])('%i %j', (status, body, fault) => {
    expect(decodeFault(status, body)).toMatchObject(fault);
    expect(JSON.stringify(decodeFault(status, body))).not.toContain('secret');
  });
});
