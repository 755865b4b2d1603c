/** Same dialect on both ends: the changes to the caller's request and to the upstream's answer. */

import type { EmbedLoss } from '../../canonical/fields.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import { arrayAt, isJsonObject, type Json, objectAt } from '../../canonical/json.ts';
import { isGiven } from '../checking.ts';
import type { AnswerContext, Edit, Reading, TargetFacts, VerbatimRequest } from '../dialect.ts';
import { WRONG_COUNT } from '../embedding-input.ts';
import { decodeAnswer, readUsage, writeUsage, writeVectors } from './answer.ts';
import type { CheckedEmbeddings } from './check.ts';
import { checkInputCount, dimensionsMember } from './encode-call.ts';
import { quirksOf } from './quirks.ts';

const NULLABLE = ['encoding_format', 'dimensions'] as const;

export function verbatimRequest(
  { wire, body, inputs }: CheckedEmbeddings,
  target: TargetFacts,
): VerbatimRequest<EmbedLoss> {
  const quirks = quirksOf(target);
  checkInputCount(inputs, quirks);
  if (wire.encoding_format === 'base64' && !quirks.base64) return { why: 'the host has no base64' };
  if (!quirks.tokenInput && inputs.some(({ kind }) => kind === 'tokens')) return { why: 'the host takes no token ids' };
  const edits: Edit[] = [{ name: 'model', value: JSON.stringify(target.upstreamModel) }];
  for (const name of NULLABLE) if (body[name] === null) edits.push({ name, value: undefined });
  if (body['user'] !== undefined) edits.push({ name: 'user', value: undefined });
  if (isGiven(wire.encoding_format) && !quirks.base64) edits.push({ name: 'encoding_format', value: undefined });
  if (isGiven(wire.dimensions)) {
    const renameTo = dimensionsMember(quirks);
    if (renameTo !== 'dimensions') edits.push({ name: 'dimensions', renameTo });
  }
  return { edits, losses: [] };
}

/** Vectors keep their form unless the host answered in another form than requested. */
export function readAnswer(body: Json, context: AnswerContext): Reading {
  const wire = isJsonObject(body) ? body : {};
  const { embed } = context.responseOptions;
  const data = arrayAt(wire, 'data');
  const asBase64 = embed?.encoding === 'base64';
  const edits: Edit[] = [{ name: 'model', value: JSON.stringify(context.model) }];
  if (!data.every((entry) => isJsonObject(entry) && typeof entry['embedding'] === (asBase64 ? 'string' : 'object'))) {
    const { vectors } = decodeAnswer(body);
    edits.push({ name: 'data', value: JSON.stringify(writeVectors(vectors, asBase64)) });
  }
  if (embed !== undefined && data.length !== embed.inputs) throw new GatewayError(WRONG_COUNT);
  const reported = readUsage(wire);
  const usage = reported.prompt === undefined ? { prompt: embed?.estimatedTokens ?? 0 } : reported;
  const given = objectAt(wire, 'usage');
  if (given === undefined || given['prompt_tokens'] !== usage.prompt || given['total_tokens'] !== usage.prompt)
    edits.push({ name: 'usage', value: JSON.stringify(writeUsage(usage)) });
  if (wire['object'] !== 'list') edits.push({ name: 'object', value: '"list"' });
  return {
    patch: { kind: 'pass', edits },
    usage,
    ...(reported.prompt === undefined && { usageEstimated: true }),
  };
}
