/**
 * One of three hosts fails, stalls or trickles: it is ejected after a few bad calls, probed by single calls, and
 * restored soon after it recovers. Calls rotate through the hosts one after the other, so that the counts are exact.
 */
import { ask, chatQuestion } from '../parts/ask.ts';
import { type Host, modelAt, providerOf } from '../parts/dialect-hosts.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { rounded, succeeded } from '../parts/load.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, atMost, type Check, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly outMs: number;
  readonly firstByteMs: number;
  /** Calls before anything breaks: they fill the retry budget, so that no caller sees the failures. */
  readonly warmCalls: number;
};

const TROUBLES = {
  failing: { instruction: 'status=500', atMost: 5 },
  stalling: { instruction: 'fault=stall-before-headers', atMost: 3 },
  dripping: { instruction: 'fault=slow-drip drip=100', atMost: 3 },
} as const;
type Trouble = keyof typeof TROUBLES;
const TROUBLE_NAMES = Object.keys(TROUBLES) as readonly Trouble[];

const PLACES = ['east', 'west', 'north'] as const;
const hostOf = (trouble: Trouble, place: (typeof PLACES)[number]): string => `${trouble}-${place}`;
const modelOf = (trouble: Trouble): string => `rt/${trouble}`;
/** The one that breaks. */
const BAD = PLACES[1];

const SHARE_CALLS = 15;
/** Timeout of each step in ms: the longest ejection of a host, plus a margin. */
const PHASE_LIMIT_MS = 45_000;
const CALL_LIMIT_MS = 60_000;
const CALL_EVERY_MS = 60;

/** Callers of one model, one call after the other, and what its bad host saw of them. */
class Round {
  readonly #gateway: GatewayProcess;
  readonly #upstream: SimulatorProcess;
  readonly #trouble: Trouble;
  failed = 0;

  constructor(gateway: GatewayProcess, upstream: SimulatorProcess, trouble: Trouble) {
    this.#gateway = gateway;
    this.#upstream = upstream;
    this.#trouble = trouble;
  }

  async call(): Promise<void> {
    const options = { stream: true, provider: { type: 'round_robin' } };
    const question = chatQuestion(this.#gateway.url, modelOf(this.#trouble), 'Hello', options);
    const reply = await ask({ ...question, limitMs: CALL_LIMIT_MS });
    if (!succeeded(reply) || !reply.text.trimEnd().endsWith('[DONE]')) this.failed += 1;
  }

  async calls(times: number): Promise<void> {
    for (let time = 0; time < times; time++) await this.call();
  }

  /** When each call reached the bad host, on the machine's monotonic clock. */
  async seen(): Promise<readonly { readonly atMs: number; readonly well: boolean }[]> {
    const host = hostOf(this.#trouble, BAD);
    const entries = (await this.#upstream.truth()).filter((entry) => entry.host === host);
    return entries.map(({ receivedAtMs, faults, status }) => ({
      atMs: receivedAtMs,
      well: faults.length === 0 && status === 200,
    }));
  }

  /** Calls until the bad host has had no call for this long; returns how many bad calls it had until then. */
  async untilLeftAlone(forMs: number): Promise<number> {
    await waitFor(`${this.#trouble}: it is left out`, () => this.#isAlone(forMs), PHASE_LIMIT_MS, CALL_EVERY_MS);
    return (await this.seen()).filter(({ well }) => !well).length;
  }

  async #isAlone(forMs: number): Promise<boolean> {
    await this.call();
    const bad = (await this.seen()).filter(({ well }) => !well);
    const last = bad.at(-1);
    return last !== undefined && nowMs() - last.atMs > forMs;
  }

  /** Calls until the calls of the bad host fulfil a condition. */
  until(what: string, holds: (seen: Awaited<ReturnType<Round['seen']>>) => boolean): Promise<number> {
    const look = async (): Promise<boolean> => {
      await this.call();
      return holds(await this.seen());
    };
    return waitFor(`${this.#trouble}: ${what}`, look, PHASE_LIMIT_MS, CALL_EVERY_MS);
  }
}

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

async function suffer(
  trouble: Trouble,
  { outMs, firstByteMs, warmCalls }: Parameters,
  gateway: GatewayProcess,
  upstream: SimulatorProcess,
): Promise<Outcome> {
  const round = new Round(gateway, upstream, trouble);
  await round.calls(warmCalls);
  const before = (await round.seen()).length;

  await upstream.forget();
  await upstream.breakWith(TROUBLES[trouble].instruction, hostOf(trouble, BAD));
  // Longer than a stall, shorter than an ejection: no call reaches it any more.
  const badCalls = await round.untilLeftAlone(firstByteMs + (outMs - firstByteMs) / 2);
  const isProbed = (seen: readonly { readonly well: boolean }[]): boolean =>
    seen.filter(({ well }) => !well).length > badCalls;
  await round.until('it is tried again', isProbed);
  const bad = (await round.seen()).filter(({ well }) => !well);
  const firstOutMs = (bad[badCalls]?.atMs ?? 0) - (bad[badCalls - 1]?.atMs ?? 0);
  await round.untilLeftAlone(firstByteMs + (outMs - firstByteMs) / 2);
  const failedProbes = (await round.seen()).filter(({ well }) => !well).length - badCalls;

  await upstream.heal();
  const atHeal = (await round.seen()).length;
  const backMs = await round.until('it answers again', (seen) => seen.length > atHeal && seen.at(-1)?.well === true);
  const probesToReturn = (await round.seen()).length - atHeal;
  const atReturn = (await round.seen()).length;
  await round.calls(SHARE_CALLS);
  const shareAfter = (await round.seen()).length - atReturn;

  const checks: Check[] = [
    atLeast(`${trouble}: calls of the host while it was well`, before, Math.floor(warmCalls / PLACES.length)),
    atMost(`${trouble}: bad calls until it is left out`, badCalls, TROUBLES[trouble].atMost),
    atLeast(`${trouble}: ms it is left out`, rounded(firstOutMs, 0), outMs),
    exactly(`${trouble}: calls that try it while it is bad`, failedProbes, 1),
    atMost(`${trouble}: calls that try it before it is back`, probesToReturn, 2),
    atLeast(`${trouble}: of ${SHARE_CALLS} calls after that, its share`, shareAfter, SHARE_CALLS / PLACES.length),
    exactly(`${trouble}: callers who noticed`, round.failed, 0),
  ];
  return {
    figures: { [trouble]: { badCalls, firstOutMs: rounded(firstOutMs, 0), backMs: rounded(backMs, 0) } },
    checks,
  };
}

export const ejection = scenario<Parameters>({
  name: 'ejection',
  shows:
    'a host that fails, falls silent or drips is left out after 5 failures or 3 silences, and back within 2 trials when it heals',
  short: { outMs: 2500, firstByteMs: 700, warmCalls: 90 },
  full: { outMs: 10_000, firstByteMs: 3000, warmCalls: 90 },
  run: async (parameters, stage) => {
    const { outMs, firstByteMs } = parameters;
    // One simulator per kind of failure: healing one must not heal the others.
    const upstreams = await stage.simulators(TROUBLE_NAMES);
    const hosts = TROUBLE_NAMES.flatMap((trouble) =>
      PLACES.map(
        (place): Host => ({ name: hostOf(trouble, place), dialect: 'openai-chat', upstream: upstreams[trouble] }),
      ),
    );
    const gateway = await stage.gateway({
      providers: Object.assign({}, ...hosts.map(providerOf)),
      models: TROUBLE_NAMES.map((trouble) =>
        modelAt(
          modelOf(trouble),
          hosts.filter(({ upstream }) => upstream === upstreams[trouble]),
        ),
      ),
      health: { outMs, maxOutMs: 6 * outMs },
      timeouts: { firstByteMs, silenceMs: firstByteMs },
    });
    const outcomes = await Promise.all(
      TROUBLE_NAMES.map((trouble) => suffer(trouble, parameters, gateway, upstreams[trouble])),
    );
    return {
      figures: Object.assign({}, ...outcomes.map(({ figures }) => figures)),
      checks: outcomes.flatMap(({ checks }) => checks),
    };
  },
});
