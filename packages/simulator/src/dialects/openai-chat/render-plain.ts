// A script as one chat.completion object.
import { blocksOf } from '../../scenarios/blocks.ts';
import { piecesOf, type ShapedScript } from '../../scenarios/script.ts';
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
  const manner = script.manner?.usage ?? 'standard';
  const usage = renderUsage(script.usage, options.choices, manner);
  const { topLogprobs } = options;
  const spoken = piecesOf(script.pieces, 'text');
  const choice = {
    message: renderMessage(script),
    logprobs:
      topLogprobs === undefined
        ? null
        : { content: spoken.map((piece) => tokenLogprob(piece, topLogprobs)), refusal: null },
    finish_reason: finishWords[script.finish],
    ...(manner === 'in-choice' && { usage }),
  };
  return printJson({
    id: identity.id,
    object: 'chat.completion',
    created: identity.createdS,
    model: identity.model,
    choices: Array.from({ length: options.choices }, (_, index) => ({ index, ...choice })),
    ...(!['absent', 'in-choice', 'x-groq'].includes(manner) && { usage }),
    ...(manner === 'x-groq' && { x_groq: { id: `req_${identity.id}`, usage } }),
    service_tier: 'default',
    system_fingerprint: 'fp_simulator',
  });
}

function renderMessage({ pieces, manner }: ShapedScript): object {
  const joined = (kind: 'text' | 'reasoning' | 'refusal'): string | undefined => {
    const texts = piecesOf(pieces, kind).map((piece) => piece.text);
    return texts.length === 0 ? undefined : texts.join('');
  };
  const reasoning = joined('reasoning');
  const refusal = joined('refusal') ?? null;
  const calls = blocksOf(pieces).flatMap((block): readonly object[] => {
    if (block.kind !== 'call') return [];
    const { id, name, texts, isFree } = block;
    if (isFree === true) return [{ id, type: 'custom', custom: { name, input: texts.join('') } }];
    return [{ id, type: 'function', function: { name, arguments: texts.join('') } }];
  });
  const images = piecesOf(pieces, 'image').map(imagePart);
  return {
    role: 'assistant',
    content: joined('text') ?? (calls.length > 0 || refusal !== null ? null : ''),
    refusal,
    ...(reasoning !== undefined && reasoningFields(reasoning, manner)),
    ...(calls.length > 0 && { tool_calls: calls }),
    annotations: [],
    ...annotationFields(pieces),
    ...(images.length > 0 && { images }),
  };
}
