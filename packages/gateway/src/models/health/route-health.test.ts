import { describe, expect, test } from 'vitest';
import type { HealthChange, HealthOutcome } from '../../kernel/health.ts';
import { RouteHealth } from './route-health.ts';

const RULES = { failures: 5, stalls: 3, outMs: 100, maxOutMs: 350 };
const KEY = 'host model key';

function watched() {
  const changes: string[] = [];
  const notified: string[] = [];
  const onChange = (change: HealthChange): void =>
    void changes.push(change.now === 'back' ? 'back' : `out ${change.why} ${change.forMs}`);
  const health = new RouteHealth(() => RULES, onChange, {
    tell: (key, forMs) => void notified.push(`${key} ${forMs}`),
  });
  const report = (verdict: HealthOutcome, times: number, nowMs: number): void => {
    for (let time = 0; time < times; time++) health.report(KEY, verdict, nowMs);
  };
  return { health, changes, notified, report, outAt: (nowMs: number) => health.cooldownMs(KEY, nowMs) > 0 };
}

describe('out of service', () => {
  test('after five failures in a row, and not before', () => {
    const { changes, report, outAt, notified } = watched();
    report('failed', 4, 0);
    report('answered', 1, 0);
    report('failed', 4, 0);
    expect(outAt(0)).toBe(false);
    report('failed', 1, 0);
    expect(outAt(0)).toBe(true);
    expect(changes).toEqual(['out failures 100']);
    expect(notified).toEqual(['host model 100']);
  });
  test('after three stalls in a row', () => {
    const { changes, report } = watched();
    report('stalled', 2, 0);
    expect(changes).toEqual([]);
    report('stalled', 1, 0);
    expect(changes).toEqual(['out stalls 100']);
  });
  test('at once when the credential is refused; when rate limited, for the time the host asks for', () => {
    const { health, changes } = watched();
    health.report('a m k', 'unwelcome', 0);
    health.report('b m k', 'over-rate', 0, 40);
    health.report('c m k', 'over-rate', 0);
    health.report('d m k', 'over-rate', 0, 999_999);
    expect(changes).toEqual(['out credential 100', 'out rate 40', 'out rate 350', 'out rate 350']);
    expect([...health.out(39)]).toEqual(['a m k', 'b m k', 'c m k', 'd m k']);
    expect([...health.out(100)]).toEqual(['c m k', 'd m k']);
  });
  test('failures count for the host under every credential, a refused credential does not', () => {
    const { health, report } = watched();
    health.report(KEY, 'unwelcome', 0);
    expect([health.cooldownMs(KEY, 0), health.cooldownMs('host model other', 0)]).toEqual([100, 0]);
    report('failed', 5, 50);
    expect([health.cooldownMs(KEY, 50), health.cooldownMs('host model other', 50)]).toEqual([100, 100]);
    expect(health.cooldownMs('host another key', 50)).toBe(0);
  });
  test('never because of what callers do', () => {
    const { report, outAt } = watched();
    report('unjudged', 100, 0);
    expect(outAt(0)).toBe(false);
  });
  test('when another node reports it, once, and this is not passed on to other nodes', () => {
    const { health, changes, notified } = watched();
    health.applyHint(KEY, 50, 0);
    health.applyHint(KEY, 50, 0);
    expect(changes).toEqual(['out hint 50']);
    expect(notified).toEqual([]);
  });
});

describe('a trial', () => {
  test('is one call at a time, and one good answer ends it', () => {
    const { health, report, outAt, changes } = watched();
    report('failed', 5, 0);
    expect(outAt(99)).toBe(true);
    expect(outAt(100)).toBe(false);
    health.enter(KEY, 100);
    expect(outAt(101)).toBe(true);
    report('answered', 1, 120);
    expect(outAt(120)).toBe(false);
    expect(changes.at(-1)).toBe('back');
    report('failed', 4, 130);
    expect(outAt(130)).toBe(false);
  });
  test('that fails doubles the ejection time, up to the maximum', () => {
    const { health, report, changes } = watched();
    report('failed', 5, 0);
    let nowMs = 100;
    for (const forMs of [200, 350, 350]) {
      health.enter(KEY, nowMs);
      report('failed', 1, nowMs);
      nowMs += forMs;
    }
    expect(changes).toEqual(['out failures 100', 'out failures 200', 'out failures 350', 'out failures 350']);
  });
  test('without a result lets the next one try', () => {
    const { health, report, outAt } = watched();
    report('failed', 5, 0);
    health.enter(KEY, 100);
    report('unjudged', 1, 110);
    expect(outAt(110)).toBe(false);
  });
  test('of a host that ends with a rate limit of one credential lets the next credential try', () => {
    const { health, report } = watched();
    report('failed', 5, 0);
    health.enter(KEY, 100);
    health.report(KEY, 'over-rate', 110, 20);
    expect([health.cooldownMs(KEY, 110), health.cooldownMs('host model other', 110)]).toEqual([20, 0]);
  });
  test('of a credential that ends with a failure of the host lets the next one try', () => {
    const { health, outAt } = watched();
    health.report(KEY, 'unwelcome', 0);
    health.enter(KEY, 100);
    health.report(KEY, 'failed', 110);
    expect(outAt(110)).toBe(false);
  });
  test('that is never reported expires', () => {
    const { health, report, outAt } = watched();
    report('failed', 5, 0);
    health.enter(KEY, 100);
    expect(outAt(449)).toBe(true);
    expect(outAt(450)).toBe(false);
  });
  test('that begins to answer closes the circuit, but until an answer is complete one failure opens it again', () => {
    const { health, report, outAt, changes } = watched();
    report('failed', 5, 0);
    health.enter(KEY, 100);
    health.begun(KEY, 110);
    expect(outAt(110)).toBe(false);
    report('failed', 1, 120);
    expect(changes).toEqual(['out failures 100', 'back', 'out failures 200']);
    health.enter(KEY, 320);
    health.begun(KEY, 330);
    report('answered', 1, 340);
    report('failed', 4, 350);
    expect(outAt(350)).toBe(false);
  });
  test('late reports of earlier calls change nothing', () => {
    const { report, changes } = watched();
    report('failed', 20, 0);
    expect(changes).toEqual(['out failures 100']);
  });
  test('a target that was healthy for long starts with a clean record', () => {
    const { health, report, changes } = watched();
    report('failed', 5, 0);
    health.enter(KEY, 100);
    report('answered', 1, 100);
    report('answered', 1, 1000);
    report('failed', 5, 1001);
    expect(changes.at(-1)).toBe('out failures 100');
  });
});
