import { type Fault, type Loss, NOTHING_PRODUCED } from '@trivium/protocol/canonical';
import { describe, expect, test } from 'vitest';
import type { StreamSink } from './attempt-ports.ts';
import type { Watched } from './pulse.ts';
import { relay } from './relay.ts';
import type { Outcome } from './settle.ts';
import type { Answered } from './stages.ts';

const PORTS = { keepAliveMs: 100, slowReaderMs: 1000 };
const FAULT: Fault = { kind: 'upstream-broken', message: 'm' };
type Options = {
  asArray?: boolean;
  gone?: boolean;
  reads?: boolean;
  why?: string;
  answerLosses?: readonly Loss[];
  failsAt?: string;
};

/** A relay between a caller and an attempt that only write down what happens to them. */
function stage({ asArray, gone = false, reads = true, why, answerLosses = [], failsAt }: Options = {}) {
  const log: string[] = [];
  const outcomes: Outcome[] = [];
  const world = { nowMs: 0, reads, hangsUp: () => {}, drains: () => {}, meter: 'go' };
  const say = (word: string): void => {
    log.push(word);
    if (word.split(' ')[0] === failsAt) throw new Error(`cannot ${word}`);
  };
  let sink: StreamSink | undefined;
  let watched: Watched | undefined;
  const answered = {
    id: 'r',
    head: { ...(asArray !== undefined && { asArray }) },
    dialect: { operation: 'text', server: { keepAlive: () => 'ping' } },
    losses: [{ path: 'seed', why: 'not-forwarded' }],
    attempt: {
      lane: { kind: why === undefined ? 'verbatim' : 'translated', ...(why !== undefined && { why }) },
      target: { provider: 'p' },
      reading: { usage: {}, reported: false, ...NOTHING_PRODUCED },
      firstByteAtMs: 3,
      context: {},
      flowInto: (into: StreamSink) => {
        sink = into;
        say('flow');
      },
      losses: () => answerLosses,
      faultText: () => 'FAULT',
      pause: () => say('pause'),
      resume: () => say('resume'),
      abort: () => say('abort'),
    },
    reply: {
      gone,
      onGone: (listener: () => void) => {
        world.hangsUp = listener;
      },
      onDrain: (listener: () => void) => {
        world.drains = listener;
      },
      open: (_status: number, headers: readonly string[]) => say(`open ${headers.includes('trailer')}`),
      write: (text: string) => {
        say(`write ${text}`);
        return world.reads;
      },
      finish: (trailers?: object) => say(`finish ${JSON.stringify(trailers ?? null)}`),
      cut: () => say('cut'),
    },
    settlement: { attempts: [], close: (outcome: Outcome) => outcomes.push(outcome), meter: () => world.meter },
  } as unknown as Answered;
  const pulse = {
    watch: (one: Watched) => {
      watched = one;
    },
    unwatch: () => {
      watched = undefined;
    },
  };
  const start = () =>
    relay(answered, { ...PORTS, clock: { nowMs: () => 0, monotonicMs: () => world.nowMs }, pulse: pulse as never });
  const beat = (nowMs: number): void => {
    world.nowMs = nowMs;
    watched?.beat(nowMs);
  };
  const upstream = (): StreamSink => {
    if (sink === undefined) throw new Error('nothing flows');
    return sink;
  };
  return { start, beat, upstream, world, log, outcomes, isWatched: () => watched !== undefined };
}

describe('a stream', () => {
  test('is opened, written and finished, and settled once', () => {
    const { start, upstream, log, outcomes, isWatched } = stage();
    start();
    expect(isWatched()).toBe(true);
    upstream().onText('a');
    upstream().onEnd('b');
    upstream().onEnd('c');
    upstream().onText('d');
    upstream().onFault(FAULT, 'e');
    expect(log).toEqual(['open false', 'flow', 'write a', 'write b', 'finish null']);
    expect(outcomes).toMatchObject([{ how: 'done', provider: 'p', lane: 'verbatim', firstByteAtMs: 3 }]);
    expect(outcomes[0]?.laneWhy).toBeUndefined();
    expect(outcomes[0]?.fault).toBeUndefined();
    expect(isWatched()).toBe(false);
  });
  test('that its account can no longer pay for is stopped, and told why', () => {
    const { start, beat, upstream, log, outcomes, world } = stage();
    start();
    upstream().onText('a');
    beat(1);
    world.meter = 'stop';
    beat(2);
    expect(log).toEqual(['open false', 'flow', 'write a', 'abort', 'write FAULT', 'cut']);
    expect(outcomes).toMatchObject([{ how: 'fault', fault: { kind: 'over-budget' } }]);
  });
  test('that was translated may lose something on its way, and says so at its end', () => {
    const lost: Loss = { path: 'x', why: 'no-equivalent' };
    const { start, upstream, log, outcomes } = stage({ why: 'w', answerLosses: [lost] });
    start();
    upstream().onEnd('');
    expect(log).toEqual(['open true', 'flow', 'finish {"x-trivium-losses":"x"}']);
    expect(outcomes).toMatchObject([{ laneWhy: 'w', losses: [{ path: 'seed' }, lost] }]);
  });
  test('that fails is told so and cut', () => {
    const { start, upstream, log, outcomes } = stage();
    start();
    upstream().onFault(FAULT, 'rest');
    expect(log).toEqual(['open false', 'flow', 'write restFAULT', 'cut']);
    expect(outcomes).toMatchObject([{ how: 'fault', fault: FAULT }]);
  });
});

describe('a caller', () => {
  test('who leaves stops the upstream, once', () => {
    const { start, world, log, outcomes } = stage();
    start();
    world.hangsUp();
    world.hangsUp();
    expect(log).toEqual(['open false', 'flow', 'abort']);
    expect(outcomes).toMatchObject([{ how: 'gone' }]);
  });
  test('who had left before is not written to', () => {
    const { start, log, outcomes, isWatched } = stage({ gone: true });
    start();
    expect(log).toEqual(['abort']);
    expect(outcomes).toMatchObject([{ how: 'gone' }]);
    expect(isWatched()).toBe(false);
  });
  test('who reads slowly makes the upstream wait, until there is room again', () => {
    const { start, upstream, world, log, beat } = stage({ reads: false });
    start();
    world.drains();
    upstream().onText('a');
    beat(PORTS.slowReaderMs);
    world.drains();
    world.drains();
    expect(log).toEqual(['open false', 'flow', 'write a', 'pause', 'resume']);
    world.reads = true;
    beat(PORTS.slowReaderMs + PORTS.keepAliveMs);
    expect(log).not.toContain('write ping');
    beat(PORTS.slowReaderMs + PORTS.keepAliveMs + 1);
    expect(log.at(-1)).toBe('write ping');
  });
  test('who never reads is cut off', () => {
    const { start, upstream, log, outcomes, beat } = stage({ reads: false });
    start();
    upstream().onText('a');
    beat(PORTS.slowReaderMs);
    expect(log).not.toContain('cut');
    beat(PORTS.slowReaderMs + 1);
    expect(log.slice(-2)).toEqual(['cut', 'abort']);
    expect(outcomes).toMatchObject([{ how: 'gone' }]);
  });
});

describe('signs of life', () => {
  test('are given when it has been quiet for long enough', () => {
    const { start, upstream, log, beat } = stage();
    start();
    beat(PORTS.keepAliveMs);
    expect(log).not.toContain('write ping');
    upstream().onText('a');
    beat(PORTS.keepAliveMs * 2);
    expect(log).not.toContain('write ping');
    beat(PORTS.keepAliveMs * 2 + 1);
    expect(log.at(-1)).toBe('write ping');
  });
  test('have no place in an array', () => {
    const { start, log, beat } = stage({ asArray: true });
    start();
    beat(PORTS.keepAliveMs * 5);
    expect(log).not.toContain('write ping');
  });
});

test.each(['write', 'pause', 'finish', 'flow'])('whatever fails at %s ends the stream whole', (failsAt) => {
  const { start, upstream, log, outcomes, isWatched } = stage({ failsAt, reads: false });
  start();
  upstream().onText('a');
  upstream().onEnd('');
  expect(log).toContain('abort');
  expect(log).toContain('cut');
  expect(outcomes).toMatchObject([{ how: 'fault', fault: { kind: 'internal' } }]);
  expect(isWatched()).toBe(false);
});
test('what fails before anything was sent is thrown, and leaves nothing open', () => {
  const { start, log, outcomes, isWatched } = stage({ failsAt: 'open' });
  expect(start).toThrow('cannot open');
  expect(log).toEqual(['open false', 'abort']);
  expect(outcomes).toEqual([]);
  expect(isWatched()).toBe(false);
});
