// A script as one generateContent answer.
import { printRaw, RawJson, rawObject } from '../../json-raw.ts';
import { type BlockOf, type ScriptBlock, textOf } from '../../scenarios/blocks.ts';
import type { ShapedScript } from '../../scenarios/script.ts';
import { logprobFields, sourceFields } from './render-grounding.ts';
import {
  answerTail,
  blockedAnswer,
  finishFields,
  type GenerateRenderContext,
  isSigned,
  plainBlocks,
  sign,
} from './render-shared.ts';
import { usageFields } from './render-usage.ts';

export type GeneratePart = Readonly<Record<string, unknown>>;

export function renderPlain(script: ShapedScript, context: GenerateRenderContext): string {
  const usage = usageFields(script, context);
  const blocked = blockedAnswer(script, usage, context);
  if (blocked !== undefined) return printRaw(blocked);
  const parts = plainBlocks(script.pieces).flatMap((block) => partOf(block, context));
  // The first call is signed, or else the last part that is not a thought.
  const call = parts.findIndex((part) => part['functionCall'] !== undefined);
  const signed = call >= 0 ? call : parts.findLastIndex((part) => part['thought'] !== true);
  const part = parts[signed];
  if (isSigned(script, context) && part !== undefined) parts[signed] = sign(part, readable(part), context);
  const candidate = {
    content: { parts, role: 'model' },
    ...finishFields(script),
    ...sourceFields(script),
    ...logprobFields(script, context),
  };
  return printRaw({
    candidates: Array.from({ length: context.choices }, (_, index) => ({ ...candidate, index })),
    ...usage,
    ...answerTail(context),
  });
}

/** A part whose raw JSON has been parsed: as a reader of the answer sees it. */
export function readable(part: GeneratePart): GeneratePart {
  const { functionCall } = part;
  if (typeof functionCall !== 'object' || functionCall === null || !('args' in functionCall)) return part;
  const { args } = functionCall;
  return { ...part, functionCall: { ...functionCall, args: args instanceof RawJson ? JSON.parse(args.text) : args } };
}

export function partOf(block: ScriptBlock, context: GenerateRenderContext): readonly GeneratePart[] {
  switch (block.kind) {
    case 'reasoning':
      return context.includeThoughts ? [{ text: block.texts.join(''), thought: true }] : [];
    case 'refusal':
      return [{ text: block.texts.join('') }];
    case 'text':
      return [{ text: textOf(block) }];
    case 'call': {
      const { id, name, texts } = block;
      const args = rawObject(texts.join(''));
      return isWhole(block) ? [{ functionCall: { ...(!context.isVertex && { id }), name, args } }] : [];
    }
    case 'image':
      return [{ inlineData: { mimeType: block.mimeType, data: block.base64 } }];
    case 'search':
    case 'sealed-reasoning':
      return [];
  }
}

/** Truncated arguments give no call at all here. */
export function isWhole(block: BlockOf<'call'>): boolean {
  const text = block.texts.join('');
  return text === '' || rawObject(text).text === text;
}
