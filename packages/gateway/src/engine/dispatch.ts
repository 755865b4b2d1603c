/** Tries the plan's hosts until one answers. May move on only while no content has reached the caller. */
import { MAY_REPEAT } from '@trivium/protocol/canonical';
import { refusesSeals } from '@trivium/protocol/dialects';
import { firstWay, nextAsk, type RetryRules, type Try } from '../routing/next.ts';
import { Attempt } from './attempt.ts';
import type { AttemptPorts } from './attempt-ports.ts';
import { tryHedged, wantsHedging } from './hedge.ts';
import { failedOf } from './judge-failure.ts';
import { type Lane, laneWithoutSeals } from './lane.ts';
import type { CallerPort, Hedging, RetryBudget, Target } from './ports.ts';
import { contextOf } from './room.ts';
import { laneWithoutMembers } from './spare-members.ts';
import { type Admitted, type Answered, grow } from './stages.ts';
import { Failure, tryWay } from './try-way.ts';
import { wishesOf } from './wishes.ts';

export type Retrying = {
  readonly rules: RetryRules;
  readonly budget: RetryBudget;
  readonly hedging: Hedging;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Runs once after so long; what it gives back takes it back. */
  readonly after: (ms: number, run: () => void) => () => void;
};

export async function dispatch(admitted: Admitted, ports: AttemptPorts, retrying: Retrying): Promise<Answered> {
  const way = begin(admitted.plan, ports);
  retrying.budget.asked(way.provider);
  const tried = await (wantsHedging(admitted)
    ? tryHedged(admitted, way, ports, retrying)
    : tryWay(admitted, way, ports));
  const failures = tried instanceof Failure ? [tried] : tried instanceof Attempt ? [] : tried;
  const attempt = tried instanceof Attempt ? tried : await tryOn(admitted, failures, ports, retrying);
  return grow(admitted, { attempt, losses: attempt.lane.losses });
}

function begin(plan: readonly Target[], { health, clock }: AttemptPorts): Target {
  const nowMs = clock.monotonicMs();
  const outForMs = ({ routeKey }: Target): number => health.outForMs(routeKey, nowMs);
  const first = plan[0];
  const way = first !== undefined && outForMs(first) === 0 ? first : firstWay(plan, outForMs);
  if (way === undefined) throw new Error('a plan without a target');
  return way;
}

/** After a failure: whoever comes next, until one answers or there is nobody left to ask. */
async function tryOn(
  admitted: Admitted,
  failures: readonly Failure[],
  ports: AttemptPorts,
  retrying: Retrying,
): Promise<Attempt> {
  const { health, clock } = ports;
  const rules = rulesFor(admitted, retrying.rules);
  const tries: Try<Target>[] = failures.map((one) => ({ way: one.way, failed: failedOf(one) }));
  const all = [...failures];
  let failure = failures.at(-1)!;
  let maySpareSeals = true;
  let sparings = 0;
  for (;;) {
    const nowMs = clock.monotonicMs();
    if (nowMs - admitted.startedAtMs > ports.limits.waits[failure.way.modelClass].totalMs) throw errorFor(all);
    // Once for a request: whoever refuses what bears no seals has another reason.
    const mayAsk = tries.length < rules.maxAttempts;
    const stripped = mayAsk && maySpareSeals ? await withoutSeals(admitted, failure) : undefined;
    const spared = mayAsk && stripped === undefined ? laneWithoutMembers(admitted, failure, sparings) : undefined;
    let tried: Attempt | Failure;
    if (stripped !== undefined) {
      maySpareSeals = false;
      tried = await tryWay(admitted, failure.way, ports, { stripped });
    } else if (spared !== undefined) {
      sparings++;
      tried = await tryWay(admitted, failure.way, ports, { spared });
    } else {
      const outForMs = ({ routeKey }: Target): number => health.outForMs(routeKey, nowMs);
      const next = nextAsk(admitted.plan, tries, rules, { outForMs, contextOf, dice: retrying.random() });
      if ('why' in next || !retrying.budget.take(tries[0]!.way.provider, nowMs)) throw errorFor(all);
      if (next.waitMs > 0) await pause(next.waitMs, admitted.reply, retrying);
      tried = await tryWay(admitted, next.ask, ports, { anew: next.anew });
    }
    if (!(tried instanceof Failure)) return tried;
    failure = tried;
    all.push(tried);
    tries.push({ way: failure.way, failed: failedOf(failure) });
  }
}

/** The last failure; where each host named a limit of its own for the same field, the widest of them. */
function errorFor(failures: readonly Failure[]): unknown {
  let chosen = failures.at(-1)!;
  for (const each of failures)
    if (
      each.fault.field === chosen.fault.field &&
      (each.fault.atMost ?? 0) > (chosen.fault.atMost ?? Number.POSITIVE_INFINITY)
    )
      chosen = each;
  return chosen.error;
}

/** What may not be made twice is asked for again only after proof that nothing was made, or at the caller's own word. */
function rulesFor(admitted: Admitted, rules: RetryRules): RetryRules {
  const { dialect, headers } = admitted;
  const isSafe = MAY_REPEAT[dialect.operation] === 'after any failure' || headers.has('idempotency-key');
  const afterRefusals = wishesOf(admitted)?.onRefusal === 'next';
  return { ...rules, onlyUnexecuted: !isSafe, afterRefusals };
}

function withoutSeals(admitted: Admitted, { way, lane, fault }: Failure): Lane | undefined | Promise<Lane | undefined> {
  if (lane === undefined || !refusesSeals(way.dialect.client.sealRefusals, fault)) return undefined;
  return laneWithoutSeals(admitted, way, lane);
}

/** Ends early when the caller leaves. */
const pause = (ms: number, reply: CallerPort, { after }: Retrying): Promise<void> =>
  new Promise((resolve) => {
    const cancel = after(ms, resolve);
    reply.onGone(() => {
      cancel();
      resolve();
    });
  });
