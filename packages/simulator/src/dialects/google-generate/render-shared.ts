// Shared by the plain and the streamed form: identity, finish reasons, signatures, the members around an answer.
import { blocksOf, type ScriptBlock } from '../../scenarios/blocks.ts';
import type { Piece, ShapedScript } from '../../scenarios/script.ts';
import { mintSeal, type SealIssuer } from '../../seals.ts';
import { shownPart } from './check-seals.ts';

export interface GenerateRenderContext {
  readonly issuer: SealIssuer;
  readonly isVertex: boolean;
  readonly responseId: string;
  readonly createdS: number;
  readonly model: string;
  readonly choices: number;
  readonly includeThoughts: boolean;
  /** Gemini 3 signs every answer; earlier models only those with thinking. */
  readonly alwaysSigns: boolean;
  readonly streamsArguments: boolean;
  /** Alternatives per token; undefined if log probabilities were not requested. */
  readonly topLogprobs: number | undefined;
}

function finishWord(script: ShapedScript): string {
  const isRefusal = script.pieces.some((piece) => piece.kind === 'refusal');
  switch (script.finish) {
    case 'length':
    case 'context-full':
      return 'MAX_TOKENS';
    case 'content-filter':
    case 'prompt-blocked':
      return 'SAFETY';
    case 'malformed-call':
      return 'MALFORMED_FUNCTION_CALL';
    case 'recitation':
      return 'RECITATION';
    default:
      return isRefusal ? 'SAFETY' : 'STOP';
  }
}

export function finishFields(script: ShapedScript): object {
  const finishReason = finishWord(script);
  return finishReason === 'MALFORMED_FUNCTION_CALL'
    ? { finishReason, finishMessage: 'Malformed function call: call:default_api:' }
    : { finishReason };
}

/** Neither citations nor searches split the text on this wire. */
export function plainBlocks(pieces: readonly Piece[]): readonly ScriptBlock[] {
  return blocksOf(
    pieces.filter((piece) => piece.kind !== 'search'),
    { joinsSources: true },
  );
}

export function isSigned(script: ShapedScript, context: GenerateRenderContext): boolean {
  return (
    context.alwaysSigns ||
    script.pieces.some((piece) => piece.kind === 'reasoning' || piece.kind === 'sealed-reasoning')
  );
}

export function sign<T extends Readonly<Record<string, unknown>>>(part: T, shown: T, context: GenerateRenderContext) {
  return { ...part, thoughtSignature: mintSeal(context.issuer, 'thought', shownPart(shown)) };
}

export function answerTail(context: GenerateRenderContext): object {
  const createTime = new Date(context.createdS * 1000).toISOString();
  return {
    modelVersion: context.model,
    responseId: context.responseId,
    ...(context.isVertex ? { createTime } : {}),
  };
}

export function blockedAnswer(script: ShapedScript, usage: object, context: GenerateRenderContext): object | undefined {
  if (script.finish !== 'prompt-blocked') return undefined;
  return { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, ...usage, ...answerTail(context) };
}
