/** What a request is charged: the upstream's own figures, our estimate where it gave none, and what both cost. */
import type { Produced, Usage } from '@trivium/protocol/canonical';
import { estimateInputTokens, estimateOutputTokens } from '@trivium/protocol/dialects';
import type { Bill, UsageReading } from '../../kernel/record.ts';
import type { Target } from '../../kernel/target.ts';
import { costOf } from '../../prices/cost.ts';
import { displayNanoUsd } from '../../prices/money-text.ts';
import type { Rates } from '../../prices/rates.ts';
import type { Planned } from '../request.ts';
import { cappedEstimate, checkUsage } from './check-usage.ts';

/** For want of a better figure. */
export const CHARACTERS_PER_TOKEN = 4;

/** A running meter asks for the same figure again and again. */
const inputEstimates = new WeakMap<object, number>();

/** A request whose meaning cannot be rebuilt was sent all the same: then its length has to do. */
export const estimateInput = ({ understanding, text, elsewhere }: Billed): number => {
  if (elsewhere !== undefined) return elsewhere.figures.inputTokens ?? Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  const known = inputEstimates.get(understanding);
  if (known !== undefined) return known;
  let estimate: number;
  try {
    estimate = estimateInputTokens(understanding.call());
  } catch {
    estimate = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  }
  inputEstimates.set(understanding, estimate);
  return estimate;
};

type Billed = Pick<Planned, 'understanding' | 'text' | 'elsewhere'>;

/** Undefined where some of it has no price or is not counted by the upstream: a part is not the cost. */
export function costUsdOf(usage: Usage, rates: Rates): number | undefined {
  if (usage.prompt === undefined || usage.completion === undefined) return undefined;
  const { nanoUsd, unpriced } = costOf(usage, rates);
  return unpriced.length > 0 ? undefined : displayNanoUsd(nanoUsd);
}

export type Filled = {
  readonly usage: Usage;
  readonly estimated: boolean;
  /** The output is our own count. */
  readonly outputEstimated: boolean;
};

/** The upstream's figures, and our own count where there are none. Never throws: every settlement needs a bill. */
export function filledUsage(planned: Billed, { usage, reported, ...produced }: UsageReading): Filled {
  // Who counts pictures counts no tokens, unless it says so.
  const noInput = usage.prompt === undefined && usage.pictures === undefined;
  const outputEstimated = usage.completion === undefined && produced.producedPieces > 0;
  if (!noInput && !outputEstimated) return { usage, estimated: !reported, outputEstimated };
  const filled: Usage = {
    ...usage,
    ...(noInput && { prompt: estimateInput(planned) }),
    ...(outputEstimated && { completion: estimateOutputTokens(produced) }),
  };
  return { usage: filled, estimated: true, outputEstimated };
}

export const billOf = (planned: Billed, reading: UsageReading, rates: Rates): Bill => {
  const { usage, estimated } = filledUsage(planned, reading);
  return { usage, estimated, cost: costOf(usage, rates) };
};

/** What the caller is charged: as `billOf`, less what cannot be true. `produced`: all the text there is of the answer. */
export function checkedBill(
  planned: Billed,
  target: Target,
  reading: UsageReading,
  rates: Rates,
  produced: () => Produced = () => reading,
): Bill {
  const { usage: filled, estimated, outputEstimated } = filledUsage(planned, reading);
  const usage = outputEstimated
    ? { ...filled, completion: cappedEstimate(planned, target, filled.completion ?? 0) }
    : filled;
  const { usage: charged, why } = checkUsage(planned, target, { usage, produced }, rates);
  const bill = { usage: charged, estimated, cost: costOf(charged, rates) };
  return why.length === 0 ? bill : { ...bill, suspect: { why, reported: usage } };
}
