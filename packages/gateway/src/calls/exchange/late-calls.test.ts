import { expect, test } from 'vitest';
import { Exchange } from './exchange.ts';
import { admittedTo, FIRST, type RequestOptions, targetOf, World } from './stage.fixture.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An exchange whose calls are written on another thread, and become ready when the test says so. */
function writtenOnWorker(options: RequestOptions = {}) {
  const ready: (() => void)[] = [];
  const lane = () =>
    new Promise((resolve) => {
      ready.push(() => resolve({ kind: 'verbatim', body: '{}', losses: [] }));
    });
  const world = new World();
  world.hedgeAfterMs = 5;
  const { admitted, caller } = admittedTo(world, [targetOf('one'), targetOf('two')], options);
  Object.assign(admitted, { onWorker: { lane } });
  const settled = new Exchange(admitted, world.ports).run().catch((error) => error.fault.kind);
  return { world, caller, ready, settled };
}

test('a call that is written after its caller disconnected is not sent', async () => {
  const { world, caller, ready, settled } = writtenOnWorker();
  caller.hangUp();
  ready[0]!();
  await turn();
  expect(world.calls.map(({ request }) => request.origin)).toEqual([]);
  expect(await settled).toBe('cancelled');
});

test('a call that is written after the other host of a hedged request answered is not sent', async () => {
  const { world, ready } = writtenOnWorker({ hedges: true });
  ready[0]!();
  await turn();
  world.timers[0]!();
  world.calls[0]!.listener.onHead(200, () => undefined);
  world.calls[0]!.listener.onText(FIRST);
  ready[1]!();
  await turn();
  expect(world.calls.map(({ request }) => request.origin)).toEqual(['http://one']);
});
