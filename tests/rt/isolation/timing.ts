/** Does the time of a key check tell how much of a key was right? Welch's t-test, and a comparer that does tell, to test the test. */
import { crc32 } from 'node:zlib';
import { newKeySecret } from '../../../packages/gateway/src/accounts/key-secret.ts';
import { KnownKeys } from '../../../packages/gateway/src/accounts/known-keys.ts';
import { StaticKeys } from '../../../packages/gateway/src/accounts/static-keys.ts';

/** Beyond it two means differ, as leakage tests have it. */
export const T_LIMIT = 4.5;
/** The slowest measurements are those the machine disturbed; both classes lose them alike. */
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
  // Through bytes, so that no string is laid out in another way than the other class's.
  return Buffer.from(`${LEAD}${random}${check.toString('base64url')}`).toString('latin1');
}

/** What not to do. */
function comparesEarly(real: string, given: string): boolean {
  if (real.length !== given.length) return false;
  for (let at = 0; at < real.length; at++) if (real.charCodeAt(at) !== given.charCodeAt(at)) return false;
  return true;
}

/** Nothing shared against all but the last few characters, in random order, each key used once. */
async function tOf(
  check: (key: string) => unknown,
  real: string,
  samples: number,
  random: () => number,
): Promise<number> {
  const times: [number[], number[]] = [[], []];
  for (let sample = 0; sample < samples; sample++) {
    const kind = random() < 0.5 ? 0 : 1;
    const key = wrongKey(real, kind === 0 ? 0 : RANDOM_LENGTH - 3);
    const started = process.hrtime.bigint();
    const found = check(key);
    const ended = process.hrtime.bigint();
    times[kind].push(Number(ended - started));
    await found;
  }
  const all = [...times[0], ...times[1]].sort((one, other) => one - other);
  const limit = all[Math.floor(all.length * KEPT_SHARE)] ?? Number.POSITIVE_INFINITY;
  const keep = (values: readonly number[]): number[] => values.filter((value) => value <= limit);
  return Math.abs(welch(keep(times[0]), keep(times[1])));
}

export type TimingFigures = { readonly samples: number; readonly t: number; readonly plantedT: number };

export async function measureTiming(samples: number, random: () => number): Promise<TimingFigures> {
  const real = newKeySecret();
  const source = { find: async () => undefined };
  const keys = new KnownKeys({ source, monotonicMs: () => 0, graceMs: 0, onTrouble: () => undefined });
  const accounts = keys.behind(new StaticKeys([], () => 0));
  const check = (key: string): unknown => accounts.find(key);
  const planted = (key: string): boolean => comparesEarly(real, key);
  // Both are compiled before anything is counted.
  await tOf(check, real, 5000, random);
  await tOf(planted, real, 5000, random);
  return { samples, t: await tOf(check, real, samples, random), plantedT: await tOf(planted, real, samples, random) };
}
