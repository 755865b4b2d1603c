/** What all formats for reranking share: how scores are read, and which answers are believed. */
import type { Fault } from '../canonical/fault.ts';
import type { RerankLoss } from '../canonical/fields.ts';
import { GatewayError } from '../canonical/gateway-error.ts';
import { isJsonObject, type Json, numberAt, stringAt } from '../canonical/json.ts';
import type { RerankAnswer, RerankCall, RerankScore } from '../canonical/rerank.ts';
import { LossList } from '../passes/loss-list.ts';
import type { AnswerContext } from './dialect.ts';
import { decodeApiFault, faultOfStatus, isRefusal, refusedFor } from './upstream-errors.ts';

const broken = (what: string): GatewayError =>
  new GatewayError({ kind: 'upstream-broken', message: `The upstream provider sent ${what}.` });

/** Scores that hosts name differently: each has the place of its document. */
export function readScores(entries: readonly Json[], scoreName: string): readonly RerankScore[] {
  return entries.map((entry) => {
    const index = isJsonObject(entry) ? numberAt(entry, 'index') : undefined;
    const score = isJsonObject(entry) ? numberAt(entry, scoreName) : undefined;
    if (index === undefined || score === undefined) throw broken('a rank without a score');
    return { index, score };
  });
}

/** A count of tokens or units: none is not a number, since every call has a query and a document. */
export const countOf = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined;

/**
 * Every place once and none that was not asked about, the best first, and no more than the caller wants: some hosts have
 * no limit, and some answer in the order of the documents.
 */
export function checkedScores(answer: RerankAnswer, { responseOptions }: AnswerContext): RerankAnswer {
  const { rerank } = responseOptions;
  if (rerank === undefined) return answer;
  const seen = new Set<number>();
  for (const { index } of answer.scores) {
    if (!Number.isInteger(index) || index < 0 || index >= rerank.documents) throw broken('a document it was not given');
    if (seen.has(index)) throw broken('a document twice');
    seen.add(index);
  }
  if (seen.size < rerank.topN) throw broken('fewer documents than it was asked for');
  const ranked = answer.scores.toSorted((one, other) => other.score - one.score);
  return { ...answer, scores: ranked.slice(0, rerank.topN) };
}

type Optional = 'topN' | 'maxTokensPerDoc' | 'priority';

/** What a host has no member for. How many to return is no loss: the gateway cuts the list itself. */
export function rerankLosses(call: RerankCall, carried: readonly Optional[], extras: string): readonly RerankLoss[] {
  const losses: LossList<RerankLoss['field']> = new LossList();
  for (const name of ['maxTokensPerDoc', 'priority'] as const)
    if (call[name] !== undefined && !carried.includes(name)) losses.add(`rerank.${name}`);
  if (Object.keys(call.extras).some((dialect) => dialect !== extras)) losses.add('extras');
  return losses.all;
}

/** Of the home of the format, `{ message }`; servers beside it have an error object, or one text. */
export function decodeRerankFault(status: number, body: Json | undefined): Fault {
  const message = isJsonObject(body)
    ? (stringAt(body, 'message') ?? stringAt(body, 'detail') ?? stringAt(body, 'error'))
    : undefined;
  if (message === undefined) return decodeApiFault(status, body);
  return isRefusal(status) ? refusedFor(message) : faultOfStatus(status);
}
