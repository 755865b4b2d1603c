import type { Fault } from '@trivium/protocol/canonical';
import { describe, expect, test } from 'vitest';
import { Exchange } from './exchange.ts';
import {
  admittedTo,
  CALLER_WAITS,
  type Call,
  FIRST,
  LAST,
  type RequestOptions,
  targetOf,
  WAITS,
  WHOLE,
  World,
} from './stage.fixture.ts';

/** A running exchange, with its first call sent. */
function stage(options: RequestOptions = {}, providers: readonly string[] = ['one'], prepare = (_: World): void => {}) {
  const world = new World();
  prepare(world);
  const plan = providers.map((provider) => targetOf(provider));
  const { admitted, caller, outcomes, meter, settling, attempts } = admittedTo(world, plan, options);
  const exchange = new Exchange(admitted, world.ports);
  const settled = exchange.run().then(
    () => 'resolved',
    (error) => `rejected ${error.fault?.kind ?? error.message}`,
  );
  const call = (index = 0): Call['listener'] => world.calls[index]!.listener;
  const flow = (index = 0): void => {
    call(index).onHead(200, () => undefined);
    call(index).onText(FIRST);
  };
  const refuse = (index: number, status: number): void => {
    call(index).onHead(status, () => undefined);
    call(index).onText('{}');
    call(index).onEnd();
  };
  return { world, log: world.log, exchange, caller, outcomes, meter, settling, attempts, settled, call, flow, refuse };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('each attempt records when its phases began, in ms since the arrival of the request', async () => {
  const { world, call, attempts, settled } = stage({}, ['one', 'two']);
  const at = (nowMs: number, does: () => void): void => {
    world.nowMs = nowMs;
    does();
  };
  at(3, () => call(0).onConnected?.());
  at(4, () => call(0).onSent?.());
  at(10, () => call(0).onHead(503, (name) => (name === 'retry-after-ms' ? '7' : undefined)));
  at(12, () => call(0).onEnd());
  await turn();
  at(20, () => world.timers.at(-1)?.());
  await turn();
  at(21, () => call(1).onSent?.());
  at(30, () => call(1).onHead(200, () => undefined));
  at(40, () => call(1).onText(FIRST));
  expect(await settled).toBe('resolved');
  const phases = { startMs: 0, connectedMs: 3, sentMs: 4, headMs: 10, endMs: 12, durationMs: 12 };
  expect(attempts).toMatchObject([
    { provider: 'one', modelId: 'm', fault: 'upstream-overloaded', status: 503, retryAfterMs: 7, ...phases },
    { provider: 'two', status: 200, sentMs: 21, headMs: 30, firstContentMs: 40 },
  ]);
  expect(attempts[0]).not.toHaveProperty('firstContentMs');
  expect(attempts[1]).not.toHaveProperty('connectedMs');
});

test('an answer that breaks off records the cause in its attempt', () => {
  const { flow, call, attempts } = stage();
  flow();
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  call().onFail({ kind: 'upstream-broken', message: 'The connection broke.' }, reset);
  expect(attempts).toMatchObject([{ heard: { status: 200, code: 'ECONNRESET', text: 'The connection broke.' } }]);
  expect(attempts[0]).not.toHaveProperty('fault');
});

describe('a stream', () => {
  test('is opened, written and finished, and settled once', async () => {
    const { flow, call, log, outcomes, world, settled, attempts } = stage();
    expect(world.watched.size).toBe(1);
    flow();
    expect(await settled).toBe('resolved');
    call().onText(LAST);
    call().onEnd();
    call().onText(FIRST);
    call().onFail({ kind: 'internal', message: 'm' }, undefined);
    expect(log).toEqual(['open false', 'write text', 'drain', 'write last', 'finish null']);
    expect(outcomes).toMatchObject([{ how: 'done', provider: 'one', lane: 'verbatim', firstByteAtMs: 0 }]);
    expect(outcomes[0]?.losses).toMatchObject([{ path: 'seed' }]);
    expect(outcomes[0]?.fault).toBeUndefined();
    expect(attempts).toMatchObject([{ provider: 'one', lane: 'verbatim' }]);
    expect(world.watched.size).toBe(0);
  });
  test.each([
    ['the last frame', (listener: Call['listener']) => listener.onText(LAST)],
    ['an error', (listener: Call['listener']) => listener.onFail({ kind: 'upstream-broken', message: 'm' }, undefined)],
  ])('gets %s once its charge is written', (_what, end) => {
    const { flow, call, log, settling } = stage();
    flow();
    settling.isHeld = true;
    end(call());
    expect(log.filter((word) => word.startsWith('write'))).toEqual(['write text']);
    settling.release();
    expect(log.filter((word) => word.startsWith('write'))).toHaveLength(2);
  });
  test('ends with an error when the balance of the account is used up', () => {
    const { flow, world, meter, log, outcomes } = stage();
    flow();
    world.tick(1);
    meter.says = 'stop';
    world.tick(2);
    expect(log).toEqual(['open false', 'write text', 'abort', 'write fault', 'cut']);
    expect(outcomes).toMatchObject([{ how: 'fault', fault: { kind: 'over-budget' } }]);
  });
  test('that fails ends with an error and is cut', () => {
    const { flow, call, log, outcomes } = stage();
    flow();
    call().onFail({ kind: 'upstream-broken', message: 'm' }, undefined);
    expect(log).toEqual(['open false', 'write text', 'write fault', 'cut']);
    expect(outcomes).toMatchObject([{ how: 'fault', fault: { kind: 'upstream-broken' } }]);
  });
  test('without content is opened after the hold, kept alive, and may still fail over', async () => {
    const { world, log, call, flow, settled } = stage({}, ['one', 'two']);
    world.tick(CALLER_WAITS.holdMs);
    expect(log).toEqual([]);
    world.tick(CALLER_WAITS.holdMs + 1);
    world.tick(CALLER_WAITS.holdMs + 2);
    expect(log).toEqual(['open true', 'write ping']);
    call().onFail({ kind: 'upstream-broken', message: 'm' }, undefined);
    await turn();
    flow(1);
    expect(log).toEqual(['open true', 'write ping', 'write text']);
    expect(await settled).toBe('resolved');
  });
  test('that no host answers after the hold ends with the failure in it', async () => {
    const { world, log, call, settled, outcomes } = stage();
    world.tick(CALLER_WAITS.holdMs + 1);
    call().onFail({ kind: 'upstream-broken', message: 'm' }, undefined);
    expect(await settled).toBe('resolved');
    expect(log).toEqual(['open true', 'write ping', 'write fault', 'cut']);
    expect(outcomes).toMatchObject([{ how: 'fault' }]);
  });

  test('behind a stream opened for an earlier target, the losses of the answering one are in the trailer', async () => {
    const lost = new Map([
      ['one', 'top_k'],
      ['two', 'logit_bias'],
    ]);
    const world = new World();
    const plan = ['one', 'two'].map((provider) =>
      targetOf(provider, { facts: { ...targetOf(provider).facts, provider } }),
    );
    const { admitted } = admittedTo(world, plan);
    Object.assign(admitted.understanding, {
      verbatim: ({ provider }: { provider: string }) => ({
        edits: [],
        losses: [{ field: lost.get(provider), why: 'no-equivalent' }],
      }),
    });
    void new Exchange(admitted, world.ports).run();
    world.tick(CALLER_WAITS.holdMs + 1);
    expect(world.log[0]).toBe('open true');
    const [first] = world.calls;
    first?.listener.onFail({ kind: 'upstream-broken', message: 'gone' }, undefined);
    await turn();
    const second = world.calls[1]?.listener;
    second?.onHead(200, () => undefined);
    second?.onText(FIRST + LAST);
    second?.onEnd();
    expect(world.log.at(-1)).toBe('finish {"x-trivium-losses":"logit_bias"}');
  });
});

describe('a whole answer', () => {
  test('is sent in one piece and settled', async () => {
    const { call, log, outcomes, settled, world } = stage({ stream: false });
    call().onHead(200, () => undefined);
    call().onText(WHOLE);
    expect(log).toEqual([]);
    call().onEnd();
    expect(log).toEqual(['answer 200 true']);
    expect(outcomes).toMatchObject([{ how: 'done', reading: { usage: { prompt: 2 } } }]);
    expect(await settled).toBe('resolved');
    expect(world.watched.size).toBe(0);
    expect(world.health).toEqual(['enter one', 'begun', 'answered']);
  });
  test('that cannot be sent is an internal error; its charge was journalled before', async () => {
    const { call, outcomes, settled } = stage({ stream: false }, ['one'], (world) => {
      world.failsAt = 'answer';
    });
    call().onHead(200, () => undefined);
    call().onText(WHOLE);
    call().onEnd();
    expect(await settled).toBe('rejected cannot answer 200 true');
    expect(outcomes).toMatchObject([{ how: 'done' }]);
    expect(outcomes[0]?.bill).toBeDefined();
  });
});

describe('failover', () => {
  test('calls the next host, and the caller does not see the failure of the first', async () => {
    const { refuse, flow, log, attempts, world } = stage({}, ['one', 'two']);
    refuse(0, 500);
    await turn();
    expect(world.calls.map(({ request }) => request.origin)).toEqual(['http://one', 'http://two']);
    flow(1);
    expect(log).toEqual(['open false', 'write text']);
    expect(attempts).toMatchObject([
      { provider: 'one', fault: 'upstream-broken', heard: { status: 500 } },
      { provider: 'two' },
    ]);
  });
  test('ends with the last failure when no host is left', async () => {
    const { refuse, settled, outcomes, world } = stage({}, ['one', 'two']);
    refuse(0, 500);
    await turn();
    refuse(1, 500);
    expect(await settled).toBe('rejected upstream-broken');
    expect(outcomes).toMatchObject([{ how: 'fault', fault: { kind: 'upstream-broken' } }]);
    expect(world.watched.size).toBe(0);
  });
  test('does not happen after a refusal of the request itself', async () => {
    const { refuse, settled, world } = stage({}, ['one', 'two']);
    refuse(0, 400);
    expect(await settled).toBe('rejected refused');
    expect(world.calls).toHaveLength(1);
  });
  test('waits before it retries the same host, and stops waiting when the caller disconnects', async () => {
    const { call, settled, world, caller, log } = stage();
    call().onHead(503, (name) => (name === 'retry-after-ms' ? '5' : undefined));
    call().onEnd();
    await turn();
    expect(world.timers).toHaveLength(1);
    caller.hangUp();
    expect(await settled).toBe('rejected cancelled');
    expect(world.calls).toHaveLength(1);
    expect(log).toEqual(['cancel timer']);
  });
  test('has no other host after a call that could not be sent: it rejects, and the host is not judged', async () => {
    const { settled, world } = stage({}, ['one'], (own) => {
      own.sendError = new Error('no sockets');
    });
    expect(await settled).toBe('rejected no sockets');
    expect(world.health).toEqual(['enter one', 'unjudged']);
  });
});

test.each([
  ['is called again where the signer has a new one', true, ['http://one', 'http://one']],
  ['is not called again where the signer has no other', false, ['http://one']],
])('a host that refuses a credential %s', async (_what, hasNew, origins) => {
  const world = new World();
  const signer = { sign: () => ['authorization', 'old'], refused: ([, token]: string[]) => hasNew && token === 'old' };
  const { admitted } = admittedTo(world, [targetOf('one', { signer })], {});
  void new Exchange(admitted, world.ports).run().catch(() => undefined);
  const { listener } = world.calls[0]!;
  listener.onHead(401, () => undefined);
  listener.onEnd();
  await turn();
  for (const retry of world.timers) retry();
  await turn();
  expect(world.calls.map(({ request }) => request.origin)).toEqual(origins);
});

describe('a hedged request', () => {
  const hedged = () =>
    stage({ hedges: true }, ['one', 'two'], (world) => {
      world.hedgeAfterMs = 5;
    });
  test('calls another host when the first is late; the first with content answers, the other is aborted', () => {
    const { world, flow, log, attempts } = hedged();
    world.timers[0]!();
    expect(world.calls).toHaveLength(2);
    flow(1);
    expect(log).toEqual(['cancel timer', 'abort', 'open false', 'write text']);
    expect(attempts).toMatchObject([
      { provider: 'one', hedge: 'lost', fault: 'cancelled' },
      { provider: 'two', hedge: 'won' },
    ]);
  });
  test('calls no other host if the first one is in time', () => {
    const { world, flow, attempts } = hedged();
    flow(0);
    world.timers[0]!();
    expect(world.calls).toHaveLength(1);
    expect(attempts).toMatchObject([{ provider: 'one' }]);
    expect(attempts[0]).not.toHaveProperty('hedge');
  });
  test('continues while one of the two runs, and fails when both have failed', async () => {
    const { world, refuse, settled, attempts } = hedged();
    world.timers[0]!();
    refuse(0, 500);
    await turn();
    expect(world.calls).toHaveLength(2);
    refuse(1, 500);
    expect(await settled).toBe('rejected upstream-broken');
    expect(attempts).toMatchObject([{ provider: 'one' }, { provider: 'two' }]);
  });
});

describe('a caller', () => {
  test('who disconnects aborts the upstream, once', () => {
    const { flow, caller, log, outcomes } = stage();
    flow();
    caller.hangUp();
    caller.hangUp();
    expect(log).toEqual(['open false', 'write text', 'abort']);
    expect(outcomes).toMatchObject([{ how: 'gone' }]);
  });
  test('who disconnects before the first content pays for a stream that the upstream has started', async () => {
    const { call, caller, settled, outcomes } = stage();
    call().onHead(200, () => undefined);
    caller.hangUp();
    expect(await settled).toBe('rejected cancelled');
    expect(outcomes).toMatchObject([{ how: 'gone', provider: 'one' }]);
    expect(outcomes[0]?.bill).toBeDefined();
  });
  test('who disconnects from a call that is not streamed pays for the input once it was sent', async () => {
    const { call, caller, settled, outcomes } = stage({ stream: false });
    call().onSent?.();
    caller.hangUp();
    expect(await settled).toBe('rejected cancelled');
    expect(outcomes).toMatchObject([{ how: 'gone', provider: 'one' }]);
    expect(outcomes[0]?.bill).toBeDefined();
  });
  test.each([
    ['was not sent yet', () => {}],
    ['the upstream is refusing', (call: Call) => call.listener.onHead(503, () => undefined)],
  ])('who disconnects from a call that %s pays nothing', async (_case, play) => {
    const { world, caller, settled, outcomes } = stage({ stream: false });
    play(world.calls[0]!);
    caller.hangUp();
    expect(await settled).toBe('rejected cancelled');
    expect(outcomes[0]?.bill).toBeUndefined();
  });
  test('who disconnects before the upstream has answered pays nothing', async () => {
    const { caller, settled, outcomes, log } = stage();
    caller.hangUp();
    expect(await settled).toBe('rejected cancelled');
    expect(log).toEqual(['abort']);
    expect(outcomes).toMatchObject([{ how: 'gone' }]);
    expect(outcomes[0]?.bill).toBeUndefined();
  });
  test('who reads slowly pauses the upstream, until the buffer drains', () => {
    const { flow, caller, world, log } = stage();
    caller.reads = false;
    flow();
    world.tick(CALLER_WAITS.slowReaderMs);
    caller.drain();
    caller.drain();
    expect(log).toEqual(['open false', 'write text', 'pause', 'resume']);
    caller.reads = true;
    world.tick(CALLER_WAITS.slowReaderMs + CALLER_WAITS.keepAliveMs);
    expect(log).not.toContain('write ping');
    world.tick(CALLER_WAITS.slowReaderMs + CALLER_WAITS.keepAliveMs + 1);
    expect(log.at(-1)).toBe('write ping');
  });
  test('who never reads is disconnected', () => {
    const { flow, caller, world, log, outcomes } = stage();
    caller.reads = false;
    flow();
    world.tick(CALLER_WAITS.slowReaderMs);
    expect(log).not.toContain('cut');
    world.tick(CALLER_WAITS.slowReaderMs + 1);
    expect(log.slice(-2)).toEqual(['cut', 'abort']);
    expect(outcomes).toMatchObject([{ how: 'gone' }]);
  });
});

test('a stream sent as an array has no keep-alives', () => {
  const { flow, world, log } = stage({ asArray: true });
  flow();
  world.tick(CALLER_WAITS.keepAliveMs * 2);
  expect(log).not.toContain('write ping');
});

test.each(['write', 'pause', 'finish'])('an error in %s ends caller, upstream and settlement', (failsAt) => {
  const { flow, call, caller, log, outcomes, world } = stage({}, ['one'], (own) => {
    own.failsAt = failsAt;
  });
  caller.reads = false;
  flow();
  call().onText(LAST);
  call().onEnd();
  expect(log).toContain('abort');
  expect(log).toContain('cut');
  // The end of a stream is journalled before it is sent.
  expect(outcomes).toMatchObject([
    failsAt === 'finish' ? { how: 'done' } : { how: 'fault', fault: { kind: 'internal' } },
  ]);
  expect(world.watched.size).toBe(0);
});

test('a failure before anything was sent is thrown, and leaves nothing open', async () => {
  const { flow, log, outcomes, world, settled } = stage({}, ['one'], (own) => {
    own.failsAt = 'open';
  });
  flow();
  expect(await settled).toBe('rejected cannot open false');
  expect(log).toEqual(['open false', 'abort']);
  expect(outcomes).toMatchObject([{ how: 'fault' }]);
  expect(world.watched.size).toBe(0);
});

test('shutdown fails waiting and streaming requests', async () => {
  const fault: Fault = { kind: 'overloaded', message: 'restarting' };
  const waiting = stage();
  waiting.exchange.stop(fault);
  expect(await waiting.settled).toBe('rejected overloaded');
  const flowing = stage();
  flowing.flow();
  flowing.exchange.stop(fault);
  expect(flowing.log.slice(-3)).toEqual(['abort', 'write fault', 'cut']);
});

test('shutdown fails a request that pauses before its next attempt, and no further call is made', async () => {
  const { exchange, world, call, settled } = stage();
  call().onHead(503, (name) => (name === 'retry-after-ms' ? '7' : undefined));
  call().onEnd();
  await turn();
  exchange.stop({ kind: 'overloaded', message: 'restarting' });
  expect(await Promise.race([settled, turn()])).toBe('rejected overloaded');
  expect(world.calls).toHaveLength(1);
});

test('an upstream that times out fails over', async () => {
  const { world } = stage({}, ['one', 'two']);
  world.tick(WAITS.firstByteMs + 1);
  await turn();
  expect(world.calls).toHaveLength(2);
});
