import { describe, expect, test } from 'vitest';
import type { IdempotencyClaim, Reservation, StoredAnswer } from '../../kernel/idempotency.ts';
import { MemoryBook } from '../../money/limits/memory-book.ts';
import type { RepeatBounds } from './bounds.ts';
import { MemoryIdempotencyStore } from './memory-store.ts';

const BOUNDS: RepeatBounds = { maxAnswerBytes: 1000, maxEntries: 3, maxBytes: 10_000, ttlMs: 1000, waitMs: 50 };
const ANSWER: StoredAnswer = { status: 200, headers: [], body: 'hello', streamed: false, complete: true };

const longAnswer = (length: number): StoredAnswer => ({ ...ANSWER, body: 'x'.repeat(length) });

const request = (more: object = {}) => ({ accountId: 'a', key: 'k', content: 'body', requestId: 'r1', ...more });

function open(bounds: Partial<RepeatBounds> = {}, memoryBytes = 1_000_000) {
  let nowMs = 0;
  const book = new MemoryBook(() => ({ memoryBytes, answerBytes: 0 }));
  const repeats = new MemoryIdempotencyStore(
    () => ({ ...BOUNDS, ...bounds }),
    () => nowMs,
    book,
  );
  return { book, repeats, pass: (ms: number) => (nowMs += ms) };
}

function keepingOf(claim: IdempotencyClaim): Reservation {
  if (claim.kind !== 'first') throw new Error(`is ${claim.kind}`);
  return claim.keeping;
}

describe('MemoryIdempotencyStore', () => {
  test('returns the stored answer to a repeated request', async () => {
    const { repeats } = open();
    keepingOf(await repeats.claim(request())).keep(ANSWER);
    expect(await repeats.claim(request({ requestId: 'r2' }))).toEqual({ kind: 'kept', answer: ANSWER });
  });

  test('lets repeats wait for the first request', async () => {
    const { repeats } = open();
    const keeping = keepingOf(await repeats.claim(request()));
    const waiting = [repeats.claim(request()), repeats.claim(request())];
    keeping.keep(ANSWER);
    expect(await Promise.all(waiting)).toEqual([
      { kind: 'kept', answer: ANSWER },
      { kind: 'kept', answer: ANSWER },
    ]);
  });

  test('hands the key to exactly one waiting request when the first gives up', async () => {
    const { repeats } = open();
    const keeping = keepingOf(await repeats.claim(request()));
    const waiting = [repeats.claim(request()), repeats.claim(request())];
    keeping.forget();
    keepingOf(await Promise.race(waiting)).keep(ANSWER);
    expect((await Promise.all(waiting)).map(({ kind }) => kind).sort()).toEqual(['first', 'kept']);
  });

  test('does not wait forever', async () => {
    const { repeats } = open({ waitMs: 1 });
    await repeats.claim(request());
    await expect(repeats.claim(request())).rejects.toMatchObject({ fault: { kind: 'overloaded' } });
  });

  test('refuses different content under the same key, even while the first request runs', async () => {
    const { repeats } = open();
    await repeats.claim(request());
    expect(await repeats.claim(request({ content: 'other' }))).toEqual({ kind: 'other-content' });
  });

  test('names the request of an answer that was too long to store', async () => {
    const { repeats } = open();
    keepingOf(await repeats.claim(request())).tooLong();
    expect(await repeats.claim(request({ requestId: 'r2' }))).toEqual({ kind: 'too-long', requestId: 'r1' });
  });

  test('ignores a second result for the same reservation', async () => {
    const { repeats } = open();
    const keeping = keepingOf(await repeats.claim(request()));
    keeping.keep(ANSWER);
    keeping.forget();
    expect(await repeats.claim(request())).toMatchObject({ kind: 'kept' });
  });

  test('keeps accounts apart, whatever their names look like', async () => {
    const { repeats } = open();
    keepingOf(await repeats.claim(request({ accountId: 'a', key: 'b","c' }))).keep(ANSWER);
    expect(await repeats.claim(request({ accountId: 'a","b', key: 'c' }))).toMatchObject({ kind: 'first' });
  });

  test('forgets the answers of one account, and the memory they took', async () => {
    const { book, repeats } = open();
    for (const accountId of ['a', 'a","b', 'ab']) keepingOf(await repeats.claim(request({ accountId }))).keep(ANSWER);
    repeats.forgetAccount('a');
    expect(await repeats.claim(request())).toMatchObject({ kind: 'first' });
    for (const accountId of ['a","b', 'ab'])
      expect(await repeats.claim(request({ accountId }))).toMatchObject({ kind: 'kept' });
    expect(book.held.idempotency).toBe(repeats.bytes);
  });

  test('removes an answer after its time to live', async () => {
    const { repeats, pass } = open();
    keepingOf(await repeats.claim(request())).keep(ANSWER);
    pass(1000);
    expect(await repeats.claim(request())).toMatchObject({ kind: 'first' });
  });

  test('holds no more than its limits in number and bytes, and evicts the oldest first', async () => {
    const { repeats } = open({ maxBytes: 3000 });
    for (const key of ['1', '2', '3', '4']) keepingOf(await repeats.claim(request({ key }))).keep(ANSWER);
    expect(repeats.size).toBe(3);
    expect(await repeats.claim(request({ key: '2' }))).toMatchObject({ kind: 'kept' });
    keepingOf(await repeats.claim(request({ key: '5' }))).keep({ ...ANSWER, body: 'x'.repeat(500) });
    expect(repeats.bytes).toBeLessThanOrEqual(3000);
    expect(await repeats.claim(request({ key: '5' }))).toMatchObject({ kind: 'kept' });
    expect(await repeats.claim(request({ key: '2' }))).toMatchObject({ kind: 'first' });
  });

  test('a long body is stored as bytes, and returned as it was', async () => {
    const { book, repeats } = open();
    const body = `{"text":"${'ä'.repeat(4000)}${'x'.repeat(1000)}"}`;
    keepingOf(await repeats.claim(request())).keep({ ...ANSWER, body });
    expect(await repeats.claim(request())).toMatchObject({ kind: 'kept', answer: { body } });
    expect(book.held.idempotency).toBe(repeats.bytes);
    expect(repeats.bytes).toBe(512 + Buffer.byteLength(body));
  });

  test('stored answers give way to running requests, the oldest first', async () => {
    const { book, repeats } = open({ maxBytes: 100_000 }, 10_000);
    for (const key of ['1', '2', '3']) keepingOf(await repeats.claim(request({ key }))).keep(longAnswer(2000));
    expect(repeats.size).toBe(2);
    const account = book.enter('b');
    expect(book.take(account, 'body', 5000, 0)).toBeUndefined();
    expect(repeats.size).toBe(1);
    expect(await repeats.claim(request({ key: '3' }))).toMatchObject({ kind: 'kept' });
    expect(book.total).toBe(5000 + repeats.bytes);
  });

  test('an answer for which there is no memory is not stored, and its repeats say so', async () => {
    const { book, repeats } = open({}, 10_000);
    const account = book.enter('b');
    book.add(account, 'body', 9500);
    const keeping = keepingOf(await repeats.claim(request()));
    expect(keeping.hold?.(1000)).toBe(false);
    keeping.keep(longAnswer(500));
    expect(await repeats.claim(request({ requestId: 'r2' }))).toEqual({ kind: 'too-long', requestId: 'r1' });
    expect(book.total).toBe(9500);
  });

  test.each(['keep', 'tooLong', 'forget'] as const)('what was held while recording is released by %s', async (how) => {
    const { book, repeats } = open();
    const keeping = keepingOf(await repeats.claim(request()));
    expect([keeping.hold?.(70_000), keeping.hold?.(90_000)]).toEqual([true, true]);
    expect(book.held.idempotency).toBe(180_000);
    if (how === 'keep') keeping.keep(ANSWER);
    else keeping[how]();
    expect(book.held.idempotency).toBe(how === 'keep' ? repeats.bytes : 0);
  });
});
