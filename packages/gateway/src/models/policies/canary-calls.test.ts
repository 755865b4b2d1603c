import { describe, expect, test } from 'vitest';
import type { AttemptRecord, RequestRecord } from '../../kernel/record.ts';
import { CanaryCalls, canaryCallOf } from './canary-calls.ts';

const CANARY = { provider: 'new', modelId: 'b/two' };
const attempt = (more: Partial<AttemptRecord> = {}): AttemptRecord => ({
  provider: 'new',
  modelId: 'b/two',
  lane: 'verbatim',
  durationMs: 30,
  startMs: 10,
  firstContentMs: 35,
  ...more,
});
const recordOf = (more: Partial<RequestRecord>): RequestRecord =>
  ({
    decidedBy: { hosts: 'default', canary: { policy: 'p', percent: 5, sentTo: CANARY } },
    how: 'done',
    stream: true,
    attempts: [attempt()],
    ...more,
  }) as unknown as RequestRecord;

describe('what a request says of its canary', () => {
  const other = attempt({ provider: 'old', modelId: 'a/one' });
  test.each<[string, Partial<RequestRecord>, unknown]>([
    ['an answered stream', {}, { failed: false, firstTokenMs: 25 }],
    ['a whole answer has no first token', { stream: false }, { failed: false }],
    ['its price', { stream: false, bill: { cost: { nanoUsd: 2_000_000n } } as never }, { failed: false, usd: 0.002 }],
    ['a failure that another host made up for', { attempts: [attempt({ fault: 'refused' }), other] }, { failed: true }],
    [
      'a request that is wrong everywhere',
      { attempts: [attempt({ fault: 'refused' }), other], fault: { kind: 'refused', message: '' } },
      undefined,
    ],
    [
      'an answer that broke off',
      { how: 'fault', fault: { kind: 'upstream-broken', message: '' } },
      { failed: true, firstTokenMs: 25 },
    ],
    ['a caller that hung up before', { attempts: [attempt({ fault: 'cancelled' })] }, undefined],
    ['a call that never got there', { attempts: [other] }, undefined],
    ['a call that was not sent there', { decidedBy: { hosts: 'default' } }, undefined],
  ])('%s', (_case, more, expected) => expect(canaryCallOf(recordOf(more))).toEqual(expected));
});

describe('a canary steps back', () => {
  const failing = (every: number) => (index: number) => ({ failed: index % every === 0 });

  test('once more calls failed than allowed, and not before enough were made', () => {
    const calls = new CanaryCalls({ errorPercent: 10, leastCalls: 20 });
    const broken = Array.from({ length: 20 }, (_, index) => calls.add(failing(3)(index), index));
    expect(broken.slice(0, -1).every((one) => one === undefined)).toBe(true);
    expect(broken.at(-1)).toEqual({ rule: 'errorPercent', limit: 10, measured: 35, calls: 20 });
  });

  test('not at the limit itself', () => {
    const calls = new CanaryCalls({ errorPercent: 10, leastCalls: 10 });
    for (let index = 1; index <= 200; index++) expect(calls.add(failing(10)(index), index)).toBeUndefined();
  });

  test('by calls within the window only', () => {
    const calls = new CanaryCalls({ errorPercent: 50, windowSeconds: 60, leastCalls: 2 });
    calls.add({ failed: true }, 0);
    expect(calls.add({ failed: false }, 60_001)).toBeUndefined();
    expect(calls.add({ failed: true }, 60_002)).toBeUndefined();
    expect(calls.add({ failed: true }, 60_003)).toMatchObject({ calls: 3 });
  });

  test('if the 95th percentile of the first token is too high', () => {
    const calls = new CanaryCalls({ firstTokenP95Ms: 100, leastCalls: 100 });
    for (let index = 0; index < 99; index++)
      expect(calls.add({ failed: false, firstTokenMs: index < 94 ? 50 : 200 }, 0)).toBeUndefined();
    // Whole answers and failures have no first token.
    expect(calls.add({ failed: true }, 0)).toBeUndefined();
    expect(calls.add({ failed: false, firstTokenMs: 150 }, 0)).toEqual({
      rule: 'firstTokenP95Ms',
      limit: 100,
      measured: 150,
      calls: 100,
    });
  });

  test('if answers cost too much on average', () => {
    const calls = new CanaryCalls({ usdPerRequest: 0.02, leastCalls: 3 });
    expect(calls.add({ failed: false, usd: 0.01 }, 0)).toBeUndefined();
    expect(calls.add({ failed: false, usd: 0.02 }, 0)).toBeUndefined();
    expect(calls.add({ failed: true }, 0)).toBeUndefined();
    expect(calls.add({ failed: false, usd: 0.06 }, 0)).toMatchObject({ rule: 'usdPerRequest', measured: 0.03 });
  });

  test('of many calls the newest thousand count', () => {
    const calls = new CanaryCalls({ errorPercent: 50 });
    for (let index = 0; index < 5000; index++) calls.add({ failed: false }, 0);
    const broken = Array.from({ length: 501 }, () => calls.add({ failed: true }, 0));
    expect(broken.map((one) => one?.calls)).toEqual([...Array(500).fill(undefined), 1000]);
  });
});
