/** What a passed-through call may cost and has cost: by its price, and by the answer if that names units. */
import type { Json } from '@trivium/protocol/canonical';
import type { PassthroughPrice } from '../../kernel/passthrough.ts';
import type { Rates } from '../../kernel/price.ts';
import type { Bill } from '../../kernel/record.ts';
import { costOf } from '../../money/prices/cost.ts';
import { holdNanoUsd } from '../../money/prices/hold.ts';
import { jsonOf } from '../exchange/request-json.ts';

const UNPRICED: Rates = { version: '', byMeter: {}, surcharges: [] };

/** The most it can cost. */
export function passthroughHold(price: PassthroughPrice | undefined, rates: Rates | undefined): bigint {
  if (price === undefined || price.kind === 'free' || rates === undefined) return 0n;
  const units = price.kind === 'flat' ? 1 : price.maxUnits;
  return holdNanoUsd(rates, { inputTokens: 0, outputTokens: 0, others: { units } });
}

/** An answer that names no units costs the most: what is not known is never free. */
export function passthroughBill(price: PassthroughPrice | undefined, rates: Rates | undefined, answer: string): Bill {
  const used = rates ?? UNPRICED;
  if (price === undefined) return bill(1, used);
  if (price.kind === 'free') return { usage: {}, estimated: false, cost: costOf({}, UNPRICED) };
  if (price.kind === 'flat') return bill(1, used);
  const units = numberAt(jsonOf(answer), price.pointer);
  if (units === undefined) return { ...bill(price.maxUnits, used), estimated: true };
  if (units <= price.maxUnits) return bill(units, used);
  return { ...bill(price.maxUnits, used), suspect: { why: ['unit-count'], reported: { units } } };
}

const bill = (units: number, rates: Rates): Bill => ({
  usage: { units },
  estimated: false,
  cost: costOf({ units }, rates),
});

const INDEX = /^(?:0|[1-9][0-9]{0,8})$/;

/** RFC 6901. Only a number that is finite and not negative counts. */
export function numberAt(value: Json | undefined, pointer: readonly string[]): number | undefined {
  let at: unknown = value;
  for (const name of pointer) {
    if (Array.isArray(at)) at = INDEX.test(name) ? at[Number(name)] : undefined;
    else if (typeof at === 'object' && at !== null && Object.hasOwn(at, name))
      at = (at as Record<string, unknown>)[name];
    else return undefined;
  }
  return typeof at === 'number' && Number.isFinite(at) && at >= 0 ? at : undefined;
}
