// A script as chunks, each a complete answer object; the last one has the finish reason and the full usage.
import { printRaw } from '../../json-raw.ts';
import { blocksOf, type ScriptBlock, tokensOf } from '../../scenarios/blocks.ts';
import { piecesOf, type ShapedScript } from '../../scenarios/script.ts';
import type { StreamFrame } from '../../wire.ts';
import { leaves } from './render-arguments.ts';
import { logprobFields, sourceFields } from './render-grounding.ts';
import { type GeneratePart, isWhole, partOf, readable } from './render-plain.ts';
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

/** A part of the stream and its tokens; hidden tokens are counted with the next part. */
interface Step {
  readonly part: GeneratePart | undefined;
  readonly said: number;
  readonly thought: number;
}

export function* renderFrames(script: ShapedScript, context: GenerateRenderContext): Generator<StreamFrame> {
  const blocked = blockedAnswer(script, usageFields(script, context), context);
  if (blocked !== undefined) {
    yield { kind: 'finish', isEnd: true, data: printRaw(blocked), tokens: 0 };
    return;
  }
  let said = 0;
  let thought = 0;
  let hidden = 0;
  const blocks = blocksOf(script.pieces, { joinsSources: true });
  const steps = blocks.flatMap((block) => blockSteps(block, context));
  for (const step of signFirstCall(steps, script, context)) {
    said += step.said;
    thought += step.thought;
    const tokens = step.said + step.thought + hidden;
    hidden = step.part === undefined ? tokens : 0;
    if (step.part === undefined) continue;
    const tail = { ...usageFields(script, context, { said, thought }), ...answerTail(context) };
    for (let index = 0; index < context.choices; index += 1) {
      const candidates = [{ content: { parts: [step.part], role: 'model' }, index }];
      yield { kind: 'piece', data: printRaw({ candidates, ...tail }), tokens };
    }
  }
  const hasCall = piecesOf(script.pieces, 'call-start').length > 0;
  const empty = { text: '' };
  const part = isSigned(script, context) && !hasCall ? sign(empty, empty, context) : empty;
  for (let index = 0; index < context.choices; index += 1) {
    const candidate = {
      content: { parts: [part], role: 'model' },
      ...finishFields(script),
      ...sourceFields(script),
      ...logprobFields(script, context),
      index,
    };
    const data = printRaw({ candidates: [candidate], ...usageFields(script, context), ...answerTail(context) });
    const isEnd = index === context.choices - 1;
    yield { kind: 'finish', ...(isEnd && { isEnd }), data, tokens: hidden };
  }
}

function blockSteps(block: ScriptBlock, context: GenerateRenderContext): readonly Step[] {
  if (block.kind === 'reasoning')
    return block.texts.map((text) => ({
      part: context.includeThoughts ? { text, thought: true } : undefined,
      said: 0,
      thought: 1,
    }));
  if (block.kind === 'sealed-reasoning') return [{ part: undefined, said: 0, thought: 1 }];
  if (block.kind === 'text' || block.kind === 'refusal') {
    const texts = block.kind === 'text' ? block.pieces.map((piece) => piece.text) : block.texts;
    return texts.map((text) => ({ part: { text }, said: 1, thought: 0 }));
  }
  let left = tokensOf(block);
  if (block.kind !== 'call' || !context.streamsArguments || !isWhole(block))
    return [{ part: partOf(block, context)[0], said: left, thought: 0 }];
  const text = block.texts.join('');
  const partials = leaves(text === '' ? {} : JSON.parse(text), '$');
  const parts = [
    { functionCall: { name: block.name, willContinue: true } },
    ...partials.map((partial) => ({ functionCall: { partialArgs: [partial], willContinue: true } })),
    { functionCall: {} },
  ];
  return parts.map((part, at) => {
    const said = at === parts.length - 1 ? left : Math.min(1, left);
    left -= said;
    return { part, said, thought: 0 };
  });
}

/** Of parallel calls only the first is signed. The seal covers the whole call, however it is split. */
function signFirstCall(steps: readonly Step[], script: ShapedScript, context: GenerateRenderContext): readonly Step[] {
  if (!isSigned(script, context)) return steps;
  const first = plainBlocks(script.pieces).find((block) => block.kind === 'call');
  const [whole] = first === undefined ? [] : partOf(first, context);
  const place = steps.findIndex((step) => step.part?.['functionCall'] !== undefined);
  if (whole === undefined) return steps;
  return steps.map((step, at) =>
    at === place && step.part !== undefined ? { ...step, part: sign(step.part, readable(whole), context) } : step,
  );
}
