import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Failed, type FailedAttempt, firstInService, nextAsk, type RetryRules } from './next.ts';

type Host = { readonly provider: string; readonly name: string; readonly spares?: readonly Host[] };
const host = (provider: string, ...spares: string[]): Host => ({
  provider,
  name: provider,
  ...(spares.length > 0 && { spares: spares.map((name) => ({ provider, name })) }),
});

const RULES: RetryRules = { maxAttempts: 3, backoffMs: 100, maxWaitMs: 1000 };
const BROKEN: Failed = {
  elsewhere: true,
  unexecuted: false,
  credential: false,
  busy: false,
  lapsed: false,
  refusal: false,
  tooLong: false,
  retryAfterMs: undefined,
};
const BUSY: Failed = { ...BROKEN, busy: true };
const SPENT: Failed = { ...BUSY, credential: true };
const world = (
  out: Readonly<Record<string, number>> = {},
  jitter = 0.5,
  contexts: Readonly<Record<string, number>> = {},
) => ({
  cooldownMs: ({ name }: Host) => out[name] ?? 0,
  contextOf: ({ name }: Host) => contexts[name] ?? 0,
  jitter,
});

/** Which host comes next after the named hosts failed so, and when. */
function after(
  plan: readonly Host[],
  tried: readonly (readonly [name: string, failed: Failed])[],
  rules: RetryRules = RULES,
  now = world(),
): string {
  const ways = plan.flatMap((place) => [place, ...(place.spares ?? [])]);
  const tries = tried.map(([name, failed]) => ({ target: ways.find((target) => target.name === name)!, failed }));
  const next = nextAsk(plan, tries, rules, now);
  return 'why' in next ? next.why : `${next.ask.name} ${next.waitMs}${next.newConnection ? ' anew' : ''}`;
}

const three = [host('a'), host('b'), host('c')];

describe('after a failure', () => {
  test('the request moves to another host at once, in the order of the plan, at most three times', () => {
    expect(after(three, [['a', BROKEN]])).toBe('b 0');
    expect(
      after(three, [
        ['a', BROKEN],
        ['b', { ...BUSY, retryAfterMs: 9_999_999 }],
      ]),
    ).toBe('c 0');
    const all: [string, Failed][] = ['a', 'b', 'c'].map((name) => [name, BROKEN]);
    expect(after([...three, host('d')], all)).toBe('attempts');
  });
  test('no host is tried if none could do better', () => {
    expect(after(three, [['a', { ...BROKEN, elsewhere: false }]])).toBe('final');
  });
  test('a refusal is final, unless the caller allows the next host after refusals', () => {
    const refused: Failed = { ...BROKEN, elsewhere: false, refusal: true };
    expect(after(three, [['a', refused]])).toBe('final');
    expect(after(three, [['a', refused]], { ...RULES, afterRefusals: true })).toBe('b 0');
    expect(after(three, [['a', { ...BROKEN, elsewhere: false }]], { ...RULES, afterRefusals: true })).toBe('final');
  });
  test('after a context that was too short, only hosts with a longer or an unknown context are tried', () => {
    const tooLong: Failed = { ...BROKEN, tooLong: true };
    const sized = (contexts: Readonly<Record<string, number>>) => world({}, 0.5, contexts);
    expect(after(three, [['a', tooLong]], RULES, sized({ a: 128, b: 128, c: 1000 }))).toBe('c 0');
    expect(after(three, [['a', tooLong]], RULES, sized({ a: 128, b: 64, c: 128 }))).toBe('no-host');
    expect(after(three, [['a', tooLong]], RULES, sized({ a: 128, c: 200 }))).toBe('b 0');
    const four = [...three, host('d')];
    const contexts = sized({ a: 128, b: 500, c: 64, d: 900 });
    expect(
      after(
        four,
        [
          ['a', tooLong],
          ['b', BROKEN],
        ],
        RULES,
        contexts,
      ),
    ).toBe('d 0');
  });
  test('a host that is out of service is skipped', () => {
    expect(after(three, [['a', BROKEN]], RULES, world({ b: 5 }))).toBe('c 0');
    expect(after(three, [['a', BROKEN]], RULES, world({ b: 5, c: 5 }))).toBe('no-host');
  });
  test('another format of the same host comes after every other host', () => {
    const plan = [host('a'), { provider: 'a', name: 'a2' }, host('b')];
    expect(after(plan, [['a', BROKEN]])).toBe('b 0');
    expect(
      after(plan, [
        ['a', BROKEN],
        ['b', BROKEN],
      ]),
    ).toBe('a2 0');
  });
  test('a call that must not run twice is retried only if it cannot have run', () => {
    const once = { ...RULES, onlyUnexecuted: true };
    expect(after(three, [['a', BROKEN]], once)).toBe('maybe-executed');
    expect(after(three, [['a', { ...BROKEN, unexecuted: true }]], once)).toBe('b 0');
  });
});

describe('the same host', () => {
  test('is retried only when it is busy, after an exponential backoff with jitter', () => {
    const alone = [host('a')];
    expect(after(alone, [['a', BROKEN]])).toBe('no-host');
    expect(after(alone, [['a', BUSY]])).toBe('a 50');
    expect(after(alone, [['a', BUSY]], RULES, world({}, 1))).toBe('a 100');
    expect(
      after(
        alone,
        [
          ['a', BUSY],
          ['a', BUSY],
        ],
        RULES,
        world({}, 1),
      ),
    ).toBe('a 200');
  });
  test('is retried after its retry-after time, and not at all if that is too long', () => {
    const alone = [host('a')];
    expect(after(alone, [['a', { ...BUSY, retryAfterMs: 900 }]])).toBe('a 900');
    expect(after(alone, [['a', { ...BUSY, retryAfterMs: 1001 }]])).toBe('too-long');
    expect(after(alone, [['a', BUSY]], RULES, world({ a: 700 }))).toBe('a 700');
    expect(after(alone, [['a', BUSY]], RULES, world({ a: 5000 }))).toBe('too-long');
  });
  test('is retried immediately, and once, if only a stale connection or token had expired', () => {
    const lapsed = { ...BROKEN, lapsed: true };
    expect(after(three, [['a', lapsed]])).toBe('a 0 anew');
    expect(
      after(three, [
        ['a', lapsed],
        ['a', lapsed],
      ]),
    ).toBe('b 0');
  });
});

describe('credentials', () => {
  const plan = [host('a', 'a#2', 'a#3'), host('b')];
  test('the next credential of the same host comes before another host, and only if the credential failed', () => {
    expect(after(plan, [['a', SPENT]])).toBe('a#2 0');
    expect(after(plan, [['a', BROKEN]])).toBe('b 0');
    expect(after(plan, [['a', SPENT]], RULES, world({ 'a#2': 1, 'a#3': 1 }))).toBe('b 0');
  });
  test('a request starts with the first credential in service, or with the very first if none is', () => {
    expect(firstInService(plan, world({ a: 1 }).cooldownMs)?.name).toBe('a#2');
    expect(firstInService(plan, world({ a: 1, 'a#2': 1, 'a#3': 1 }).cooldownMs)?.name).toBe('b');
    expect(firstInService(plan, () => 1)?.name).toBe('a');
    expect(firstInService([], () => 0)).toBeUndefined();
  });
});

const failed: fc.Arbitrary<Failed> = fc.record({
  elsewhere: fc.boolean(),
  unexecuted: fc.boolean(),
  credential: fc.boolean(),
  busy: fc.boolean(),
  lapsed: fc.boolean(),
  refusal: fc.boolean(),
  tooLong: fc.boolean(),
  retryAfterMs: fc.option(fc.nat(3000), { nil: undefined }),
});
const hosts = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 4 })
  .chain((names) => fc.tuple(...names.map((name) => fc.nat(2).map((spares) => host(name, ...keys(name, spares))))));
const keys = (name: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${name}#${index}`);

/** A whole request: every attempt fails as given, until no host is left to try. */
function play(plan: readonly Host[], failures: readonly Failed[], maxAttempts: number, out: number, jitter: number) {
  const tries: FailedAttempt<Host>[] = [];
  const waits: number[] = [];
  const now = world(Object.fromEntries(plan.map(({ name }, index) => [name, (out >> index) & 1])), jitter);
  let target = firstInService(plan, now.cooldownMs)!;
  for (const outcome of failures) {
    tries.push({ target, failed: outcome });
    const next = nextAsk(plan, tries, { ...RULES, maxAttempts }, now);
    if ('why' in next) break;
    waits.push(next.waitMs);
    target = next.ask;
  }
  return { tries, waits };
}

const story = fc.tuple(hosts, fc.array(failed, { minLength: 8, maxLength: 8 }), fc.integer({ min: 1, max: 3 }));
const chance = fc.tuple(fc.nat(15), fc.double({ min: 0, max: 1, noNaN: true }));

describe('every request', () => {
  test('makes at most the allowed number of attempts, and never waits beyond the bound', () => {
    fc.assert(
      fc.property(story, chance, ([plan, failures, max], [out, jitter]) => {
        const { tries, waits } = play(plan, failures, max, out, jitter);
        expect(tries.length).toBeLessThanOrEqual(max);
        expect(waits.every((waitMs) => waitMs >= 0 && waitMs <= RULES.maxWaitMs)).toBe(true);
      }),
    );
  });
  test('with a plan of one host never leaves it', () => {
    fc.assert(
      fc.property(story, chance, ([plan, failures, max], [out, jitter]) => {
        const only = plan[0]!;
        const { tries } = play([only], failures, max, out, jitter);
        expect(new Set(tries.map(({ target }) => target.provider))).toEqual(new Set([only.provider]));
      }),
    );
  });
  test('stops after a final failure', () => {
    fc.assert(
      fc.property(story, chance, ([plan, failures, max], [out, jitter]) => {
        const { tries } = play(plan, failures, max, out, jitter);
        for (const one of tries.slice(0, -1)) expect(one.failed.elsewhere || one.failed.lapsed).toBe(true);
      }),
    );
  });
  test('moves only to hosts in service', () => {
    fc.assert(
      fc.property(story, chance, ([plan, failures, max], [out, jitter]) => {
        const isOut = ({ name }: Host): boolean => ((out >> plan.findIndex((one) => one.name === name)) & 1) === 1;
        const { tries } = play(plan, failures, max, out, jitter);
        for (const [index, { target }] of tries.entries())
          if (index > 0 && target !== tries[index - 1]?.target)
            expect(plan.includes(target) && isOut(target)).toBe(false);
      }),
    );
  });
});

describe('fallbacks of the operator', () => {
  const plan = ['a', 'b', 'c', 'd', 'e'].map((name) => host(name));
  const steps = [
    { from: 2, on: ['error', 'over-rate'] },
    { from: 4, on: ['content-filter', 'error'] },
  ] as const;
  const rules: RetryRules = { ...RULES, steps };
  const ERROR: Failed = { ...BROKEN, kind: 'error' };
  const FILTERED: Failed = { ...BROKEN, elsewhere: false, refusal: true, kind: 'content-filter' };
  const LONG: Failed = { ...BROKEN, tooLong: true, kind: 'context-exceeded' };

  test('follow all hosts of the model, in order, after the failures they name', () => {
    expect(after(plan, [['a', ERROR]], rules)).toBe('b 0');
    expect(
      after(
        plan,
        [
          ['a', ERROR],
          ['b', ERROR],
        ],
        rules,
      ),
    ).toBe('c 0');
    expect(after(plan, [['a', FILTERED]], rules)).toBe('e 0');
    expect(
      after(
        plan,
        [
          ['a', LONG],
          ['b', LONG],
        ],
        rules,
      ),
    ).toBe('no-host');
  });

  test('a fallback does not lead back, and moves on among its own hosts', () => {
    expect(
      after(
        plan,
        [
          ['a', FILTERED],
          ['e', ERROR],
        ],
        rules,
      ),
    ).toBe('no-host');
    expect(
      after(
        plan,
        [
          ['b', ERROR],
          ['c', LONG],
        ],
        { ...rules, maxAttempts: 9 },
        world({}, 0.5, { c: 10, d: 20 }),
      ),
    ).toBe('d 0');
  });

  test('behind a canary the plan follows any failure, refusals included', () => {
    const behind: RetryRules = { ...rules, steps: [{ from: 1, on: 'any' }, ...steps] };
    const refused: Failed = { ...BROKEN, elsewhere: false, refusal: true };
    for (const failed of [ERROR, FILTERED, LONG, refused]) expect(after(plan, [['a', failed]], behind)).toBe('b 0');
    expect(firstInService(plan, ({ name }) => (name === 'a' ? 1 : 0), behind.steps)?.name).toBe('b');
    // What fails behind it has its own rules again.
    expect(
      after(
        plan,
        [
          ['a', refused],
          ['b', refused],
        ],
        behind,
      ),
    ).toBe('final');
  });

  test('each adds one attempt to the limit, for another model only', () => {
    const spent: [string, Failed][] = ['a', 'b', 'a'].map((name) => [name, ERROR]);
    expect(
      after([host('a'), host('b'), host('x'), ...plan.slice(2)], spent, {
        ...rules,
        steps: [{ from: 3, on: ['error'] }],
      }),
    ).toBe('c 0');
    expect(after(plan, [...spent, ['c', ERROR], ['e', ERROR]], rules)).toBe('attempts');
    expect(after(three, spent, RULES)).toBe('attempts');
  });

  test('a request begins with one only if it follows errors', () => {
    const down = world({ a: 1, b: 1 }).cooldownMs;
    expect(firstInService(plan, down, steps)?.name).toBe('c');
    expect(firstInService(plan, down, [{ from: 2, on: ['over-rate'] }])?.name).toBe('a');
  });
});
