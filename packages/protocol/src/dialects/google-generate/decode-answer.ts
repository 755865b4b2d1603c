/** A complete answer → the canonical answer: a stream of one chunk, in which every part is a block of its own. */
import type { TextAnswer } from '../../canonical/answer.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { Fold } from '../../stream/fold.ts';
import type { TargetFacts } from '../dialect.ts';
import { broken } from '../upstream-errors.ts';
import { GenerateDecoder } from './decode-stream.ts';
import { faultInside } from './faults.ts';

export function decodeAnswer(body: Json, target: TargetFacts): TextAnswer {
  const decoder = new GenerateDecoder(target, true);
  const folding = new Fold();
  for (const event of decoder.take(openAnswer(body))) folding.push(event);
  for (const event of decoder.end()) folding.push(event);
  if (folding.fault !== undefined) throw broken('The upstream provider ended its answer without a reason to stop.');
  return folding.answer();
}

/** A body that is not an answer, or that reports a failure, is thrown as a fault. */
export function openAnswer(body: Json): JsonObject {
  const fault = faultInside(body);
  if (fault !== undefined) throw new GatewayError(fault);
  const whole = isJsonArray(body) ? body[0] : body;
  if (!isJsonObject(whole)) throw broken('The upstream provider sent an answer that is not an object.');
  return whole;
}
