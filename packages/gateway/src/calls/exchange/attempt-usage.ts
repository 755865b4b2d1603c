/** The usage of one attempt so far, what of it is charged, and whether its text may still be within the cap. */
import { type Fault, NOTHING_PRODUCED, type Produced, type Usage } from '@trivium/protocol/canonical';
import type { PriceFacts, Rates } from '../../kernel/price.ts';
import type { Bill, OperatorCost, UsageReading } from '../../kernel/record.ts';
import { answersWithText, type Target } from '../../kernel/target.ts';
import {
  billOf,
  checkedBill,
  checkUsage,
  costUsdOf,
  filledUsage,
  finalMostCharacters,
  firstMostCharacters,
  priceFactsOf,
} from '../admit/bill.ts';
import type { Translator } from '../lanes/translator.ts';
import { NOTHING_READ } from '../lanes/whole.ts';
import type { Planned } from '../request.ts';
import type { AttemptPorts } from './attempt-ports.ts';

export const BEYOND_CAP: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider went on far beyond the output limit of this request.',
};

export class AttemptUsage {
  translator: Translator | undefined;
  readonly #planned: Planned;
  readonly #target: Target;
  readonly #priceFactorPpm: AttemptPorts['priceFactorPpm'];
  #mostCharacters: number;
  #isBeyondCap = false;

  constructor(planned: Planned, target: Target, priceFactorPpm: AttemptPorts['priceFactorPpm']) {
    this.#planned = planned;
    this.#target = target;
    this.#priceFactorPpm = priceFactorPpm;
    this.#mostCharacters = answersWithText(target) ? firstMostCharacters(planned, target) : Number.POSITIVE_INFINITY;
  }

  get #reading(): UsageReading {
    return this.translator?.reading ?? NOTHING_READ;
  }

  /** What is charged for the answer so far. */
  get bill(): Bill {
    const reading = this.#reading;
    const bill = checkedBill(this.#planned, this.#target, reading, this.rates(), this.#produced);
    if (!this.#isBeyondCap || bill.suspect !== undefined) return bill;
    return { ...bill, suspect: { why: ['output-cap'], reported: filledUsage(this.#planned, reading).usage } };
  }

  /**
   * What the provider may charge for it, at the catalogue's prices and by its own usage figures; for attempts whose
   * answer was not used.
   */
  get operatorCost(): OperatorCost {
    const rates = this.#target.card.rates(undefined, this.#priceFacts());
    const { usage, estimated, cost } = billOf(this.#planned, this.#reading, rates);
    return { usage, estimated, nanoUsd: String(cost.nanoUsd) };
  }

  /** Undefined if a part has no price or the upstream did not count it: a partial sum is not the cost. */
  costUsd(usage: Usage): number | undefined {
    if (usage.prompt === undefined || usage.completion === undefined) return undefined;
    const rates = this.rates();
    const charged = checkUsage(this.#planned, this.#target, { usage, produced: this.#produced }, rates).usage;
    return costUsdOf(charged, rates);
  }

  /** True once a stream's text must exceed its cap, whichever tokenizer counts it; our estimate plays no part in it. */
  isBeyondCap(characters: number): boolean {
    if (characters <= this.#mostCharacters) return false;
    const { usage, producedCharacters } = this.#reading;
    this.#mostCharacters = finalMostCharacters(this.#planned, this.#target, usage.webSearch ?? 0);
    this.#isBeyondCap = producedCharacters > this.#mostCharacters;
    return this.#isBeyondCap;
  }

  /** What the caller pays. */
  rates(): Rates {
    return this.#target.card.rates(this.#priceFactorPpm?.(this.#planned.caller.accountId), this.#priceFacts());
  }

  readonly #produced = (): Produced => this.translator?.produced() ?? NOTHING_PRODUCED;

  #priceFacts(): PriceFacts | undefined {
    return priceFactsOf(this.#planned, this.#target);
  }
}
