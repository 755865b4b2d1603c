/**
 * Connects a caller's dialect with an upstream's. Both must serve the same operation, which the directory guarantees:
 * an embedding model is only served in embedding dialects.
 */
import type { TextAnswer } from '../canonical/answer.ts';
import type { EmbedLoss, FieldLoss, ImageLoss, RerankLoss } from '../canonical/fields.ts';
import { GatewayError } from '../canonical/gateway-error.ts';
import type { Json, JsonObject } from '../canonical/json.ts';
import type { Loss } from '../canonical/loss.ts';
import type { Call } from '../canonical/operation.ts';
import type { Usage } from '../canonical/usage.ts';
import type { AnswerContext, EncodedCall, TargetFacts } from './dialect.ts';
import { type AnyDialect, type CallerDialect, WRONG_COUNT } from './media-dialects.ts';
import { checkedScores } from './rerank-scores.ts';

type Side = { readonly dialect: AnyDialect; readonly facts: TargetFacts };

const mismatch = (call: string, dialect: AnyDialect): Error =>
  new Error(`a ${call} call met the dialect ${dialect.id}`);

export type AnyLoss = FieldLoss | EmbedLoss | RerankLoss | ImageLoss;

export function encodeCall(call: Call, { dialect, facts }: Side): EncodedCall<AnyLoss> {
  if (call.operation === 'text' && dialect.operation === 'text') return dialect.client.encodeCall(call, facts);
  if (call.operation === 'embed' && dialect.operation === 'embed') return dialect.client.encodeCall(call, facts);
  if (call.operation === 'rerank' && dialect.operation === 'rerank') return dialect.client.encodeCall(call, facts);
  if (call.operation === 'image' && dialect.operation === 'image') return dialect.client.encodeCall(call, facts);
  throw mismatch(call.operation, dialect);
}

export type TranslatedAnswer = {
  readonly body: JsonObject;
  readonly losses: readonly Loss[];
  readonly usage: Usage;
  /** True if the upstream reported no usage and this is the gateway's own count. */
  readonly usageEstimated?: boolean;
};

export function translateAnswer(
  body: Json,
  { dialect: from, facts }: Side,
  to: CallerDialect,
  context: AnswerContext,
  /** The gateway's own changes to a text answer before the caller gets it. */
  passText: (answer: TextAnswer) => TextAnswer = (answer) => answer,
): TranslatedAnswer {
  if (from.operation === 'text' && to.operation === 'text') {
    const answer = passText(from.client.decodeAnswer(body, facts));
    const encoded = to.server.encodeAnswer(answer, context);
    const unread = from.client
      .answerLosses(body)
      .filter(({ path }) => !encoded.losses.some((loss) => loss.path === path));
    return { ...encoded, losses: [...unread, ...encoded.losses], usage: answer.usage };
  }
  if (from.operation === 'rerank' && to.operation === 'rerank') {
    const { usage, ...answer } = checkedScores(from.client.decodeAnswer(body, facts), context);
    return { ...to.server.encodeAnswer({ ...answer, usage }, context), usage };
  }
  if (from.operation !== 'embed' || to.operation !== 'embed') throw mismatch(to.operation, from);
  const answer = from.client.decodeAnswer(body, facts);
  const { embed } = context.responseOptions;
  if (embed !== undefined && answer.vectors.length !== embed.inputs) throw new GatewayError(WRONG_COUNT);
  if (answer.usage.prompt !== undefined) return { ...to.server.encodeAnswer(answer, context), usage: answer.usage };
  const usage = { ...answer.usage, prompt: embed?.estimatedTokens ?? 0 };
  return { ...to.server.encodeAnswer({ ...answer, usage }, context), usage, usageEstimated: true };
}
