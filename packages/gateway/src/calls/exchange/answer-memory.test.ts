/** Long answers and the account book of memory: they wait unread for room, and hold none once they are over. */
import { expect, test } from 'vitest';
import { MemoryBook } from '../../money/limits/memory-book.ts';
import { Exchange } from './exchange.ts';
import { admittedTo, LIMITS, targetOf, WAITS, WHOLE, World } from './stage.fixture.ts';

const MB = 1_000_000;

/** A call for a whole answer, while `heldBytes` of the memory wait to be read by others. */
function stage(heldBytes: number) {
  const world = new World();
  const book = new MemoryBook(() => ({ memoryBytes: 9 * MB, answerBytes: 64 * MB }));
  const others = book.enter('others');
  book.add(others, 'unread', heldBytes);
  const plan = ['one', 'two'].map((provider) => targetOf(provider));
  const { admitted, caller, outcomes } = admittedTo(world, plan, { stream: false });
  const ports = { ...world.ports, memory: book, limits: { ...LIMITS, answerLength: 64 * MB } };
  const settled = new Exchange(admitted, ports).run().then(
    () => 'resolved',
    (error) => `rejected ${error.fault?.kind ?? error.message}`,
  );
  const { listener } = world.calls[0]!;
  listener.onHead(200, () => undefined);
  const free = (): void => book.give(others, 'unread', heldBytes);
  return { world, book, caller, outcomes, settled, listener, free };
}

const padded = `${' '.repeat(100_000)}${WHOLE}`;

test('an answer without room is left unread until there is some, and its memory is released at its end', async () => {
  const { world, book, settled, listener, free } = stage(7 * MB);
  listener.onText(padded);
  expect([world.log, book.waiting]).toEqual([['pause'], 1]);
  free();
  expect([world.log, book.waiting]).toEqual([['pause', 'resume'], 0]);
  expect(book.held.answer).toBeGreaterThan(400_000);
  listener.onEnd();
  expect(await settled).toBe('resolved');
  expect([world.log.at(-1), book.total]).toEqual(['answer 200 true', 0]);
});

test('an answer that waited too long fails without another call, is charged, and does not count against its host', async () => {
  const { world, book, outcomes, settled, listener } = stage(7 * MB);
  listener.onText(padded);
  world.tick(WAITS.firstByteMs + 1);
  expect(await settled).toBe('rejected upstream-timeout');
  expect(world.calls).toHaveLength(1);
  expect(outcomes).toMatchObject([
    { how: 'fault', provider: 'one', bill: {}, reading: { producedCharacters: padded.length } },
  ]);
  expect(world.health).toEqual(['enter one', 'unjudged']);
  expect([book.total, book.waiting]).toEqual([7 * MB, 0]);
});

test('an answer whose caller leaves holds no memory and no longer waits', async () => {
  const { book, caller, settled, listener } = stage(7 * MB);
  listener.onText(padded);
  caller.hangUp();
  expect(await settled).toBe('rejected cancelled');
  expect([book.total, book.waiting]).toEqual([7 * MB, 0]);
});

test.each(['upstream-timeout', 'upstream-broken'] as const)(
  'an answer that breaks off (%s) holds no memory',
  (kind) => {
    const { book, listener } = stage(0);
    listener.onText(padded);
    expect(book.total).toBeGreaterThan(0);
    listener.onFail({ kind, message: 'gone' }, undefined);
    expect(book.total).toBe(0);
  },
);
