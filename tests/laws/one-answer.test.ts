/** Whatever hosts do: callers get one answer or one error, and no other host is tried once content has been relayed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_ATTEMPTS, run, type Script } from '../leaks/tripwire.ts';

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'u', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const COMMENT = ': wait\n\n';
const HEAD = chunk({ role: 'assistant', content: '' });
const CONTENT = chunk({ content: 'Hello' });
const ERROR = 'data: {"error":{"message":"no","code":500}}\n\n';
const BROKEN = 'data: {"choices"\n\n';
const END = `${chunk({}, 'stop')}data: [DONE]\n\n`;

const answer = fc.record({
  status: fc.constantFrom(200, 200, 200, 200, 500, 503, 429, 400),
  pieces: fc.array(fc.constantFrom(COMMENT, HEAD, CONTENT, ERROR, BROKEN, END), { maxLength: 6 }),
});
const script = fc.tuple(answer, fc.array(answer, { maxLength: 4 }), fc.boolean()).map(
  ([first, others, slowCaller]): Script => ({
    ...saying('host0', first),
    others: others.map((other, index) => saying(`host${index + 1}`, other)),
    slowCaller,
    body: JSON.stringify({ model: 'maker/model', messages: [{ role: 'user', content: 'Hi' }], stream: true }),
    ledger: 'sync',
  }),
);

/** Every host answers with its own name, so that mixed answers are detected. */
const saying = <A extends Pick<Script, 'status' | 'pieces'>>(name: string, said: A): A => ({
  ...said,
  pieces: said.pieces.map((piece) => piece.replace('Hello', name)),
});

const countOf = (calls: readonly string[], name: string): number => calls.filter((call) => call === name).length;

describe('a stream', () => {
  test('a stream tries no other host after its first content, and makes at most three attempts', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (given) => {
        const { calls, records } = await run(given);
        const firstWrite = calls.indexOf('reply.write');
        const sends = countOf(calls, 'upstream.send');
        expect(sends).toBeLessThanOrEqual(MAX_ATTEMPTS);
        if (firstWrite >= 0) expect(countOf(calls.slice(firstWrite), 'upstream.send')).toBe(0);
        expect(records).toHaveLength(1);
        expect(records[0]?.attempts).toHaveLength(sends);
      }),
      { numRuns: 60 },
    );
  });
  test('a stream is opened at most once, and ends in exactly one way', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (given) => {
        const { calls, written, finished, cut, error } = await run(given);
        const isOpen = countOf(calls, 'reply.open');
        expect(isOpen).toBeLessThanOrEqual(1);
        expect([finished, cut, error !== undefined].filter(Boolean)).toHaveLength(1);
        expect(new Set(written.match(/host\d/g)).size).toBeLessThanOrEqual(1);
        if (isOpen === 0) expect(written).toBe('');
      }),
      { numRuns: 60 },
    );
  });
});
