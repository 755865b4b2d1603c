// A request in lines: where it went, why it failed, what it cost.

import type { RequestDetail, RequestRow } from '@trivium/gateway/commands';
import { dollars, duration, localTime } from '../table.ts';
import { attemptLines, LEGEND } from './waterfall.ts';

const NONE = '-';
const msOf = (ms: number | null): string => (ms === null ? NONE : duration(ms));
const usdOf = (usd: string | null): string => (usd === null ? NONE : dollars(usd));

/** The cause of a failure first, then who and what, then the attempts on one axis, then what it cost. */
export function requestLines(request: RequestDetail): readonly string[] {
  const { cause, lane, durationMs, unrecorded, losses, attempts } = request;
  const asked = `asked ${request.askedModel ?? NONE}, served ${request.model ?? NONE} by ${request.provider ?? NONE}`;
  return [
    `${request.id}  ${request.outcome} (${request.status})`,
    ...(cause === null ? [] : [`cause     ${cause}`]),
    `received  ${localTime(request.receivedAt)}, ${duration(durationMs)}, first token ${msOf(request.firstTokenMs)}`,
    `who       account ${request.accountId ?? NONE}, key ${request.keyName ?? request.keyId ?? NONE}, ${request.protocol}`,
    `model     ${asked}${lane === null ? '' : `, ${lane}`}`,
    `cost      ${usdOf(request.costUsd)}, ${request.inputTokens} tokens in, ${request.outputTokens} out`,
    ...(losses.length === 0 ? [] : [`losses    ${losses.map(({ field, why }) => `${field} (${why})`).join(', ')}`]),
    ...(unrecorded > 0 ? [`also      ${unrecorded} refused before it, without a record`] : []),
    ...(attempts.length === 0 ? [] : ['', `attempts  ${LEGEND}`]),
    ...attempts.flatMap((attempt, index) => attemptLines(attempt, index + 1, durationMs)),
  ];
}

/** One line for each request that ends. */
export const tailLine = (row: RequestRow): string =>
  [
    localTime(row.receivedAt),
    row.keyName ?? row.keyId ?? NONE,
    row.model ?? row.askedModel ?? NONE,
    row.provider ?? NONE,
    `${row.outcome} ${row.status}`,
    duration(row.durationMs),
    usdOf(row.costUsd),
    row.id,
  ].join('  ');
