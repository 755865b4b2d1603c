/** Does the time of a key check reveal how much of a key was right? Welch's t-test, and a leaky comparison to test the test. */
import { crc32 } from 'node:zlib';
import { authenticate } from '../../../packages/gateway/src/calls/entry/authenticate.ts';
import type { ReceivedHead } from '../../../packages/gateway/src/calls/request.ts';
import type { Accounts } from '../../../packages/gateway/src/kernel/caller-port.ts';
import { hashSecret, newKeySecret } from '../../../packages/gateway/src/people/accounts/key-secret.ts';
import { KnownKeys } from '../../../packages/gateway/src/people/accounts/known-keys.ts';
import { StaticKeys } from '../../../packages/gateway/src/people/accounts/static-keys.ts';

/** The usual t threshold of leakage tests, above which two means differ. */
export const T_LIMIT = 4.5;
/** Share of measurements that is kept: the slowest ones, disturbed by the machine, are cut in both classes. */
const KEPT_SHARE = 0.9;

function welch(one: readonly number[], other: readonly number[]): number {
  const stats = (values: readonly number[]) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
    return { mean, share: variance / values.length };
  };
  const [a, b] = [stats(one), stats(other)];
  return (a.mean - b.mean) / Math.sqrt(a.share + b.share);
}

const LEAD = 'sk-trivium-';
const RANDOM_LENGTH = 43;

/** A wrong key that is well formed and shares its first random characters with a real one. */
function wrongKey(real: string, shared: number): string {
  const fresh = newKeySecret();
  const random = `${real.slice(LEAD.length, LEAD.length + shared)}${fresh.slice(LEAD.length + shared, LEAD.length + RANDOM_LENGTH)}`;
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(random));
  // Through bytes, so that the strings of both classes have the same memory layout.
  return Buffer.from(`${LEAD}${random}${check.toString('base64url')}`).toString('latin1');
}

/** A leaky comparison: stops at the first difference. */
function comparesEarly(real: string, given: string): boolean {
  if (real.length !== given.length) return false;
  for (let at = 0; at < real.length; at++) if (real.charCodeAt(at) !== given.charCodeAt(at)) return false;
  return true;
}

type KeyMaker = () => string;

/** Two kinds of keys, in random order. `isWaited`: measure until the promise is settled, not only until the call returns. */
async function tBetween(
  check: (key: string) => unknown,
  makers: readonly [KeyMaker, KeyMaker],
  samples: number,
  random: () => number,
  isWaited = false,
): Promise<number> {
  const times: [number[], number[]] = [[], []];
  for (let sample = 0; sample < samples; sample++) {
    const kind = random() < 0.5 ? 0 : 1;
    // Both are created in random order: the last one is nearer in memory, and must not always be of the same kind.
    const first = random() < 0.5 ? 0 : 1;
    const made: [string, string] = ['', ''];
    made[first] = makers[first]();
    made[1 - first] = makers[1 - first]!();
    const key = made[kind];
    const started = process.hrtime.bigint();
    const found = check(key);
    if (isWaited) await found;
    const ended = process.hrtime.bigint();
    times[kind].push(Number(ended - started));
    await found;
  }
  const all = [...times[0], ...times[1]].sort((one, other) => one - other);
  const limit = all[Math.floor(all.length * KEPT_SHARE)] ?? Number.POSITIVE_INFINITY;
  const keep = (values: readonly number[]): number[] => values.filter((value) => value <= limit);
  return Math.abs(welch(keep(times[0]), keep(times[1])));
}

/** Enough different keys that none is used twice: a known-unknown key is cached and refused sooner. */
const DIFFERING = 8;

/** Nothing shared against all but the last few characters, each key used once. */
const tOf = (check: (key: string) => unknown, real: string, samples: number, random: () => number): Promise<number> =>
  tBetween(check, [() => wrongKey(real, 0), () => wrongKey(real, RANDOM_LENGTH - DIFFERING)], samples, random);

export type TimingFigures = { readonly samples: number; readonly t: number; readonly plantedT: number };

export async function measureTiming(samples: number, random: () => number): Promise<TimingFigures> {
  const real = newKeySecret();
  const source = { find: async () => undefined };
  const keys = new KnownKeys({ source, monotonicMs: () => 0, graceMs: 0, onTrouble: () => undefined });
  const accounts = keys.behind(new StaticKeys([], () => 0));
  const check = (key: string): unknown => accounts.find(key);
  const planted = (key: string): boolean => comparesEarly(real, key);
  // Warm up both before measuring.
  await tOf(check, real, 5000, random);
  await tOf(planted, real, 5000, random);
  return { samples, t: await tOf(check, real, samples, random), plantedT: await tOf(planted, real, samples, random) };
}

/** Authenticates as the data plane does; false for every refusal. */
async function isTaken(accounts: Accounts, key: string): Promise<boolean> {
  const headers = new Map([['authorization', `Bearer ${key}`]]);
  const received = { headers, reply: { address: '127.0.0.1' }, protocol: 'chat' } as unknown as ReceivedHead;
  try {
    await authenticate(received, accounts, false);
    return true;
  } catch {
    return false;
  }
}

const PREFIX_LENGTH = LEAD.length + 12;

export type AuthenticationFigures = {
  /** An unknown key against one that begins like a known one. */
  readonly t: number;
  /** One unknown key against one revoked key, repeated. Printed, not checked: the holder may learn that a key is revoked. */
  readonly revokedT: number;
  /** The first comparison, where keys are looked up by prefix before they are hashed. */
  readonly plantedT: number;
};

/** The path of a key from the request headers to its refusal, with keys in the file, in memory and in the store. */
export async function measureAuthentication(samples: number, random: () => number): Promise<AuthenticationFigures> {
  const [inFile, inStore, revoked] = [newKeySecret(), newKeySecret(), newKeySecret()];
  const record = { keyId: 'k', accountId: 'a', memberId: undefined, rights: {}, expiresInMs: undefined };
  const stored = new Map([[hashSecret(inStore), { ...record, isSuspended: false, role: undefined }]]);
  const source = { find: async (hash: string) => stored.get(hash) };
  const keys = new KnownKeys({
    source,
    monotonicMs: () => performance.now(),
    graceMs: 60_000,
    onTrouble: () => undefined,
  });
  keys.nowListening();
  const file = [{ name: 'f', hash: hashSecret(inFile), account: 'f', strict: false }];
  const accounts = keys.behind(new StaticKeys(file, () => 0));
  for (const known of [inFile, inStore])
    if (!(await isTaken(accounts, known))) throw new Error('a known key was not taken');
  const leaking: Accounts = {
    find: (secret) => {
      const rows = [inFile, inStore].filter((known) => secret.startsWith(known.slice(0, PREFIX_LENGTH)));
      const isRight = rows.some((known) => hashSecret(secret) === hashSecret(known));
      return isRight ? undefined : accounts.find(secret);
    },
  };
  // Repeated prefixes are faster because of the processor's caches, so both kinds have some.
  const [never, neither] = [newKeySecret(), newKeySecret()];
  const unknown = (): string => wrongKey(random() < 0.5 ? never : neither, RANDOM_LENGTH - 3);
  const known = (): string => wrongKey(random() < 0.5 ? inFile : inStore, RANDOM_LENGTH - 3);
  const copyOf = (key: string) => (): string => Buffer.from(key).toString('latin1');
  const measure = (of: Accounts, makers: readonly [KeyMaker, KeyMaker], count = samples): Promise<number> =>
    tBetween((key) => isTaken(of, key), makers, count, random, true);
  // Warm up before measuring.
  await measure(accounts, [unknown, known], 5000);
  await measure(leaking, [unknown, known], 5000);
  return {
    t: await measure(accounts, [unknown, known]),
    revokedT: await measure(accounts, [copyOf(never), copyOf(revoked)]),
    plantedT: await measure(leaking, [unknown, known]),
  };
}
