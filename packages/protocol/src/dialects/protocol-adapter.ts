/**
 * Everything a protocol does apart from a call and its answer: errors, model lists, rate-limit headers, request rules.
 */
import type { Fault } from '../canonical/fault.ts';
import type { ModelCard } from '../canonical/model-card.ts';
import type { EncodedFault } from './dialect.ts';

export type RateFigure = { readonly limit: number; readonly remaining: number; readonly resetMs: number };
/** What remains of the closest per-minute limits, for callers who schedule requests. */
export type RateNote = { readonly requests?: RateFigure; readonly tokens?: RateFigure };

export type ModelListQuery = ReadonlyMap<string, string>;

export interface ProtocolAdapter {
  encodeFault(fault: Fault, requestId: string): EncodedFault;
  /** Throws a GatewayError `malformed` for invalid paging parameters. */
  encodeModels(cards: readonly ModelCard[], query: ModelListQuery): object;
  encodeModel(card: ModelCard): object;
  /** Names and values alternate. */
  rateHeaders(measure: keyof RateNote, figure: RateFigure, nowMs: number): readonly string[];
  /** A body without a content type is refused. */
  readonly needsContentType: boolean;
}
