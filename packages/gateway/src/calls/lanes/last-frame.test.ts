// Generate content has no last frame: the chunk that may be the last one waits for what follows it.
import { type AnswerContext, findDialect } from '@trivium/protocol/dialects';
import { describe, expect, test } from 'vitest';
import type { TextTarget } from '../../kernel/target.ts';
import { TranslatedStream } from './translated.ts';
import type { StreamTranslator } from './translator.ts';
import { VerbatimStream } from './verbatim.ts';

const LIMITS = { eventLength: 1000, jsonDepth: 64 };
const dialect = findDialect('google-generate')!;
const target = {
  dialect,
  facts: { quirks: dialect.quirks({}), sealOwner: { dialect: dialect.id, family: 'f' }, model: { thinking: {} } },
} as unknown as TextTarget;

const contextOf = (more: object): AnswerContext => ({
  requestId: 'r',
  model: 'm',
  createdAtSeconds: 1,
  responseOptions: { usageInStream: true, withCost: false, hideReasoning: false, logprobs: false, ...more },
});
const frame = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;
const chunk = (text: string, more: object = {}): string =>
  frame({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...more }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  });
const END = { finishReason: 'STOP' };
/** The texts the caller gets of it. */
const textsIn = (out: string): string[] => [...out.matchAll(/"text":"([^"]+)"/g)].map(([, text]) => text ?? '');

describe.each([
  ['verbatim', VerbatimStream],
  ['translated', TranslatedStream],
])('a stream on the %s lane', (_lane, Stream) => {
  const open = (more: object = {}): StreamTranslator => new Stream(dialect, contextOf(more), target, LIMITS);

  test('is whole once its candidate has ended, and its finish goes out with the end', () => {
    const stream = open();
    expect(textsIn(stream.push(chunk('a')))).toEqual(['a']);
    expect(stream.isWhole).toBe(false);
    expect(stream.push(chunk('b', END))).not.toContain('finishReason');
    expect([stream.isWhole, stream.over]).toEqual([true, undefined]);
    expect(stream.push(frame({ usageMetadata: { promptTokenCount: 1 } }))).toBe('');
    expect(stream.end()).toContain('finishReason');
    expect(stream.fault).toBeUndefined();
  });

  test('goes on after a finish, in order', () => {
    const stream = open();
    const out = stream.push(chunk('a', END)) + stream.push(chunk('b')) + stream.push(chunk('c', END)) + stream.end();
    expect(textsIn(out)).toEqual(['a', 'b', 'c']);
    expect(stream.fault).toBeUndefined();
  });

  test.each([
    ['a frame that is no JSON', 'data: {\n\n'],
    ['an error', frame({ error: { code: 500, message: 'late' } })],
    ['an endless line', 'x'.repeat(2000)],
  ])('that is whole is not spoilt by %s', (_what, junk) => {
    const stream = open();
    const out = stream.push(chunk('a', END)) + stream.push(junk);
    expect(out).toContain('finishReason');
    expect([stream.over, stream.fault]).toEqual(['ended', undefined]);
    expect(stream.end()).toBe('');
  });

  test('is not whole while another candidate may begin', () => {
    const stream = open({ severalCandidates: true });
    stream.push(chunk('a', END));
    expect(stream.isWhole).toBe(false);
    stream.push(chunk('b', { ...END, index: 1 }));
    expect(stream.end()).toContain('"index":1');
  });
});
