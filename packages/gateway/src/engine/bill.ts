/** What a request is charged: the upstream's own figures, our estimate where it gave none, and what both cost. */
import type { Usage } from '@trivium/protocol/canonical';
import { estimateInputTokens, estimateOutputTokens } from '@trivium/protocol/dialects';
import { type Cost, costOf } from '../prices/cost.ts';
import type { Rates } from '../prices/rates.ts';
import type { Reading } from './ports.ts';
import type { Planned } from './stages.ts';

export type Bill = {
  readonly usage: Usage;
  /** Some of the usage is our own count: the upstream was cut short, or gave no figures. */
  readonly estimated: boolean;
  readonly cost: Cost;
};

/** For want of a better figure. */
export const CHARACTERS_PER_TOKEN = 4;

/** A running meter asks for the same figure again and again. */
const inputEstimates = new WeakMap<object, number>();

/** A request whose meaning cannot be rebuilt was sent all the same: then its length has to do. */
const estimateInput = ({ understanding, text }: Billed): number => {
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

type Billed = Pick<Planned, 'understanding' | 'text'>;

/** Never throws: whoever closes a settlement must have a bill. */
export const billOf = (planned: Billed, reading: Reading, rates: Rates): Bill => {
  const { usage, producedPieces } = reading;
  // Who counts pictures counts no tokens, unless it says so.
  const noInput = usage.prompt === undefined && usage.pictures === undefined;
  const noOutput = usage.completion === undefined && producedPieces > 0;
  if (!noInput && !noOutput) return { usage, estimated: !reading.reported, cost: costOf(usage, rates) };
  const filled: Usage = {
    ...usage,
    ...(noInput && { prompt: estimateInput(planned) }),
    ...(noOutput && { completion: estimateOutputTokens(reading) }),
  };
  return { usage: filled, estimated: true, cost: costOf(filled, rates) };
};
