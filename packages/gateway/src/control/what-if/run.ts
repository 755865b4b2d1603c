/** Reads the records of a span in pages, oldest first, and judges each: bounded in records, time and memory. */
import { setImmediate } from 'node:timers/promises';
import type { UsageEvent } from '../../money/usage/event.ts';
import type { RecordPlace } from '../../money/usage/record-query.ts';
import { DraftTurns } from './chance.ts';
import type { WhatIf } from './contract.ts';
import { judge } from './judge.ts';
import type { PlanScenario } from './ports.ts';
import { Tally } from './tally.ts';

const PAGE = 500;
/** Calls are served on the same thread: it is given back after this many records, a few milliseconds. */
const RECORDS_PER_TURN = 50;

export type WhatIfSpan = { readonly fromMs: number; readonly untilMs: number };

export type WhatIfRun = {
  readonly span: WhatIfSpan;
  /** Most records. */
  readonly limit: number;
  /** Of the clock of `monotonicMs`, at which it ends early. */
  readonly deadlineMs: number;
  readonly monotonicMs: () => number;
  /** In the order of their times and ids. */
  readonly page: (after: RecordPlace | undefined, limit: number) => Promise<readonly UsageEvent[]>;
  readonly today: PlanScenario;
  readonly draft: PlanScenario;
  /** Aborted: the caller does not wait for the answer any more. */
  readonly gone?: AbortSignal;
};

export async function whatIf(run: WhatIfRun): Promise<WhatIf> {
  const { span, limit, deadlineMs, monotonicMs, page, gone } = run;
  const tally = new Tally();
  const turns = new DraftTurns();
  let last: RecordPlace | undefined;
  let isOver = false;
  const isOutOfTime = (): boolean => gone?.aborted === true || monotonicMs() >= deadlineMs;
  while (!isOver && tally.requests < limit && !isOutOfTime()) {
    const events = await page(last, Math.min(PAGE, limit - tally.requests));
    isOver = events.length === 0;
    for (const [index, event] of events.entries()) {
      if (index % RECORDS_PER_TURN === 0) {
        await setImmediate();
        if (isOutOfTime()) break;
      }
      tally.add(event, judge(event, plannersAt(run, event, turns)));
      last = { receivedAtMs: event.receivedAtMs, requestId: event.requestId };
    }
  }
  // One more record shows whether the limit cut something off.
  const complete = isOver || (!isOutOfTime() && (await page(last, 1)).length === 0);
  const untilMs = complete ? span.untilMs : (last?.receivedAtMs ?? span.fromMs);
  return tally.view({
    from: new Date(span.fromMs).toISOString(),
    until: new Date(untilMs).toISOString(),
    complete,
  });
}

function plannersAt({ today, draft }: WhatIfRun, { accountId, receivedAtMs }: UsageEvent, turns: DraftTurns) {
  const planner = today.at(receivedAtMs);
  return {
    today: planner,
    draft: draft === today ? planner : draft.at(receivedAtMs),
    turns,
    factorPpm: draft.factorPpm(accountId, receivedAtMs),
  };
}
