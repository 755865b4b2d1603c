/** What one attempt has used so far, what of it is charged, and whether its text can still be within the cap. */
import { type Json, NOTHING_PRODUCED, type Produced, type Usage } from '@trivium/protocol/canonical';
import type { UsageMeter } from '@trivium/protocol/stream';
import type { PriceFacts } from '../prices/cases.ts';
import type { Rates } from '../prices/rates.ts';
import { answersWithText } from './attempt-facts.ts';
import type { AttemptPorts } from './attempt-ports.ts';
import { type Bill, billOf, checkedBill, costUsdOf, filledUsage } from './bill.ts';
import { checkUsage, finalMostCharacters, firstMostCharacters } from './check-usage.ts';
import type { Reading, Target } from './ports.ts';
import { imagesToPrice } from './price-images.ts';
import type { OperatorCost, Planned } from './stages.ts';
import { producedIn } from './whole-answer.ts';

export class AttemptUsage {
  /** Of a complete answer. */
  whole: Reading | undefined;
  /** The complete answer as the upstream sent it: its length is measured only where that matters. */
  parsed: Json | undefined;
  /** The text of a complete answer, once it has been measured. */
  measured: Produced | undefined;
  /** Of a stream. */
  meter: UsageMeter | undefined;
  readonly #planned: Planned;
  readonly #target: Target;
  readonly #priceFactorPpm: AttemptPorts['priceFactorPpm'];
  #mostCharacters: number;
  #isBeyondCap = false;

  constructor(planned: Planned, target: Target, { priceFactorPpm }: Pick<AttemptPorts, 'priceFactorPpm'>) {
    this.#planned = planned;
    this.#target = target;
    this.#priceFactorPpm = priceFactorPpm;
    this.#mostCharacters = answersWithText(target) ? firstMostCharacters(planned, target) : Number.POSITIVE_INFINITY;
  }

  /** As well as it is known. */
  get reading(): Reading {
    return this.whole ?? this.meter?.reading ?? { usage: {}, reported: false, ...NOTHING_PRODUCED };
  }

  /** What the answer so far is charged. */
  get bill(): Bill {
    const bill = checkedBill(this.#planned, this.#target, this.reading, this.rates(), this.#produced);
    if (!this.#isBeyondCap || bill.suspect !== undefined) return bill;
    return { ...bill, suspect: { why: ['output-cap'], reported: filledUsage(this.#planned, this.reading).usage } };
  }

  /** What the provider may charge for it, at the catalogue's prices and by its own figures: of calls whose answer was not used. */
  get operatorCost(): OperatorCost {
    const rates = this.#target.card.rates(undefined, this.#priceFacts());
    const { usage, estimated, cost } = billOf(this.#planned, this.reading, rates);
    return { usage, estimated, nanoUsd: String(cost.nanoUsd) };
  }

  /** Undefined where some of it has no price or is not counted by the upstream: a part is not the cost. */
  costUsd(usage: Usage): number | undefined {
    if (usage.prompt === undefined || usage.completion === undefined) return undefined;
    const rates = this.rates();
    const charged = checkUsage(this.#planned, this.#target, { usage, produced: this.#produced }, rates).usage;
    return costUsdOf(charged, rates);
  }

  /** True once a stream's text cannot be within its cap, whichever tokenizer counts it; our estimate takes no part in it. */
  get isBeyondCap(): boolean {
    const { meter } = this;
    if (meter === undefined || meter.producedCharacters <= this.#mostCharacters) return false;
    const { usage, producedCharacters } = meter.reading;
    this.#mostCharacters = finalMostCharacters(this.#planned, this.#target, usage.webSearch ?? 0);
    this.#isBeyondCap = producedCharacters > this.#mostCharacters;
    return this.#isBeyondCap;
  }

  /** All the text the upstream made. */
  readonly #produced = (): Produced => {
    if (this.meter !== undefined) return this.meter.reading;
    if (this.parsed !== undefined) this.measured ??= producedIn(this.parsed, this.#target);
    return this.measured ?? this.reading;
  };

  /** What the caller pays. */
  rates(): Rates {
    return this.#target.card.rates(this.#priceFactorPpm?.(this.#planned.caller.accountId), this.#priceFacts());
  }

  #priceFacts(): PriceFacts | undefined {
    return imagesToPrice(this.#planned, this.#target)?.facts;
  }
}
