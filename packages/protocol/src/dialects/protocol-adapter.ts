/** How a protocol deals with callers in anything but a call and its answer: failures, model lists, limits, manners. */
import type { Fault } from '../canonical/fault.ts';
import type { ModelCard } from '../canonical/model-card.ts';
import type { EncodedFault } from './dialect.ts';

export type RateFigure = { readonly limit: number; readonly remaining: number; readonly resetMs: number };
/** What is left of the nearest limits by the minute, for callers who plan. */
export type RateNote = { readonly requests?: RateFigure; readonly tokens?: RateFigure };

export type ModelListQuery = ReadonlyMap<string, string>;

export interface ProtocolAdapter {
  encodeFault(fault: Fault, requestId: string): EncodedFault;
  /** Throws a GatewayError `malformed` for paging parameters that make no sense. */
  encodeModels(cards: readonly ModelCard[], query: ModelListQuery): object;
  encodeModel(card: ModelCard): object;
  /** Names and values in turn. */
  rateHeaders(measure: keyof RateNote, figure: RateFigure, nowMs: number): readonly string[];
  /** A body that does not say what it is, is refused. */
  readonly needsContentType: boolean;
}
