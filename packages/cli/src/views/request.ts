// A request in lines: where it went, why it failed, what it cost.

import type { Row } from '../admin-client.ts';
import { dollars, duration, localTime, rowsIn } from '../table.ts';
import { attemptLines, LEGEND } from './waterfall.ts';

const textOf = (value: unknown): string => (value === null || value === undefined ? '-' : String(value));
const msOf = (value: unknown): string => (typeof value === 'number' ? duration(value) : textOf(value));
const usdOf = (value: unknown): string => (typeof value === 'string' ? dollars(value) : textOf(value));
const timeOf = (value: unknown): string => (typeof value === 'string' ? localTime(value) : textOf(value));

/** The cause of a failure first, then who and what, then the attempts on one axis, then what it cost. */
export function requestLines(request: Row): readonly string[] {
  const { id, outcome, status, cause, receivedAt, durationMs, firstTokenMs, unrecorded } = request;
  const attempts = rowsIn(request['attempts']);
  const losses = rowsIn(request['losses']);
  const asked = `asked ${textOf(request['askedModel'])}, served ${textOf(request['model'])} by ${textOf(request['provider'])}`;
  const wholeMs = typeof durationMs === 'number' ? durationMs : 0;
  return [
    `${textOf(id)}  ${textOf(outcome)} (${textOf(status)})`,
    ...(cause === null || cause === undefined ? [] : [`cause     ${textOf(cause)}`]),
    `received  ${timeOf(receivedAt)}, ${msOf(durationMs)}, first token ${msOf(firstTokenMs)}`,
    `who       account ${textOf(request['accountId'])}, key ${textOf(request['keyName'] ?? request['keyId'])}, ${textOf(request['protocol'])}`,
    `model     ${asked}${request['lane'] === null ? '' : `, ${textOf(request['lane'])}`}`,
    `cost      ${usdOf(request['costUsd'])}, ${textOf(request['inputTokens'])} tokens in, ${textOf(request['outputTokens'])} out`,
    ...(losses.length === 0
      ? []
      : [`losses    ${losses.map((loss) => `${textOf(loss['field'])} (${textOf(loss['why'])})`).join(', ')}`]),
    ...(typeof unrecorded === 'number' && unrecorded > 0
      ? [`also      ${unrecorded} refused before it, without a record`]
      : []),
    ...(attempts.length === 0 ? [] : ['', `attempts  ${LEGEND}`]),
    ...attempts.flatMap((attempt, index) => attemptLines(attempt, index + 1, wholeMs)),
  ];
}

/** One line for each request that ends. */
export const tailLine = (row: Row): string =>
  [
    timeOf(row['receivedAt']),
    textOf(row['keyName'] ?? row['keyId']),
    textOf(row['model'] ?? row['askedModel']),
    textOf(row['provider']),
    `${textOf(row['outcome'])} ${textOf(row['status'])}`,
    msOf(row['durationMs']),
    usdOf(row['costUsd']),
    textOf(row['id']),
  ].join('  ');
