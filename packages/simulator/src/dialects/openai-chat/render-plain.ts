// A script as one chat.completion object.
import type { Piece, ShapedScript } from '../../scenarios/script.ts';
import { annotationFields, imagePart } from './render-annotations.ts';
import {
  type ChatRenderOptions,
  finishWords,
  type Identity,
  printJson,
  reasoningFields,
  tokenLogprob,
} from './render-shared.ts';
import { renderUsage } from './render-usage.ts';

export function renderPlain(script: ShapedScript, identity: Identity, options: ChatRenderOptions): string {
  const usageManner = script.manner?.usage ?? 'standard';
  const usage = renderUsage(script.usage, options.choices, usageManner);
  const choice = {
    message: renderMessage(script),
    logprobs: renderLogprobs(script, options),
    finish_reason: finishWords[script.finish],
    ...(usageManner === 'in-choice' ? { usage } : {}),
  };
  return printJson({
    id: identity.id,
    object: 'chat.completion',
    created: identity.createdS,
    model: identity.model,
    choices: Array.from({ length: options.choices }, (_, index) => ({ index, ...choice })),
    ...(usageManner === 'absent' || usageManner === 'in-choice' || usageManner === 'x-groq' ? {} : { usage }),
    ...(usageManner === 'x-groq' ? { x_groq: { id: `req_${identity.id}`, usage } } : {}),
    service_tier: 'default',
    system_fingerprint: 'fp_simulator',
  });
}

function joined(pieces: readonly Piece[], kind: 'text' | 'reasoning' | 'refusal'): string | undefined {
  const texts = pieces.flatMap((piece) => (piece.kind === kind ? [piece.text] : []));
  return texts.length === 0 ? undefined : texts.join('');
}

function renderMessage(script: ShapedScript): object {
  const reasoning = joined(script.pieces, 'reasoning');
  const refusal = joined(script.pieces, 'refusal') ?? null;
  const calls = renderCalls(script.pieces);
  const images = script.pieces.flatMap((piece) => (piece.kind === 'image' ? [imagePart(piece)] : []));
  const emptyContent = calls.length > 0 || refusal !== null ? null : '';
  return {
    role: 'assistant',
    content: joined(script.pieces, 'text') ?? emptyContent,
    refusal,
    ...(reasoning === undefined ? {} : reasoningFields(reasoning, script.manner)),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    annotations: [],
    ...annotationFields(script.pieces),
    ...(images.length === 0 ? {} : { images }),
  };
}

function renderCalls(pieces: readonly Piece[]): readonly object[] {
  return pieces.flatMap((start): readonly object[] => {
    if (start.kind !== 'call-start') return [];
    const argumentsText = pieces
      .flatMap((piece) => (piece.kind === 'call-arguments' && piece.call === start.call ? [piece.text] : []))
      .join('');
    if (start.isFree === true)
      return [{ id: start.id, type: 'custom', custom: { name: start.name, input: argumentsText } }];
    return [{ id: start.id, type: 'function', function: { name: start.name, arguments: argumentsText } }];
  });
}

function renderLogprobs(script: ShapedScript, options: ChatRenderOptions): object | null {
  const { topLogprobs } = options;
  if (topLogprobs === undefined) return null;
  const content = script.pieces
    .filter((piece) => piece.kind === 'text')
    .map((piece) => tokenLogprob(piece, topLogprobs));
  return { content, refusal: null };
}
