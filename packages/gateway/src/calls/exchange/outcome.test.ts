import { describe, expect, test } from 'vitest';
import { Exchange } from './exchange.ts';
import { admittedTo, targetOf, World } from './stage.fixture.ts';

/** Two hosts, of different models; those in `unfit` cannot be sent the request. */
function stage({ unfit = [] }: { readonly unfit?: readonly string[] } = {}) {
  const world = new World();
  const plan = ['one', 'two'].map((provider) =>
    targetOf(provider, { modelId: `model-${provider}`, facts: { ...targetOf(provider).facts, provider } }),
  );
  const { admitted, caller, outcomes } = admittedTo(world, plan);
  Object.assign(admitted.understanding, {
    verbatim: ({ provider }: { provider: string }) => {
      if (unfit.includes(provider)) throw new Error(`not for ${provider}`);
      return { edits: [], losses: [] };
    },
  });
  const run = (): Promise<unknown> => new Exchange(admitted, world.ports).run().catch((error: Error) => error.message);
  return { world, caller, outcomes, run };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const refuse = (world: World, call: number, status: number): void => {
  const { listener } = world.calls[call]!;
  listener.onHead(status, () => undefined);
  listener.onEnd();
};

describe('a request without an answer names', () => {
  test('the host, model and lane of the last call, and has no bill', async () => {
    const { world, outcomes, run } = stage();
    const settled = run();
    refuse(world, 0, 500);
    await turn();
    refuse(world, 1, 500);
    await settled;
    expect(outcomes).toMatchObject([{ how: 'fault', provider: 'two', modelId: 'model-two', lane: 'verbatim' }]);
    expect(outcomes[0]).not.toHaveProperty('bill');
  });

  test('the host that was called, not one that could not be', async () => {
    const { world, outcomes, run } = stage({ unfit: ['two'] });
    const settled = run();
    refuse(world, 0, 500);
    await settled;
    expect(world.calls).toHaveLength(1);
    expect(outcomes).toMatchObject([{ how: 'fault', provider: 'one', modelId: 'model-one' }]);
  });

  test('the host that its caller no longer waits for', async () => {
    const { caller, outcomes, run } = stage();
    const settled = run();
    caller.hangUp();
    await settled;
    expect(outcomes).toMatchObject([{ how: 'gone', provider: 'one' }]);
    expect(outcomes[0]).not.toHaveProperty('bill');
  });

  test('no host if none was called', async () => {
    const { caller, world, outcomes, run } = stage();
    caller.gone = true;
    await run();
    expect(world.calls).toEqual([]);
    expect(outcomes).toEqual([{ how: 'gone', fault: expect.objectContaining({ kind: 'cancelled' }) }]);
  });
});
