import { describe, expect, test } from 'vitest';
import { MEMORY_FACTOR } from '../../kernel/memory.ts';
import { MemoryBook } from './memory-book.ts';

const MB = 1_000_000;
/** Answers get room in steps of a little more than one MB. */
const STEP = 16 * 65_536;

function open(memoryBytes: number, answerBytes = 1000 * MB) {
  const book = new MemoryBook(() => ({ memoryBytes, answerBytes }));
  const log: string[] = [];
  const answer = (name: string, accountId = 'a') => book.answer(accountId, { hasRoom: () => void log.push(name) });
  return { book, log, answer };
}

describe('answers', () => {
  test('count six times their length in steps, and twice from the time they are the caller\u2019s to read', () => {
    const { book, answer } = open(100 * MB);
    const one = answer('one');
    expect([one.hold(70_000), book.held.answer]).toEqual([true, STEP]);
    expect([one.hold(MB), book.held.answer]).toEqual([true, STEP + Math.max(STEP, MEMORY_FACTOR.answer * MB - STEP)]);
    one.handOver(MB);
    expect(book.held).toMatchObject({ answer: 0, unread: MEMORY_FACTOR.unread * MB });
    one.release();
    one.release();
    expect(book.total).toBe(0);
  });

  test('an answer alone is never stopped, whatever its length', () => {
    const { book, answer } = open(10 * MB);
    const one = answer('one');
    for (let length = MB; length <= 64 * MB; length += MB) expect(one.hold(length)).toBe(true);
    one.release();
    expect(book.total).toBe(0);
  });

  test('beyond the share of an account one may go on at a time, the others wait for it in their order', () => {
    const { book, log, answer } = open(30 * MB);
    const all = ['first', 'second', 'third', 'fourth'].map((name) => answer(name));
    const [first, second, third, fourth] = all;
    expect(all.map((each) => each.hold(500_000))).toEqual([true, true, true, true]);
    expect(first?.hold(9 * MB)).toBe(true);
    expect([second?.hold(2 * MB), third?.hold(2 * MB), fourth?.hold(2 * MB)]).toEqual([false, false, false]);
    expect([book.waiting, log]).toEqual([3, []]);
    first?.release();
    expect(log[0]).toBe('second');
    second?.release();
    third?.release();
    expect(log).toEqual(['second', 'third', 'fourth']);
    fourth?.release();
    expect([book.total, book.waiting]).toEqual([0, 0]);
  });

  test('accounts take turns, so that one with many answers does not delay one with few', () => {
    const { book, log, answer } = open(12 * MB);
    const filling = book.enter('filling');
    book.add(filling, 'body', 8 * MB);
    const privileged = answer('privileged', 'z');
    expect(privileged.hold(MB)).toBe(true);
    const many = ['a1', 'a2', 'a3'].map((name) => answer(name, 'a'));
    const few = answer('b1', 'b');
    expect([...many, few].map((each) => each.hold(100_000))).toEqual([false, false, false, false]);
    book.give(filling, 'body', 8 * MB);
    expect(log).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  test('answers that wait for each other are finished one after another', () => {
    const { book, log, answer } = open(8 * MB);
    const names = ['1', '2', '3', '4', '5', '6'];
    const all = new Map(names.map((name) => [name, answer(name, `account ${name}`)]));
    const length = new Map(names.map((name) => [name, 0]));
    const runnable = [...names];
    const finished: string[] = [];
    let peak = 0;
    while (finished.length < names.length) {
      const name = runnable.shift();
      if (name === undefined) throw new Error('all of them wait');
      const reached = (length.get(name) ?? 0) + 65_536;
      length.set(name, reached);
      const goesOn = all.get(name)?.hold(reached) === true;
      peak = Math.max(peak, book.total);
      if (reached > 2 * MB) {
        all.get(name)?.complete();
        all.get(name)?.release();
        finished.push(name);
      } else if (goesOn) runnable.push(name);
      runnable.push(...log.splice(0).filter((woken) => !finished.includes(woken)));
    }
    // The limit, and one answer beyond it.
    expect(peak).toBeLessThan(8 * MB + (MEMORY_FACTOR.answer + 0.5) * 2 * MB);
    expect([book.total, book.waiting]).toEqual([0, 0]);
  });

  test('while much is unread, an answer waits for its readers rather than going beyond the rest', () => {
    const { book, log, answer } = open(9 * MB);
    const read = book.count('reader', 'unread', 3.2 * MB);
    const one = answer('one');
    expect([one.hold(100_000), book.waiting]).toEqual([false, 1]);
    read();
    read();
    expect(log).toEqual(['one']);
    one.release();
    expect(book.total).toBe(0);
  });

  test('one that is given up no longer waits, and passes on its right to go beyond the rest', () => {
    const { book, log, answer } = open(3 * MB);
    const [one, two, three] = [answer('one'), answer('two', 'b'), answer('three', 'c')];
    expect([one.hold(MB), two.hold(MB), three.hold(MB)]).toEqual([true, false, false]);
    two.release();
    one.release();
    expect(log).toEqual(['three']);
    three.release();
    expect([book.total, book.waiting]).toEqual([0, 0]);
  });

  test('a stream that has passed on what it held back holds nothing', () => {
    const { book, answer } = open(100 * MB);
    const stream = answer('stream');
    stream.hold(MB);
    expect([stream.hold(0), book.total]).toEqual([true, 0]);
    stream.release();
  });
});

test('new work finds room beside the one answer that went beyond the rest', () => {
  const { book, answer } = open(30 * MB, 4 * MB);
  const privileged = answer('privileged');
  const other = answer('other');
  other.hold(2 * MB);
  for (let length = MB; length <= 10 * MB; length += MB) expect(privileged.hold(length)).toBe(true);
  expect(book.total).toBeGreaterThan(30 * MB);
  const victim = book.enter('victim');
  expect(book.take(victim, 'body', 4000, 0)).toBeUndefined();
  expect(book.take(book.enter('a'), 'body', 4000, 0)).toBe('share');
});

test('what may be dropped is kept only while there is room', () => {
  const { book } = open(1000, 0);
  expect([book.keep('capture', 600), book.keep('capture', 600)]).toEqual([true, false]);
  book.drop('capture', 600);
  expect(book.keep('capture', 600)).toBe(true);
  expect([book.total, book.busy]).toEqual([600, 0]);
});

test('a bound at its maximum refuses nothing', () => {
  const { book, answer } = open(1024 * 1024 * 1_048_576, 64 * MB);
  const account = book.enter('a');
  for (let body = 0; body < 1000; body++) expect(book.take(account, 'body', 128 * MB, 0)).toBeUndefined();
  const all = Array.from({ length: 100 }, (_, index) => answer(String(index)));
  for (const each of all) expect(each.hold(64 * MB)).toBe(true);
});
