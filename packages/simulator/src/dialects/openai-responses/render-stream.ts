// A script as the events of a Responses stream, in their full order and numbered.
import type { ShapedScript } from '../../scenarios/script.ts';
import type { StreamFrame } from '../../wire.ts';
import { printJson, tokenLogprob } from '../openai-chat/render-shared.ts';
import {
  annotationsOf,
  contentPart,
  itemsOfScript,
  type RenderedItem,
  type ResponsesRenderContext,
  summaryOf,
} from './render-items.ts';
import { finalItems, finalResponse, outcomeOf, responseObject, SERVER_ERROR } from './render-response.ts';

/** Numbers the events of one stream. */
export class EventPrinter {
  #next = 0;

  print(kind: StreamFrame['kind'], type: string, fields: object, tokens = 0): StreamFrame {
    const data = printJson({ type, sequence_number: this.#next, ...fields });
    this.#next += 1;
    return { kind, event: type, data, tokens };
  }

  /** An error takes the number of the event it replaces. */
  printError(place: 'first' | 'mid', context: ResponsesRenderContext): StreamFrame {
    this.#next = Math.max(0, this.#next - 1);
    if (place === 'first') return this.print('error', 'error', { ...SERVER_ERROR, param: null });
    const response = responseObject('failed', [], context, { error: SERVER_ERROR });
    return this.print('error', 'response.failed', { response });
  }
}

export function* renderFrames(
  script: ShapedScript,
  context: ResponsesRenderContext,
  printer: EventPrinter,
): Generator<StreamFrame> {
  const opening = responseObject('in_progress', [], context, {});
  yield printer.print('open', 'response.created', { response: opening });
  yield printer.print('open', 'response.in_progress', { response: opening });
  const items = itemsOfScript(script, context);
  const finished = finalItems(items, script, context);
  for (const [output_index, item] of items.entries()) {
    if (item.kind === 'message') yield* messageFrames(item, output_index, context, printer);
    else if (item.kind === 'reasoning') yield* reasoningFrames(item, output_index, context, printer);
    else if (item.kind === 'call') yield* callFrames(item, output_index, printer);
    else {
      const { type, stages } = STAGES[item.kind];
      const added = { output_index, item: { id: item.id, type, status: 'in_progress' } };
      yield printer.print('piece', 'response.output_item.added', added, 1);
      for (const stage of stages)
        yield printer.print('block', `response.${type}.${stage}`, { output_index, item_id: item.id });
    }
    yield printer.print('block', 'response.output_item.done', { output_index, item: finished[output_index] });
  }
  const response = finalResponse(script, context);
  yield { ...printer.print('finish', `response.${outcomeOf(script).status}`, { response }), isEnd: true };
}

const STAGES = {
  search: { type: 'web_search_call', stages: ['in_progress', 'searching', 'completed'] },
  image: { type: 'image_generation_call', stages: ['in_progress', 'generating', 'completed'] },
} as const;

function* messageFrames(
  message: Extract<RenderedItem, { kind: 'message' }>,
  output_index: number,
  context: ResponsesRenderContext,
  printer: EventPrinter,
): Generator<StreamFrame> {
  const item = { id: message.id, type: 'message', status: 'in_progress', content: [], role: 'assistant' };
  yield printer.print('block', 'response.output_item.added', { output_index, item });
  for (const [content_index, block] of message.blocks.entries()) {
    const place = { item_id: message.id, output_index, content_index };
    const part = contentPart(block, context);
    const empty =
      block.kind === 'refusal'
        ? { type: 'refusal', refusal: '' }
        : { type: 'output_text', annotations: [], logprobs: [], text: '' };
    yield printer.print('block', 'response.content_part.added', { ...place, part: empty });
    if (block.kind === 'refusal') {
      for (const delta of block.texts) yield printer.print('piece', 'response.refusal.delta', { ...place, delta }, 1);
      yield printer.print('block', 'response.refusal.done', { ...place, refusal: block.texts.join('') });
    } else {
      for (const piece of block.pieces) {
        const { topLogprobs } = context;
        const logprobs = topLogprobs === undefined ? [] : [tokenLogprob(piece, topLogprobs)];
        yield printer.print('piece', 'response.output_text.delta', { ...place, delta: piece.text, logprobs }, 1);
      }
      for (const [annotation_index, annotation] of annotationsOf(block).entries()) {
        const fields = { ...place, annotation_index, annotation };
        yield printer.print('block', 'response.output_text.annotation.added', fields);
      }
      const { text, logprobs } = Object(part);
      yield printer.print('block', 'response.output_text.done', { ...place, text, logprobs });
    }
    yield printer.print('block', 'response.content_part.done', { ...place, part });
  }
}

/** Hidden reasoning still costs its tokens; they are counted when the item starts. */
function* reasoningFrames(
  reasoning: Extract<RenderedItem, { kind: 'reasoning' }>,
  output_index: number,
  context: ResponsesRenderContext,
  printer: EventPrinter,
): Generator<StreamFrame> {
  const item = { id: reasoning.id, type: 'reasoning', summary: [] };
  const [text] = summaryOf(reasoning, context);
  if (text === undefined) {
    yield printer.print('piece', 'response.output_item.added', { output_index, item }, reasoning.texts.length);
    return;
  }
  yield printer.print('block', 'response.output_item.added', { output_index, item });
  const place = { item_id: reasoning.id, output_index, summary_index: 0 };
  const part = (shown: string) => ({ ...place, part: { type: 'summary_text', text: shown } });
  yield printer.print('block', 'response.reasoning_summary_part.added', part(''));
  for (const delta of reasoning.texts) {
    yield printer.print('piece', 'response.reasoning_summary_text.delta', { ...place, delta }, 1);
  }
  yield printer.print('block', 'response.reasoning_summary_text.done', { ...place, text });
  yield printer.print('block', 'response.reasoning_summary_part.done', part(text));
}

function* callFrames(
  call: Extract<RenderedItem, { kind: 'call' }>,
  output_index: number,
  printer: EventPrinter,
): Generator<StreamFrame> {
  const { id: call_id, name, texts, isFree } = call.block;
  const [type, member, events] =
    isFree === true
      ? (['custom_tool_call', 'input', 'response.custom_tool_call_input'] as const)
      : (['function_call', 'arguments', 'response.function_call_arguments'] as const);
  const item = { id: call.id, type, status: 'in_progress', [member]: '', call_id, name };
  yield printer.print('piece', 'response.output_item.added', { output_index, item }, 1);
  const place = { item_id: call.id, output_index };
  for (const delta of texts) yield printer.print('piece', `${events}.delta`, { ...place, delta }, 1);
  yield printer.print('block', `${events}.done`, { ...place, [member]: texts.join('') });
}
