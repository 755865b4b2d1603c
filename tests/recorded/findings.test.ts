/** Defects found by recorded traffic, one by one: the shape that showed each, and its correct meaning. */
import type { Fault, Json, JsonObject, TextAnswer } from '@trivium/protocol/canonical';
import { describe, expect, test } from 'vitest';
import { VerbatimStream } from '../../packages/gateway/src/calls/lanes/verbatim.ts';
import { factsOfHost } from '../../scripts/recorded/host-facts.ts';
import {
  attempt,
  dialectOf,
  isRefused,
  readStream,
  recordedContext,
  recordedHead,
  type StreamReading,
} from '../../scripts/recorded/judge.ts';
import { targetOf } from '../laws/fixture-set.ts';
import { dressed } from './dress.ts';
import { dressedFrames, wireText } from './dress-stream.ts';
import { type Shape, shapes, shapesFound } from './shape-set.ts';

const factsOf = ({ vendor, dialect }: Shape) => factsOfHost(vendor, dialect);
const one = (finding: string, kind: Shape['kind']): Shape => {
  const found = shapesFound(finding).find((shape) => shape.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} shows ${finding}`);
  return found;
};
const answerOf = (shape: Shape): TextAnswer =>
  dialectOf(shape.dialect).client.decodeAnswer(dressed(shape), factsOf(shape));
const streamOf = (shape: Shape): StreamReading =>
  readStream(wireText(dressedFrames(shape)), dialectOf(shape.dialect), factsOf(shape));
const faultOf = (shape: Shape, body: Json = dressed(shape)): Fault =>
  dialectOf(shape.dialect).client.decodeFault(shape.status, body);
const blocksOf = ({ candidates }: TextAnswer) => candidates.flatMap(({ blocks }) => blocks);
function relayed(shape: Shape): { readonly pump: VerbatimStream; readonly out: string } {
  const dialect = dialectOf(shape.dialect);
  const limits = { eventLength: 1_000_000, jsonDepth: 64 };
  const pump = new VerbatimStream(dialect, recordedContext, { ...targetOf(factsOf(shape)), dialect }, limits);
  return { pump, out: pump.push(wireText(dressedFrames(shape))) + pump.end() };
}

test('D1: the usage of every pass of an answer counts, a compacting pass included', () => {
  const [whole, paused] = shapesFound('D1').filter(({ kind }) => kind === 'response');
  if (whole === undefined || paused === undefined) throw new Error('D1 is gone');
  expect(answerOf(whole).usage).toMatchObject({ prompt: 99_195 + 162, completion: 81 + 11 });
  expect(answerOf(paused).usage).toMatchObject({ prompt: 83_555, completion: 139 });
  expect(answerOf(paused).candidates[0]?.finish.reason).toBe('pause');
  const advised = shapes.find(({ id }) => id === 'messages-077');
  if (advised === undefined) throw new Error('messages-077 is gone');
  expect(answerOf(advised).usage).toMatchObject({
    prompt: 1128 + 2518 + 1262,
    completion: 110 + 22 + 11 - 28,
    internalReasoning: 28,
  });
});

describe('D1b: no field or beta that changes the price passes unpriced', () => {
  const ask = (
    id: string,
    more: JsonObject,
    betas = '',
  ): ReturnType<typeof attempt<{ edits: unknown; losses: string[]; headers: unknown; extras: unknown }>> =>
    attempt(() => {
      const bodies: Readonly<Record<string, JsonObject>> = {
        'anthropic-messages': { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] },
        'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
        'openai-responses': { model: 'm', input: 'hi' },
      };
      const head = {
        ...recordedHead('m'),
        header: (name: string) => (name === 'anthropic-beta' ? betas : recordedHead('m').header(name)),
      };
      const read = dialectOf(id).server.understand({ ...bodies[id], ...more }, head);
      const lane = read.verbatim(factsOfHost('none', id));
      return {
        edits:
          'edits' in lane
            ? lane.edits.filter((edit) => 'value' in edit && edit.value === undefined).map(({ name }) => name)
            : lane.why,
        losses: read.losses.map(({ path }) => path),
        headers: read.passHeaders,
        extras: read.call().extras[dialectOf(id).id],
      };
    });

  test.each<[string, JsonObject]>([
    ['anthropic-messages', { speed: 'fast' }],
    ['anthropic-messages', { fallback_credit_token: 'credit_1' }],
    ['openai-chat', { prompt_cache_options: { ttl: '12h' } }],
    ['openai-responses', { prompt_cache_options: { ttl: '12h' } }],
    ['openai-responses', { access_programs: {} }],
    ['anthropic-messages', { fallbacks: [{ model: 'claude-opus-4-8' }] }],
    ['openai-chat', { route: 'fallback' }],
    ['openai-chat', { plugins: [{ id: 'web' }] }],
    ['openai-chat', { search_parameters: { mode: 'on' } }],
    ['openai-responses', { models: ['a/b'] }],
    ['openai-responses', { plugins: [{ id: 'web' }] }],
  ])('D1b: %s: %j is removed, with a loss, on both lanes', (id, more) => {
    const asked = ask(id, more);
    const [name] = Object.keys(more);
    expect(asked).toMatchObject({ edits: expect.arrayContaining([name]), losses: [name] });
    expect(JSON.stringify(('extras' in asked && asked.extras) || {})).not.toContain(name);
  });

  test.each<[string, JsonObject]>([
    ['anthropic-messages', { inference_geo: 'us' }],
    ['anthropic-messages', { container: 'container_1' }],
    ['anthropic-messages', { thread: { type: 'continue', previous_message_id: 'msg_1' } }],
    ['anthropic-messages', { tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-8' }] }],
    ['openai-chat', { preset: '@preset/mine' }],
    ['openai-responses', { preset: '@preset/mine' }],
  ])('D1b: %s: %j is refused', (id, more) => {
    expect(ask(id, more)).toMatchObject({ fault: { kind: 'unsupported' } });
  });

  test('D1b: fields that cost nothing pass, and so do those with reported usage', () => {
    expect(ask('anthropic-messages', { inference_geo: 'global' })).toMatchObject({ losses: [], edits: [] });
    const edits = [{ type: 'compact_20260112' }];
    expect(ask('anthropic-messages', { context_management: { edits } }, 'compact-2026-01-12')).toMatchObject({
      losses: [],
      edits: [],
      headers: [['anthropic-beta', 'compact-2026-01-12']],
    });
  });

  test('D1b: the beta of a more expensive service is removed, others pass', () => {
    expect(ask('anthropic-messages', {}, 'fast-mode-2026-02-01, foo-2030')).toMatchObject({
      losses: ['anthropic-beta'],
      headers: [['anthropic-beta', 'foo-2030']],
    });
  });
});

test.each(shapesFound('D2'))('D2: parts are matched by item, so no text comes twice: $vendor', (shape) => {
  const frames = dressedFrames(shape).filter((frame) => 'data' in frame && frame.data.includes('output_text.delta'));
  const said = blocksOf(streamOf(shape).answer).flatMap((block) => (block.kind === 'text' ? [block.text] : []));
  expect(said.join('')).toBe('words'.repeat(frames.length));
  expect(said.length).toBe(shape.vendor === 'amazon-bedrock' ? 1 : 2);
});

test('D3: a cached document that is reported as images is subtracted once', () => {
  expect(answerOf(one('D3', 'response')).usage).toEqual({
    prompt: 3,
    inputDocument: 67,
    inputCacheRead: 1274,
    completion: 99,
    internalReasoning: 74,
  });
});

test('D4: cache reads do not count as cache writes', () => {
  expect(answerOf(one('D4', 'response')).usage).toMatchObject({ prompt: 0, inputCacheRead: 2161, inputCacheWrite: 7 });
});

test('D5: audio tokens that are reported beside the prompt are not subtracted from it', () => {
  expect(answerOf(one('D5', 'response')).usage).toMatchObject({ prompt: 9, inputAudio: 375, completion: 248 });
});

test('D6: the total decides whether cached tokens are part of the prompt', () => {
  expect(answerOf(one('D6', 'response')).usage).toMatchObject({ prompt: 0, inputCacheRead: 10, completion: 213 });
});

test('D7: a filtered choice without a message is a filtered answer, and is charged', () => {
  const shape = one('D7', 'response');
  const { candidates, usage } = answerOf(shape);
  expect(candidates).toMatchObject([{ blocks: [], finish: { reason: 'filter' } }]);
  expect(usage.completion).toBe(19);
  const { patch } = dialectOf('openai-chat').verbatim.answer(dressed(shape), recordedContext, factsOf(shape));
  expect(JSON.stringify(patch)).toContain('content_filter');
});

test('D8 and D16: an error inside a 200 keeps its own status', () => {
  const inside = attempt(() => answerOf(one('D8', 'response')));
  expect(inside).toMatchObject({ fault: { kind: 'refused', code: 'content_filter', message: 'words' } });
  expect(streamOf(one('D16', 'stream')).fault).toMatchObject({ kind: 'refused', code: 'tool_use_failed' });
});

test('D9: a model that the upstream does not know is the gateway’s failure, whatever the status', () => {
  expect(faultOf(one('D9', 'error'))).toEqual({
    kind: 'upstream-broken',
    message: 'The upstream provider failed to answer.',
  });
});

test('D10: an error that is a plain sentence is read, and a wrong upstream key is the gateway’s failure', () => {
  const shape = one('D10', 'error');
  expect(faultOf(shape, { code: 'invalid-argument', error: 'Incorrect API key provided: xai-***. Get one.' })).toEqual({
    kind: 'upstream-broken',
    message: 'The upstream provider failed to answer.',
  });
  expect(faultOf(shape)).toMatchObject({ kind: 'refused', message: 'words', code: 'invalid-argument' });
});

test.each(shapesFound('D11'))('D11: a stream with an end marker has ended: $vendor', (shape) => {
  const { answer, fault, events } = streamOf(shape);
  expect(fault).toBeUndefined();
  const called = blocksOf(answer).some(({ kind }) => kind === 'tool-call');
  expect(answer.candidates[0]?.finish.reason).toBe(called ? 'tool-call' : 'stop');
  expect(events.at(-1)?.type).toBe('answer-end');
  const { pump, out } = relayed(shape);
  expect(pump.fault).toBeUndefined();
  expect(out).toContain(`"finish_reason":"${called ? 'tool_calls' : 'stop'}"`);
  expect(out.trimEnd().endsWith('data: [DONE]')).toBe(true);
});

test('D11: a stream that is cut before its end marker has not ended', () => {
  const shape = one('D11', 'stream');
  const text = wireText(dressedFrames(shape)).replace('data: [DONE]\n\n', '');
  expect(readStream(text, dialectOf(shape.dialect), factsOf(shape)).fault?.kind).toBe('upstream-broken');
});

test('D12: a whole answer has ended, with or without a finish reason', () => {
  expect(answerOf(one('D12', 'response')).candidates[0]?.finish).toMatchObject({ reason: 'stop' });
});

test('D13: the kind of a call is its type', () => {
  const calls = blocksOf(answerOf(one('D13', 'response'))).filter(({ kind }) => kind === 'tool-call');
  expect(calls).toMatchObject([{ name: 'tool_0', form: 'function', argumentsJson: '{"key":"value"}' }]);
});

test('D14: content that is an object is passed on as its text', () => {
  const [text] = blocksOf(answerOf(one('D14', 'response')));
  if (text?.kind !== 'text') throw new Error('there is no text');
  expect(JSON.parse(text.text)).toHaveProperty('title');
});

test('D15: citations that come before their text wait for it', () => {
  const [text] = blocksOf(streamOf(one('D15', 'stream')).answer);
  expect(text).toMatchObject({
    kind: 'text',
    citations: expect.arrayContaining([expect.objectContaining({ kind: 'web' })]),
  });
});

test('D17: the usage until a failure counts', () => {
  const shape = one('D17', 'stream');
  const { answer, fault } = streamOf(shape);
  expect(fault?.kind).toBe('refused');
  expect(answer.usage).toMatchObject({ prompt: 43, completion: 0, internalReasoning: 10 });
  expect(relayed(shape).pump.meter.reading.usage).toEqual(answer.usage);
});

test('D18: the last usage report is complete; earlier counts do not fill it in', () => {
  expect(streamOf(one('D18', 'stream')).answer.usage).toMatchObject({
    prompt: 87,
    completion: 0,
    internalReasoning: 78,
  });
});

test('D19: two answers in one stream are a fault, not one answer', () => {
  const shape = one('D19', 'stream');
  expect(streamOf(shape).fault).toMatchObject({
    kind: 'upstream-broken',
    message: expect.stringContaining('another answer'),
  });
  expect(relayed(shape).pump.fault?.kind).toBe('upstream-broken');
});

test('a filter in front of the model gives a filtered answer', () => {
  const filtered = shapes.find(({ id }) => id === 'generate-111');
  if (filtered === undefined) throw new Error('generate-111 is gone');
  expect(answerOf(filtered).candidates[0]?.finish).toMatchObject({ reason: 'filter', raw: 'MODEL_ARMOR' });
  const { patch } = dialectOf('google-generate').verbatim.answer(dressed(filtered), recordedContext, factsOf(filtered));
  expect(JSON.stringify(patch)).toContain('FINISH_REASON_SAFETY');
});

test('vendors’ errors are read without a throw', () => {
  for (const shape of shapes.filter(({ kind }) => kind === 'error')) {
    const id = shape.dialect
      .replace('anthropic-count', 'anthropic-messages')
      .replace(/google-(count|embed)/, 'google-generate')
      .replace(/openai-(embeddings|images)/, 'openai-chat');
    expect(dialectOf(id).client.decodeFault(shape.status, dressed(shape)).message, shape.id).not.toBe('');
  }
  expect(isRefused({ fault: {} })).toBe(true);
});
