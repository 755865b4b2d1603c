import { GatewayError } from '@trivium/protocol/canonical';
import { describe, expect, test } from 'vitest';
import { Attempt, type AttemptOwner } from './attempt.ts';
import {
  chunk,
  FIRST,
  LAST,
  LIMITS,
  plannedOf,
  type RequestOptions,
  targetOf,
  WAITS,
  WHOLE,
  World,
} from './stage.fixture.ts';

/** An attempt with an upstream scripted by the test, and an owner that records its calls. */
function stage(options: RequestOptions = {}, world = new World()) {
  const given: string[] = [];
  const waits: (number | undefined)[] = [];
  const owner: AttemptOwner = {
    began: () => void given.push('began'),
    failed: (_attempt, error) => {
      given.push(`failed ${error instanceof GatewayError ? error.fault.kind : error}`);
      if (error instanceof GatewayError) waits.push(error.fault.retryAfterMs);
    },
    text: (text) => void given.push(`text ${text.length > 0}`),
    ended: (text) => void given.push(options.stream === false ? `ended ${text.includes('chatcmpl-r')}` : 'ended'),
    faulted: (fault) => void given.push(`fault ${fault.kind}`),
  };
  const lane = { kind: 'verbatim', body: '{}', losses: [] } as const;
  const attempt = new Attempt(plannedOf(options), targetOf('u'), lane, world.ports, owner);
  attempt.send();
  const head = (status: number, headers: Record<string, string> = {}) =>
    attempt.onHead(status, (name) => headers[name]);
  const { log, health } = world;
  return { attempt, world, log, health, given, waits, head, sent: () => world.calls[0]?.request };
}

describe('content', () => {
  const ROLE = chunk({ role: 'assistant', content: '' });
  test('heads, comments and pings are not content: a failure after them is still this attempt’s', () => {
    const { attempt, given, head, health } = stage();
    head(200);
    attempt.onText(ROLE);
    attempt.onText(': wait\n\n');
    expect(attempt.firstByteAtMs).toBeUndefined();
    attempt.onText('data: {"error":{"code":500}}\n\n');
    expect(given).toEqual(['failed upstream-broken']);
    expect(health).toEqual(['failed']);
  });
  test('what was held back is sent with it, and the health report follows at its end', () => {
    const { attempt, given, head, health } = stage();
    head(200);
    attempt.onText(ROLE);
    attempt.onText(chunk({ content: 'a' }));
    expect(given[0]).toBe('began');
    expect(health).toEqual(['begun']);
    attempt.onText(LAST);
    attempt.onEnd();
    expect(given).toEqual(['began', 'text true', 'ended']);
    expect(health).toEqual(['begun', 'answered']);
  });
  test('has the same deadline as the first byte, whatever else arrives', () => {
    const { attempt, given, head, health } = stage();
    head(200);
    attempt.onText(ROLE);
    attempt.tick(WAITS.firstByteMs);
    expect(health).toEqual([]);
    attempt.tick(WAITS.firstByteMs + 1);
    expect(given).toEqual(['failed upstream-timeout']);
    expect(health).toEqual(['stalled']);
  });
  test('pieces that do not complete a line count as silence', () => {
    const { attempt, head, given, world, health } = stage();
    head(200);
    attempt.onText(FIRST);
    world.nowMs = WAITS.silenceMs;
    attempt.onText('data: {"ch');
    attempt.tick(WAITS.silenceMs + 1);
    expect(given.at(-1)).toBe('fault upstream-timeout');
    expect(health).toEqual(['begun', 'stalled']);
  });
  test('a disconnected caller and a refused request do not count against the host', () => {
    const left = stage();
    left.attempt.giveUp(new GatewayError({ kind: 'cancelled', message: '' }));
    expect(left.given).toEqual(['failed cancelled']);
    expect(left.health).toEqual(['unjudged']);
    const refused = stage();
    refused.head(400);
    refused.attempt.onText('{"error":{"message":"no"}}');
    refused.attempt.onEnd();
    expect(refused.given).toEqual(['failed refused']);
    expect(refused.health).toEqual(['unjudged']);
  });
});

describe('a stream', () => {
  test('begins with its first event, releases what was held back, and ends', () => {
    const { attempt, given, head, log, world, sent } = stage();
    head(200);
    world.nowMs = 7;
    attempt.onText(FIRST);
    expect(given[0]).toBe('began');
    expect(attempt.firstByteAtMs).toBe(7);
    attempt.onText(': comment\n\n');
    attempt.onText(chunk({ content: 'b' }));
    attempt.onText(LAST);
    attempt.onEnd();
    expect(given).toEqual(['began', 'text true', 'text true', 'ended']);
    expect(log).toEqual(['drain']);
    expect(sent()).toMatchObject({ path: '/stream', headers: ['authorization', 'k'] });
    expect(attempt.context).toMatchObject({ createdAtSeconds: 5, model: 'm', requestId: 'r' });
  });
  test('ends with its last frame, whatever its connection does', () => {
    const { attempt, given, head, log } = stage();
    head(200);
    attempt.onText(FIRST);
    attempt.onText(`${LAST}data: {\n\n`);
    expect(given).toEqual(['began', 'text true', 'ended']);
    expect(log).toEqual(['drain']);
  });
  test('that fails before its first event is this attempt’s failure', () => {
    const { attempt, given, head, log } = stage();
    head(200);
    attempt.onText('data: {"error":{"code":429}}\n\n');
    expect(given).toEqual(['failed upstream-over-rate']);
    expect(log).toEqual(['abort']);
  });
  test('that ends before its first event is this attempt’s failure, too, and is not stopped again', () => {
    const { attempt, given, head, log } = stage();
    head(200);
    attempt.onEnd();
    expect(given).toEqual(['failed upstream-broken']);
    expect(log).toEqual([]);
  });
  test('that fails later fails the caller’s stream', () => {
    const { attempt, head, given, log } = stage();
    head(200);
    attempt.onText(FIRST);
    attempt.onText('data: {\n\n');
    expect(given).toEqual(['began', 'text true', 'fault upstream-broken']);
    expect(log).toContain('abort');
    attempt.onFail({ kind: 'internal', message: 'again' }, undefined);
    expect(given).toHaveLength(3);
  });
  test('that loses its connection fails the caller’s stream', () => {
    const { attempt, head, given } = stage();
    head(200);
    attempt.onText(FIRST);
    attempt.onFail({ kind: 'upstream-broken', message: 'm' }, undefined);
    expect(given.at(-1)).toBe('fault upstream-broken');
  });
  test('refused by the upstream is read whole, with its retry-after time', () => {
    const { attempt, given, head } = stage();
    head(429, { 'retry-after': '2' });
    attempt.onText('{}');
    expect(attempt.firstByteAtMs).toBeUndefined();
    attempt.onEnd();
    expect(given).toEqual(['failed upstream-over-rate']);
  });
  test('a retry-after that is a date is compared with the injected clock', () => {
    const { attempt, head, waits } = stage();
    head(429, { 'retry-after': 'Thu, 01 Jan 1970 00:00:05 GMT' });
    attempt.onText('{}');
    attempt.onEnd();
    expect(waits).toEqual([5000]);
  });
});

describe('a whole answer', () => {
  test('begins when it is complete', () => {
    const { attempt, given, head, world, log, sent } = stage({ stream: false });
    head(200);
    attempt.onText(WHOLE.slice(0, 9));
    attempt.onText(WHOLE.slice(9));
    world.nowMs = 3;
    attempt.onEnd();
    expect(given[0]).toBe('began');
    expect(given).toEqual(['began', 'ended true']);
    expect(attempt.translator.reading).toMatchObject({ usage: { prompt: 2 }, reported: true });
    expect(attempt.translator.losses()).toEqual([]);
    expect(attempt.firstByteAtMs).toBe(3);
    expect(sent()?.path).toBe('/whole');
    expect(log).toEqual([]);
  });
  test('that is not JSON fails the attempt', () => {
    const { attempt, given, head } = stage({ stream: false });
    head(200);
    attempt.onText('<html>');
    attempt.onEnd();
    expect(given).toEqual(['failed upstream-broken']);
  });
  test('may be as long as the limit and no longer', () => {
    const { attempt, given, head, log } = stage({ stream: false });
    head(200);
    attempt.onText(' '.repeat(LIMITS.answerLength));
    expect(log).not.toContain('abort');
    attempt.onText(' ');
    expect(given).toEqual(['failed upstream-broken']);
    expect(log).toContain('abort');
    attempt.onEnd();
    expect(given).toHaveLength(1);
  });
});

describe('time', () => {
  test('the first byte, silence and the total time each have their own limit', () => {
    const waiting = stage();
    waiting.attempt.tick(WAITS.firstByteMs);
    expect(waiting.log).not.toContain('abort');
    waiting.attempt.tick(WAITS.firstByteMs + 1);
    expect(waiting.given).toEqual(['failed upstream-timeout']);
    expect(waiting.log).toContain('abort');

    const silent = stage();
    silent.head(200);
    silent.attempt.onText(FIRST);
    silent.attempt.tick(WAITS.silenceMs);
    expect(silent.given).toEqual(['began', 'text true']);
    silent.attempt.tick(WAITS.silenceMs + 1);
    expect(silent.given.at(-1)).toBe('fault upstream-timeout');

    const endless = stage();
    endless.head(200);
    for (endless.world.nowMs = 0; endless.world.nowMs < WAITS.totalMs; endless.world.nowMs += WAITS.silenceMs) {
      endless.attempt.onText(FIRST);
      endless.attempt.tick(endless.world.nowMs);
    }
    expect(new Set(endless.given)).toEqual(new Set(['began', 'text true']));
    endless.attempt.onText(FIRST);
    endless.attempt.tick(WAITS.totalMs + 1);
    expect(endless.given.at(-1)).toBe('fault upstream-timeout');
  });
  test.each([
    ['empty deltas', chunk({ content: '' })],
    ['comments', ': OPENROUTER PROCESSING\n\n'],
  ])('S11: %s keep a stream alive for a while, and then count as silence', (_what, sign) => {
    const { attempt, head, given, world } = stage();
    head(200);
    attempt.onText(FIRST);
    const wait = (untilMs: number): void => {
      for (; world.nowMs <= untilMs; world.nowMs += WAITS.silenceMs) {
        attempt.onText(sign);
        attempt.tick(world.nowMs);
      }
    };
    wait(WAITS.idleMs);
    expect(given).not.toContain('fault upstream-timeout');
    // Content restarts all its timeouts.
    attempt.onText(FIRST);
    world.nowMs += WAITS.silenceMs;
    wait(WAITS.idleMs + 2 * WAITS.silenceMs);
    expect(given).not.toContain('fault upstream-timeout');
    wait(2 * WAITS.idleMs + 2 * WAITS.silenceMs);
    expect(given.at(-1)).toBe('fault upstream-timeout');
  });
  test('the total timeout of a request starts at its arrival, whatever was tried before', () => {
    const late = stage({ startedAtMs: 50 - WAITS.totalMs });
    late.head(200);
    late.attempt.onText(FIRST);
    late.attempt.tick(50);
    expect(late.given).toEqual(['began', 'text true']);
    late.attempt.tick(51);
    expect(late.given.at(-1)).toBe('fault upstream-timeout');
  });
  test('a paused upstream does not time out, and has its full time again once it is resumed', () => {
    const { attempt, head, given, log, world } = stage();
    head(200);
    attempt.onText(FIRST);
    attempt.pause();
    attempt.tick(WAITS.silenceMs * 3);
    world.nowMs = WAITS.silenceMs * 3;
    attempt.resume();
    attempt.tick(WAITS.silenceMs * 4);
    expect(given).toEqual(['began', 'text true']);
    attempt.tick(WAITS.silenceMs * 4 + 1);
    expect(given.at(-1)).toBe('fault upstream-timeout');
    expect(log).toEqual(['pause', 'resume', 'abort']);
  });
});

test('passed headers reach an upstream of the same dialect', () => {
  const { sent } = stage({ passHeaders: [['beta', 'x']] });
  expect(sent()?.headers).toEqual(['authorization', 'k', 'beta', 'x']);
});

test('an attempt that was aborted reports nothing', () => {
  const { attempt, head, given, log } = stage();
  head(200);
  attempt.onText(FIRST);
  attempt.abort();
  attempt.onEnd();
  attempt.onFail({ kind: 'internal', message: 'm' }, undefined);
  expect(given).toEqual(['began', 'text true']);
  expect(log).toEqual(['abort']);
});

describe('a turn of the loop', () => {
  /** A turn that the test ends, with attempts that wait for the next. */
  function turns() {
    const waiting: { goOn(): void }[] = [];
    const world = new World();
    const loop = {
      isUsedUp: false,
      spent: 0,
      spend: (_bytes: number, events = 0) => {
        loop.spent += events;
        loop.isUsedUp = loop.spent >= 2;
        return loop.isUsedUp;
      },
      wait: (waiter: { goOn(): void }) => void waiting.push(waiter),
      leave: (waiter: { goOn(): void }) => void waiting.splice(waiting.indexOf(waiter), 1),
    };
    world.loop = loop;
    const next = (): void => {
      loop.spent = 0;
      loop.isUsedUp = false;
      waiting.splice(0).forEach((waiter) => void waiter.goOn());
    };
    return { world, loop, waiting, next };
  }

  test('that is used up stops the reading until a later one', () => {
    const { world, next } = turns();
    const { attempt, head, log, given } = stage({}, world);
    head(200);
    attempt.onText(`${FIRST}${chunk({ content: 'b' })}:${' '.repeat(1024)}\n\n`);
    expect(log).toEqual(['pause']);
    expect(given).toEqual(['began', 'text true']);
    next();
    expect(log).toEqual(['pause', 'resume']);
  });
  test('counts small pieces once they are a kilobyte together, each with what a piece costs', () => {
    const { world, loop } = turns();
    const spent: number[] = [];
    world.loop = {
      ...loop,
      spend: (bytes) => {
        spent.push(bytes);
        return false;
      },
    };
    const { attempt, head } = stage({}, world);
    head(200);
    attempt.onText(FIRST);
    expect(spent).toEqual([]);
    for (let piece = 0; piece < 16; piece++) attempt.onText(':');
    expect(spent).toHaveLength(1);
    expect(spent[0]).toBeGreaterThanOrEqual(1024);
  });
  test('that is used up keeps what arrives, with the end that follows it', () => {
    const { world, loop, waiting, next } = turns();
    const { attempt, head, log, given } = stage({}, world);
    head(200);
    loop.isUsedUp = true;
    attempt.onText(FIRST);
    attempt.onText(LAST);
    attempt.onEnd();
    expect(given).toEqual([]);
    expect(waiting).toHaveLength(1);
    next();
    expect(given).toEqual(['began', 'ended']);
    expect(log).not.toContain('resume');
  });
  test('keeps what arrives before a broken connection', () => {
    const { world, loop, next } = turns();
    const { attempt, head, given } = stage({}, world);
    head(200);
    loop.isUsedUp = true;
    attempt.onText(FIRST);
    attempt.onFail({ kind: 'upstream-broken', message: 'x' }, undefined);
    expect(given).toEqual([]);
    next();
    expect(given).toEqual(['began', 'text true', 'fault upstream-broken']);
  });
  test('counts for a caller that reads on: what was kept waits for its turn', () => {
    const { world, loop, waiting, next } = turns();
    const { attempt, head, given } = stage({}, world);
    head(200);
    attempt.onText(FIRST);
    attempt.pause();
    loop.isUsedUp = true;
    attempt.onText(chunk({ content: 'b' }));
    next();
    expect(given).toHaveLength(2);
    loop.isUsedUp = true;
    attempt.resume();
    expect(given).toHaveLength(2);
    expect(waiting).toHaveLength(1);
    next();
    expect(given).toHaveLength(3);
  });
  test('is left by an attempt that was aborted', () => {
    const { world, loop, waiting } = turns();
    const { attempt, head, given } = stage({}, world);
    head(200);
    loop.isUsedUp = true;
    attempt.onText(FIRST);
    attempt.abort();
    expect(waiting).toEqual([]);
    expect(given).toEqual([]);
  });
});

describe('a flood without content', () => {
  const EMPTY = chunk({ content: '' });
  test.each([
    ['empty deltas', EMPTY, LIMITS.floodEvents],
    ['comments', `: ${'x'.repeat(96)}\n\n`, LIMITS.floodBytes / 100],
    ['blank lines', '\n'.repeat(100), LIMITS.floodBytes / 100],
  ])('of %s ends the stream once the stated amount is exceeded', (_what, piece, most) => {
    const world = new World();
    const { attempt, head, given, health } = stage({}, world);
    head(200);
    attempt.onText(FIRST);
    const before = given.length;
    for (let count = 0; count < most; count++) attempt.onText(piece);
    expect(given.slice(before).filter((word) => word.startsWith('fault'))).toEqual([]);
    attempt.onText(piece);
    expect(given.at(-1)).toBe('fault upstream-broken');
    expect(health.at(-1)).toBe('failed');
    expect(world.floods.count).toBe(1);
  });
  test('is none if content comes in between', () => {
    const { attempt, head, given } = stage();
    head(200);
    for (let round = 0; round < 10; round++) {
      attempt.onText(chunk({ content: 'a' }));
      for (let count = 0; count < LIMITS.floodEvents - 1; count++) attempt.onText('data: {"choices":[]}\n\n');
    }
    expect(given.some((word) => word.startsWith('fault'))).toBe(false);
  });
  test('of interim heads or chunk extensions ends the attempt', () => {
    const heads = stage();
    heads.attempt.onFraming(40, 0, 1);
    expect(heads.given).toEqual([]);
    heads.attempt.onFraming(40, 0, 1);
    expect(heads.given).toEqual(['failed upstream-broken']);
    const extensions = stage();
    extensions.attempt.onFraming(LIMITS.floodBytes, 0, 0);
    expect(extensions.given).toEqual([]);
    extensions.attempt.onFraming(1, 0, 0);
    expect(extensions.given).toEqual(['failed upstream-broken']);
  });
  test('is none if a body comes in chunks of one byte', () => {
    const { attempt, given } = stage();
    for (let count = 0; count < 100; count++) attempt.onFraming(5000, 1000, 0);
    expect(given).toEqual([]);
  });
});
