import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { fold } from '../../stream/fold.ts';
import type { Frame } from '../dialect.ts';
import { candidate, chunk, context, decodeChunks, firstCandidate, target, whole } from './answer.fixture.ts';
import { googleGenerate } from './index.ts';

describe('the verbatim lane', () => {
  const apply = (
    body: JsonObject,
    reading: ReturnType<typeof googleGenerate.verbatim.answer>,
  ): JsonObject | undefined => {
    if (reading.patch.kind === 'drop') return undefined;
    const out: Record<string, Json> = { ...body };
    for (const edit of reading.patch.edits) {
      if (!('value' in edit)) throw new Error('renamed');
      if (edit.value === undefined) delete out[edit.name];
      else out[edit.name] = JSON.parse(edit.value);
    }
    return out;
  };
  const read = (body: JsonObject, own = context(), facts = target()) =>
    apply(body, googleGenerate.verbatim.answer(body, own, facts));

  test('only the members in the table change in a complete answer', () => {
    const body = whole(
      [
        { text: 'a', unknown: 1 },
        { functionCall: { name: 'f', args: {} }, thoughtSignature: 'c2ln' },
      ],
      { avgLogprobs: -1 },
    );
    expect(read(body, context({ bareEnums: true }))).toEqual({
      ...body,
      responseId: 'req1',
      modelVersion: 'google/m',
      createTime: '2023-11-14T22:13:20.000Z',
    });
    expect(firstCandidate(read(body) ?? {})).toEqual({ ...firstCandidate(body), finishReason: 'FINISH_REASON_STOP' });
  });
  test('missing members are added and surplus ones removed', () => {
    const body: JsonObject = {
      candidates: [
        {
          content: { parts: [{ text: 't', thought: true }, { text: 'a' }] },
          finishReason: 'weird',
          logprobsResult: {},
        },
      ],
      promptFeedback: {},
    };
    const out = read(body, context({ hideReasoning: true })) ?? {};
    expect(firstCandidate(out)).toEqual({
      content: { role: 'model', parts: [{ text: 'a' }] },
      finishReason: 'FINISH_REASON_OTHER',
      index: 0,
    });
    expect(out).not.toHaveProperty('promptFeedback');
    expect(firstCandidate(read({ candidates: [{ finishReason: 'SAFETY' }] }) ?? {})['content']).toEqual({
      role: 'model',
      parts: [],
    });
  });
  test('signatures of another vendor are sent in an envelope', () => {
    const body = whole([{ text: 'a', thoughtSignature: 'c2ln' }]);
    expect(firstCandidate(read(body, context(), target('other')) ?? {})).toMatchObject({
      content: { parts: [{ thoughtSignature: 'RU5W' }] },
    });
  });
  test('an answer without an end is a failure', () => {
    expect(() => read({ candidates: [candidate([{ text: 'x' }])] })).toThrow('reason to stop');
    expect(() => read({})).toThrow('reason to stop');
  });

  const relay = (chunks: JsonObject[], own = context(), facts = target()) => {
    const frames = googleGenerate.verbatim.frames(own, facts);
    const out: JsonObject[] = [];
    let usage = {};
    for (const each of chunks) {
      const reading = frames.read({ data: JSON.stringify(each) });
      usage = { ...usage, ...reading.usage };
      if (reading.fault !== undefined) return { out, usage, fault: reading.fault };
      const written = apply(each, reading);
      if (written !== undefined) out.push(written);
    }
    const { frames: last, fault } = frames.end();
    out.push(...last.map((frame: Frame) => JSON.parse(frame.data)));
    return { out, usage, fault };
  };
  const chunks = [
    { candidates: [{ content: { parts: [{ text: 'th', thought: true }] } }] },
    chunk([{ text: 'a' }], { finishReason: '' }),
    chunk([{ text: 'b' }], {}, { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 } }),
    { candidates: [{ finishReason: 'STOP' }], responseId: 'r' },
    { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 } },
  ];
  test('chunks are complete, the last with the final counts', () => {
    const { out, fault, usage } = relay(chunks, context({ hideReasoning: true }));
    expect(fault).toBeUndefined();
    expect(out).toHaveLength(3);
    for (const each of out) {
      expect(each).toMatchObject({ responseId: 'req1', modelVersion: 'google/m' });
      expect(firstCandidate(each)).toMatchObject({ index: 0, content: { role: 'model', parts: [expect.any(Object)] } });
    }
    expect(out.slice(0, 2).some((each) => 'finishReason' in firstCandidate(each))).toBe(false);
    expect(out[2]).toMatchObject({
      candidates: [
        { content: { parts: [{ text: '' }] }, finishReason: 'FINISH_REASON_STOP', finishMessage: expect.any(String) },
      ],
      usageMetadata: { totalTokenCount: 5 },
    });
    expect(usage).toEqual({ prompt: 3, completion: 2 });
  });
  test('parts of every kind pass unchanged', () => {
    const parts = [
      {
        inlineData: { mimeType: 'image/png', data: 'QUJD', displayName: 'd' },
        mediaResolution: { level: 'LOW', numTokens: 3 },
      },
      { fileData: { mimeType: 'image/png', fileUri: 'u', displayName: 'd' } },
      {
        functionCall: {
          name: 'f',
          partialArgs: [{ jsonPath: '$.a', stringValue: 'x', willContinue: true }],
          willContinue: true,
        },
      },
      { functionResponse: { id: 'i', name: 'f', response: {}, parts: [], scheduling: 'SILENT', willContinue: false } },
      { executableCode: { language: 'PYTHON', code: '1' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
    ];
    const groundingMetadata = { webSearchQueries: ['q'], retrievalQueries: [], googleMapsWidgetContextToken: 't' };
    const { out } = relay([chunk(parts, { groundingMetadata })]);
    expect(firstCandidate(out[0] ?? {})).toEqual(candidate(parts, { groundingMetadata }));
  });
  test('metering agrees with the decoder', () => {
    expect(relay(chunks).usage).toEqual(fold(decodeChunks(chunks)).usage);
  });
  test('a stream cut before its end is a failure', () => {
    for (let length = 0; length < 4; length++)
      expect(relay(chunks.slice(0, length)).fault).toMatchObject({ kind: 'upstream-broken' });
    expect(relay([...chunks.slice(0, 2), { error: { code: 500 } }]).fault).toMatchObject({ kind: 'upstream-broken' });
  });
  test('more candidates than any model returns are a failure', () => {
    const many = (length: number): JsonObject[] =>
      Array.from({ length }, (_, index) =>
        chunk([{ text: 'a' }], { index, finishReason: 'STOP' }, { usageMetadata: {} }),
      );
    expect(relay(many(64)).out).toHaveLength(64);
    expect(() => relay(many(65))).toThrow('more than 64 candidates');
  });
  test('an end that is repeated without counts is held a limited number of times', () => {
    const again = (length: number): JsonObject[] => Array(length).fill(chunk([], { finishReason: 'STOP' }));
    expect(relay(again(64)).out).toHaveLength(64);
    expect(() => relay(again(65))).toThrow('more than 64 candidates');
  });
  test('feedback on a blocked prompt is sent once', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' } };
    const { out, fault } = relay([blocked, blocked]);
    expect(fault).toBeUndefined();
    expect(out).toMatchObject([{ promptFeedback: { blockReason: 'SAFETY' }, responseId: 'req1' }]);
  });
  test('feedback beside candidates is not sent', () => {
    const { out } = relay([chunk([{ text: 'a' }], {}, { promptFeedback: { safetyRatings: [] } })]);
    expect(out[0]).not.toHaveProperty('promptFeedback');
    expect(firstCandidate(out[0] ?? {})).toEqual(candidate([{ text: 'a' }]));
  });
  test('plain text can be learnt, nothing else', () => {
    const frames = googleGenerate.verbatim.frames(context(), target());
    const hole = (each: JsonObject) => frames.read({ data: JSON.stringify(each) }).hole;
    expect(hole(chunk([{ text: 'a' }]))).toEqual({ text: 'a', copies: 1 });
    expect(hole(chunk([{ text: 't', thought: true }]))).toEqual({ text: 't', copies: 1 });
    expect(hole(chunk([{ text: 'a', thoughtSignature: 'x' }]))).toBeUndefined();
    expect(hole(chunk([{ functionCall: { name: 'f' } }]))).toBeUndefined();
    expect(hole(chunk([{ text: 'a' }], { finishReason: 'STOP' }, { usageMetadata: {} }))).toBeUndefined();
  });
});
