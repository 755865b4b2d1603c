/** Headers every answer carries. Notes for the caller stand here and never in a body. */
import type { Loss, ProtocolName } from '@trivium/protocol/canonical';
import { protocolAdapters, type RateNote } from '@trivium/protocol/dialects';
import type { Bill } from '../kernel/record.ts';
import { formatNanoUsd } from '../prices/money-text.ts';

export const LOSSES_HEADER = 'x-trivium-losses';

/** Callers' libraries take a head of 16 KB, and lose the answer with a larger one. */
const MAX_LOSSES_LENGTH = 4096;
const AND_MORE = '...';
/** A path may end in a name of the caller's own choice, and a comma parts the list. */
const UNFIT = /[^\x20-\x2b\x2d-\x7e]/gu;
const HALF = /\p{Surrogate}/u;
const encoded = (character: string): string => encodeURIComponent(HALF.test(character) ? '\ufffd' : character);

/** Each path once, in the order of the losses. */
export function lossesValue(losses: readonly Loss[]): string {
  const paths: string[] = [];
  let length = 0;
  for (const { path } of losses) {
    const fit = path.replace(UNFIT, encoded);
    if (paths.includes(fit)) continue;
    length += fit.length + 1;
    if (length > MAX_LOSSES_LENGTH) return [...paths, AND_MORE].join(',');
    paths.push(fit);
  }
  return paths.join(',');
}

/** Two names for one id: each SDK reads its own. */
export const idHeaders = (requestId: string): string[] => ['x-request-id', requestId, 'request-id', requestId];

/** Who answered, and at which try. */
export function pushServedBy(headers: string[], provider: string, attempts: number): void {
  headers.push('x-trivium-provider', provider, 'x-trivium-attempts', String(attempts));
}

/** Each protocol's clients look for the figures under names of their own. Most callers have none. */
export function pushRateLimits(
  headers: string[],
  protocol: ProtocolName,
  note: RateNote | undefined,
  nowMs: number,
): void {
  if (note === undefined) return;
  const { rateHeaders } = protocolAdapters[protocol];
  if (note.requests !== undefined) headers.push(...rateHeaders('requests', note.requests, nowMs));
  if (note.tokens !== undefined) headers.push(...rateHeaders('tokens', note.tokens, nowMs));
}

/** What is charged, in USD as an exact decimal; left out where some of it has no price. */
export function pushCost(headers: string[], { cost }: Bill, chargeNanoUsd: bigint): void {
  if (cost.unpriced.length === 0) headers.push('x-trivium-cost', formatNanoUsd(chargeNanoUsd));
}

export function answerHeaders(requestId: string, losses: readonly Loss[]): string[] {
  const headers = idHeaders(requestId);
  headers.push('content-type', 'application/json');
  if (losses.length > 0) headers.push(LOSSES_HEADER, lossesValue(losses));
  return headers;
}

/** Proxies on the way must not collect a stream before passing it on. */
export function streamHeaders(
  requestId: string,
  losses: readonly Loss[],
  mayTrail: boolean,
  asArray = false,
): string[] {
  const headers = [
    'content-type',
    asArray ? 'application/json' : 'text/event-stream; charset=utf-8',
    'cache-control',
    'no-cache',
    'x-accel-buffering',
    'no',
    ...idHeaders(requestId),
  ];
  if (losses.length > 0) headers.push(LOSSES_HEADER, lossesValue(losses));
  if (mayTrail) headers.push('trailer', LOSSES_HEADER);
  return headers;
}
