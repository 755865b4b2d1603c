import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Caller } from '../../kernel/caller.ts';
import { allRangesCovered, isRange, rangeMatcher } from './address-ranges.ts';
import { callerOf } from './caller.ts';
import {
  excessOf,
  inheriting,
  KEY_ENDPOINTS,
  KEY_PROTOCOLS,
  type Rights,
  ROLES,
  roleRank,
  withinCeiling,
} from './rights.ts';

type Use = {
  readonly model: string;
  readonly provider: string;
  readonly protocol: string;
  readonly endpoint: string;
  readonly address: string;
  readonly atMs: number;
  readonly loss: string;
};

/** Everything that the engine checks of a caller, and its expiry. */
const allows = (rights: Rights, { mayUse, strict, bounds }: Caller, use: Use): boolean => {
  return (
    mayUse(use.model) &&
    bounds?.providers?.has(use.provider) !== false &&
    bounds?.protocols?.has(use.protocol) !== false &&
    bounds?.endpoints?.has(use.endpoint) !== false &&
    (bounds?.mayCallFrom === undefined || bounds.mayCallFrom(use.address)) &&
    (rights.expiresAt === undefined || use.atMs < Date.parse(rights.expiresAt)) &&
    (!strict || bounds?.tolerates?.(use.loss) === true)
  );
};

// Few names, so that random rights often overlap.
const name = fc.constantFrom('a', 'ab', 'abc', 'b', 'b/c');
const pattern = fc.oneof(
  name,
  name.map((text) => `${text}*`),
  fc.constant('*'),
);
const listOf = <T>(item: fc.Arbitrary<T>) => fc.option(fc.array(item, { maxLength: 3 }), { nil: undefined, freq: 1 });
const octet = fc.constantFrom(0, 1, 128, 255);
const v4 = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.'));
const v6 = fc.constantFrom('::1', '2001:db8::1', '2001:db8:0:1::', 'fd00::', '::ffff:1.1.1.1');
const range = fc.oneof(
  fc.tuple(v4, fc.constantFrom(0, 1, 7, 8, 24, 31, 32)).map(([address, prefix]) => `${address}/${prefix}`),
  fc.tuple(v6, fc.constantFrom(0, 16, 48, 64, 127, 128)).map(([address, prefix]) => `${address}/${prefix}`),
  v4,
);
const moment = fc.constantFrom('2026-01-01T00:00:00Z', '2026-06-01T00:00:00+02:00', '2026-06-01T00:00:00Z');
const rights: fc.Arbitrary<Rights> = fc
  .record({
    models: listOf(pattern),
    providers: listOf(name),
    protocols: listOf(fc.constantFrom(...KEY_PROTOCOLS)),
    endpoints: listOf(fc.constantFrom(...KEY_ENDPOINTS)),
    addresses: listOf(range),
    expiresAt: fc.option(moment, { nil: undefined, freq: 1 }),
    strict: fc.option(fc.boolean(), { nil: undefined, freq: 1 }),
    tolerates: listOf(pattern),
    manages: fc.option(fc.constantFrom(...ROLES), { nil: undefined, freq: 1 }),
  })
  .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Rights);
const use: fc.Arbitrary<Use> = fc.record({
  model: name,
  provider: name,
  protocol: fc.constantFrom(...KEY_PROTOCOLS),
  endpoint: fc.constantFrom(...KEY_ENDPOINTS),
  address: fc.oneof(v4, v6),
  atMs: moment.map((text) => Date.parse(text) - 1),
  loss: name,
});

describe('rate limits', () => {
  const parent: Rights = { rateLimits: { requestsPerMinute: 60, inFlight: 4 } };
  test.each([
    ['lower ones', { requestsPerMinute: 6, inFlight: 4 }, []],
    ['a limit the parent has not', { requestsPerMinute: 6, inFlight: 4, tokensPerMinute: 9 }, []],
    ['a higher one', { requestsPerMinute: 61, inFlight: 4 }, ['rateLimits']],
    ['one left out', { requestsPerMinute: 60 }, ['rateLimits']],
  ])('of a child: %s', (_case, rateLimits, excess) => {
    expect(excessOf({ rateLimits }, parent)).toEqual(excess);
  });
  test('that are left out are inherited one by one from the parent', () => {
    const asked = { rateLimits: { requestsPerMinute: 6 } };
    expect(inheriting(asked, parent).rateLimits).toEqual({ requestsPerMinute: 6, inFlight: 4 });
    expect(inheriting({}, {})).not.toHaveProperty('rateLimits');
  });
});

describe('rights', () => {
  test('of a child that is within its parent allow nothing the parent does not', () => {
    let within = 0;
    fc.assert(
      fc.property(rights, rights, fc.array(use, { minLength: 10, maxLength: 10 }), (parent, asked, uses) => {
        // Half the time as created through the API, which fills in what was left out.
        for (const child of [asked, inheriting(asked, parent)]) {
          if (excessOf(child, parent).length > 0) continue;
          within++;
          expect(roleRank(child.manages)).toBeLessThanOrEqual(roleRank(parent.manages));
          const [small, large] = [callerOf('k', 'a', child), callerOf('k', 'a', parent)];
          for (const one of uses) if (allows(child, small, one)) expect(allows(parent, large, one)).toBe(true);
        }
      }),
      { numRuns: 10_000 },
    );
    expect(within).toBeGreaterThan(1000);
  });

  test("do not exceed themselves, and a child without explicit rights gets its parent's, but no role", () => {
    fc.assert(
      fc.property(rights, (parent) => {
        expect(excessOf(parent, parent)).toEqual([]);
        const child = inheriting({}, parent);
        expect(excessOf(child, parent)).toEqual([]);
        expect(child.manages).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });

  test('name every right in which a child would exceed its parent', () => {
    const parent: Rights = {
      models: ['openai/*'],
      providers: ['openai'],
      protocols: ['chat'],
      endpoints: ['text'],
      addresses: ['10.0.0.0/8'],
      expiresAt: '2026-01-01T00:00:00Z',
      strict: true,
      manages: 'developer',
    };
    expect(excessOf({}, parent)).toEqual([
      'models',
      'providers',
      'protocols',
      'endpoints',
      'addresses',
      'expiresAt',
      'strict',
    ]);
    expect(excessOf({ ...parent, models: ['*'] }, parent)).toEqual(['models']);
    const one = { ...parent, models: ['openai/gpt-4o'] };
    expect(excessOf(one, one)).toEqual([]);
    expect(excessOf({ ...one, models: ['openai/gpt-5'] }, one)).toEqual(['models']);
    expect(excessOf({ ...parent, addresses: ['10.0.0.0/7'] }, parent)).toEqual(['addresses']);
    expect(excessOf({ ...parent, tolerates: ['seed'] }, parent)).toEqual(['strict']);
    expect(excessOf({ ...parent, manages: 'admin' }, parent)).toEqual(['manages']);
  });
});

describe('address ranges', () => {
  test('accept only valid forms', () => {
    for (const text of ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1', '::/0']) expect(isRange(text)).toBe(true);
    for (const text of [
      '',
      '10.0.0.0/33',
      '10.0.0/8',
      '::1/129',
      'fe80::1%eth0',
      '10.0.0.0/08',
      'example.com',
      '1.2.3.4/8/8',
    ])
      expect(isRange(text)).toBe(false);
  });

  test('contain their addresses, even as IPv4 mapped in IPv6', () => {
    const inOffice = rangeMatcher(['10.1.0.0/16', '2001:db8::/32']);
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8:5::1']) expect(inOffice(address)).toBe(true);
    for (const address of ['10.2.0.1', '2001:db9::1', '', 'nonsense']) expect(inOffice(address)).toBe(false);
  });

  test('cover narrower ones of the same family only', () => {
    expect(allRangesCovered(['10.1.0.0/16', '10.9.9.9'], ['10.0.0.0/8'])).toBe(true);
    expect(allRangesCovered(['::/0'], ['0.0.0.0/0'])).toBe(false);
    expect(allRangesCovered(['no range'], ['0.0.0.0/0'])).toBe(false);
  });
});

describe('the ceiling of a member', () => {
  const ceiling = rights.map(
    ({ models, providers, protocols, endpoints }) =>
      Object.fromEntries(
        Object.entries({ models, providers, protocols, endpoints }).filter(([, value]) => value !== undefined),
      ) as Rights,
  );

  test('a key within it may do what both allow, and nothing else', () => {
    fc.assert(
      fc.property(rights, ceiling, use, (own, most, at) => {
        const both = withinCeiling(own, most);
        const may = (one: Rights): boolean => allows(one, callerOf('k', 'a', one), at);
        expect(may(both)).toBe(may(own) && may(most));
      }),
      { numRuns: 3000 },
    );
  });

  test('the lower rate holds', () => {
    const both = withinCeiling(
      { rateLimits: { requestsPerMinute: 60, inFlight: 2 } },
      { rateLimits: { requestsPerMinute: 10, tokensPerMinute: 5 } },
    );
    expect(both.rateLimits).toEqual({ requestsPerMinute: 10, inFlight: 2, tokensPerMinute: 5 });
    expect(withinCeiling({ manages: 'admin' }, { rateLimits: { burst: 1 } })).toEqual({
      manages: 'admin',
      rateLimits: { burst: 1 },
    });
  });
});
