// Shared by the plain and the streamed form: identity, finish reasons, signatures, the members around an answer.
import { blocksOf, type ScriptBlock } from '../../scenarios/blocks.ts';
import { type Piece, piecesOf, type ScriptFinish, type ShapedScript } from '../../scenarios/script.ts';
import { isReasoning } from '../../scenarios/shape.ts';
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

const FINISH_WORDS: Readonly<Partial<Record<ScriptFinish, string>>> = {
  length: 'MAX_TOKENS',
  'context-full': 'MAX_TOKENS',
  'content-filter': 'SAFETY',
  'prompt-blocked': 'SAFETY',
  'malformed-call': 'MALFORMED_FUNCTION_CALL',
  recitation: 'RECITATION',
};

export function finishFields({ finish, pieces }: ShapedScript): object {
  const isRefusal = piecesOf(pieces, 'refusal').length > 0;
  return {
    finishReason: FINISH_WORDS[finish] ?? (isRefusal ? 'SAFETY' : 'STOP'),
    ...(finish === 'malformed-call' && { finishMessage: 'Malformed function call: call:default_api:' }),
  };
}

/** Neither citations nor searches split the text on this wire. */
export function plainBlocks(pieces: readonly Piece[]): readonly ScriptBlock[] {
  return blocksOf(
    pieces.filter((piece) => piece.kind !== 'search'),
    { joinsSources: true },
  );
}

export function isSigned(script: ShapedScript, context: GenerateRenderContext): boolean {
  return context.alwaysSigns || script.pieces.some(isReasoning);
}

export function sign<T extends Readonly<Record<string, unknown>>>(part: T, shown: T, context: GenerateRenderContext) {
  return { ...part, thoughtSignature: mintSeal(context.issuer, 'thought', shownPart(shown)) };
}

export function answerTail({ createdS, model, responseId, isVertex }: GenerateRenderContext): object {
  const createTime = new Date(createdS * 1000).toISOString();
  return { modelVersion: model, responseId, ...(isVertex && { createTime }) };
}

export function blockedAnswer(script: ShapedScript, usage: object, context: GenerateRenderContext): object | undefined {
  if (script.finish !== 'prompt-blocked') return undefined;
  return { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, ...usage, ...answerTail(context) };
}
