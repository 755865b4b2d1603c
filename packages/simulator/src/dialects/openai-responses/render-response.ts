// The response object: as the complete answer, and inside the events that open and close a stream.

import type { ShapedScript } from '../../scenarios/script.ts';
import { printJson } from '../openai-chat/render-shared.ts';
import { mintId } from './item-ids.ts';
import { itemsOfScript, type RenderedItem, type ResponsesRenderContext, renderItem } from './render-items.ts';

export type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed';

export function finalStatus(script: ShapedScript): Exclude<Status, 'in_progress'> {
  switch (script.finish) {
    case 'length':
    case 'context-full':
    case 'content-filter':
    case 'recitation':
      return 'incomplete';
    case 'prompt-blocked':
    case 'malformed-call':
      return 'failed';
    default:
      return 'completed';
  }
}

function outcomeFields(script: ShapedScript): object {
  switch (script.finish) {
    case 'length':
    case 'context-full':
      return { incomplete_details: { reason: 'max_output_tokens' } };
    case 'content-filter':
    case 'recitation':
      return { incomplete_details: { reason: 'content_filter' } };
    case 'prompt-blocked':
      return {
        error: {
          code: 'invalid_prompt',
          message: 'Your prompt was flagged as potentially violating our usage policy.',
        },
      };
    case 'malformed-call':
      return { error: serverError() };
    default:
      return {};
  }
}

export function serverError(): { readonly code: string; readonly message: string } {
  return { code: 'server_error', message: 'An error occurred while processing your request.' };
}

function renderUsage(script: ShapedScript): object | undefined {
  const { usage } = script;
  const { cacheWrite5m = 0, cacheWrite1h = 0 } = usage;
  switch (script.manner?.usage) {
    case 'absent':
      return undefined;
    case 'negative':
      return { input_tokens: -1, output_tokens: -usage.completion, total_tokens: -1 - usage.completion };
    case 'odd':
      return { input_tokens: usage.prompt + 0.5, output_tokens: String(usage.completion), total_tokens: 1 };
    default:
      return {
        input_tokens: usage.prompt,
        input_tokens_details: { cached_tokens: usage.cached, cache_write_tokens: cacheWrite5m + cacheWrite1h },
        output_tokens: usage.completion,
        output_tokens_details: { reasoning_tokens: usage.reasoning },
        total_tokens: usage.prompt + usage.completion,
      };
  }
}

function responseId({ issuer, sequence, isStored }: ResponsesRenderContext): string {
  return mintId(issuer, { prefix: 'resp', sequence, index: 0, isStored, hasReasoning: false });
}

export function responseObject(
  status: Status,
  output: readonly object[],
  context: ResponsesRenderContext,
  more: object,
): object {
  return {
    id: responseId(context),
    object: 'response',
    created_at: context.createdS,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    output,
    usage: null,
    ...context.echo,
    ...more,
  };
}

/** Only the last item of a truncated answer is incomplete. */
export function finalItems(
  items: readonly RenderedItem[],
  script: ShapedScript,
  context: ResponsesRenderContext,
): readonly object[] {
  const isCut = finalStatus(script) === 'incomplete';
  return items.map((item, at) =>
    renderItem(item, isCut && at === items.length - 1 ? 'incomplete' : 'completed', context),
  );
}

export function finalResponse(script: ShapedScript, context: ResponsesRenderContext): object {
  const usage = renderUsage(script);
  const output = finalItems(itemsOfScript(script, context), script, context);
  const more = { ...outcomeFields(script), ...(usage === undefined ? {} : { usage }) };
  return responseObject(finalStatus(script), output, context, more);
}

export function renderPlain(script: ShapedScript, context: ResponsesRenderContext): string {
  return printJson(finalResponse(script, context));
}
