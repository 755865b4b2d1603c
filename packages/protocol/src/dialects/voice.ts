/** How a protocol speaks to callers about anything but an answer: failures and model lists. */
import type { Fault } from '../canonical/fault.ts';
import type { ModelCard } from '../canonical/model-card.ts';
import type { EncodedFault } from './dialect.ts';

export type ModelListQuery = ReadonlyMap<string, string>;

export interface Voice {
  encodeFault(fault: Fault, requestId: string): EncodedFault;
  /** Throws a GatewayError `malformed` for paging parameters that make no sense. */
  encodeModels(cards: readonly ModelCard[], query: ModelListQuery): object;
  encodeModel(card: ModelCard): object;
}
