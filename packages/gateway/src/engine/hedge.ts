/**
 * A second request beside one whose first token is late, to another host; whoever has content first answers. The other is
 * stopped, and what it used is the operator's cost. Only for streams whose caller wants it, within a guard on spending.
 */
import { GatewayError } from '@trivium/protocol/canonical';
import { type Failed, nextAsk, type RetryRules } from '../routing/next.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptPorts } from './attempt-ports.ts';
import type { Hedging, Target } from './ports.ts';
import { contextOf } from './room.ts';
import type { Admitted, AttemptRecord } from './stages.ts';
import { closeIfLeft, Failure, GONE, type TryOptions, tryWay } from './try-way.ts';

const HEADER = 'x-trivium-hedge';
const LOST = new GatewayError({ kind: 'cancelled', message: 'Another host was quicker.' });
/** As if it had failed: somebody else is to be asked, at once. */
const LATE: Failed = {
  elsewhere: true,
  unexecuted: false,
  credential: false,
  busy: false,
  lapsed: false,
  refusal: false,
  tooLong: false,
  retryAfterMs: undefined,
};

export type HedgePorts = {
  readonly rules: RetryRules;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly hedging: Hedging;
};

/** The header decides, then the key. */
export function wantsHedging({ headers, head, caller, understanding, dialect }: Admitted): boolean {
  if (!understanding.stream || dialect.operation !== 'text') return false;
  return headers.has(HEADER) ? head.header(HEADER)?.trim() === 'true' : caller.hedges === true;
}

type Seen = { attempt?: Attempt; line?: AttemptRecord };
type Runner = { readonly tried: Promise<Attempt | Failure>; readonly seen: Seen };

/** The answer that began first, or every failure. */
export async function tryHedged(
  admitted: Admitted,
  way: Target,
  ports: AttemptPorts,
  hedge: HedgePorts,
): Promise<Attempt | readonly Failure[]> {
  const runners: Runner[] = [];
  let isOver = false;
  const run = (target: Target): Runner => {
    const seen: Seen = {};
    const options: TryOptions = {
      onAttempt: (attempt) => {
        // Its call took so long to be written that the race is over.
        if (isOver) throw LOST;
        seen.attempt = attempt;
      },
      onLine: (line) => {
        seen.line = line;
      },
    };
    const runner = { seen, tried: tryWay(admitted, target, ports, options) };
    runners.push(runner);
    return runner;
  };
  admitted.reply.onGone(() => {
    for (const { seen } of runners) seen.attempt?.giveUp(GONE);
  });
  const first = run(way);
  const other = await laterHost(admitted, way, ports, hedge, first);
  const winner = await firstToAnswer(other === undefined ? [first] : [first, run(other)]);
  isOver = true;
  for (const { seen } of runners) if (seen.attempt !== winner) seen.attempt?.giveUp(LOST);
  const tried = await Promise.all(runners.map((runner) => runner.tried));
  noteLines(admitted, runners, winner, other);
  for (const { seen } of winner === undefined ? runners : [])
    if (seen.attempt !== undefined) closeIfLeft(admitted, seen.attempt);
  return winner ?? tried.filter((one) => one instanceof Failure);
}

/** Whom to ask beside the first, once it is late; undefined when it was not, or nobody may be asked. */
async function laterHost(
  admitted: Admitted,
  way: Target,
  { health, clock }: AttemptPorts,
  { rules, after, hedging }: HedgePorts,
  first: Runner,
): Promise<Target | undefined> {
  hedging.asked();
  const dueMs = hedging.dueMs(way.modelId);
  if (dueMs === undefined || rules.maxAttempts < 2) return undefined;
  const isLate = await new Promise<boolean>((resolve) => {
    const cancel = after(dueMs, () => resolve(true));
    void first.tried.then(() => {
      cancel();
      resolve(false);
    });
  });
  if (!isLate || admitted.reply.gone) return undefined;
  const nowMs = clock.monotonicMs();
  const outForMs = ({ routeKey }: Target): number => health.outForMs(routeKey, nowMs);
  const next = nextAsk(admitted.plan, [{ way, failed: LATE }], rules, { outForMs, contextOf, dice: 0 });
  return 'why' in next || !hedging.take(nowMs) ? undefined : next.ask;
}

/** Undefined when all of them failed. */
const firstToAnswer = (runners: readonly Runner[]): Promise<Attempt | undefined> =>
  new Promise((resolve) => {
    let left = runners.length;
    for (const { tried } of runners)
      void tried.then((result) => {
        left--;
        if (!(result instanceof Failure)) resolve(result);
        else if (left === 0) resolve(undefined);
      });
  });

/** The line of whoever answered comes last, as without hedging. */
function noteLines(
  { settlement }: Admitted,
  runners: readonly Runner[],
  winner: Attempt | undefined,
  other: Target | undefined,
): void {
  const ordered = [...runners].sort(
    (one, two) => Number(one.seen.attempt === winner) - Number(two.seen.attempt === winner),
  );
  for (const { seen } of ordered) {
    const { line, attempt } = seen;
    if (line === undefined) continue;
    const hasWon = attempt !== undefined && attempt === winner;
    if (hasWon) settlement.attempts.push(attempt.target === other ? { ...line, hedge: 'won' } : line);
    else if (winner === undefined || attempt === undefined) settlement.attempts.push(line);
    else settlement.attempts.push({ ...line, hedge: 'lost', operatorCost: attempt.operatorCost });
  }
}
