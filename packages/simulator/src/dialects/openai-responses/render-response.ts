// The response object: as the complete answer, and inside the events that open and close a stream.
import type { ScriptFinish, ShapedScript } from '../../scenarios/script.ts';
import { mintId } from './item-ids.ts';
import { itemsOfScript, type RenderedItem, type ResponsesRenderContext, renderItem } from './render-items.ts';

export type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed';

export const SERVER_ERROR = {
  code: 'server_error',
  message: 'An error occurred while processing your request.',
} as const;
const INVALID_PROMPT = {
  code: 'invalid_prompt',
  message: 'Your prompt was flagged as potentially violating our usage policy.',
} as const;
const CUT_BY_LIMIT = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } as const;
const CUT_BY_FILTER = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } } as const;
const COMPLETED = { status: 'completed' } as const;

interface Outcome {
  readonly status: Exclude<Status, 'in_progress'>;
  readonly incomplete_details?: object;
  readonly error?: object;
}

/** The status, and the members that explain it; any other finish is a completed answer. */
const OUTCOMES: Readonly<Partial<Record<ScriptFinish, Outcome>>> = {
  length: CUT_BY_LIMIT,
  'context-full': CUT_BY_LIMIT,
  'content-filter': CUT_BY_FILTER,
  recitation: CUT_BY_FILTER,
  'prompt-blocked': { status: 'failed', error: INVALID_PROMPT },
  'malformed-call': { status: 'failed', error: SERVER_ERROR },
};

export const outcomeOf = ({ finish }: ShapedScript): Outcome => OUTCOMES[finish] ?? COMPLETED;

function renderUsage({ usage, manner }: ShapedScript): object | undefined {
  const { prompt, cached, completion, reasoning, cacheWrite5m = 0, cacheWrite1h = 0 } = usage;
  switch (manner?.usage) {
    case 'absent':
      return undefined;
    case 'negative':
      return { input_tokens: -1, output_tokens: -completion, total_tokens: -1 - completion };
    case 'odd':
      return { input_tokens: prompt + 0.5, output_tokens: String(completion), total_tokens: 1 };
    default:
      return {
        input_tokens: prompt,
        input_tokens_details: { cached_tokens: cached, cache_write_tokens: cacheWrite5m + cacheWrite1h },
        output_tokens: completion,
        output_tokens_details: { reasoning_tokens: reasoning },
        total_tokens: prompt + completion,
      };
  }
}

export function responseObject(
  status: Status,
  output: readonly object[],
  { issuer, sequence, isStored, createdS, echo }: ResponsesRenderContext,
  more: object,
): object {
  return {
    id: mintId(issuer, { prefix: 'resp', sequence, index: 0, isStored, hasReasoning: false }),
    object: 'response',
    created_at: createdS,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    output,
    usage: null,
    ...echo,
    ...more,
  };
}

/** Only the last item of a truncated answer is incomplete. */
export function finalItems(
  items: readonly RenderedItem[],
  script: ShapedScript,
  context: ResponsesRenderContext,
): readonly object[] {
  const isCut = outcomeOf(script).status === 'incomplete';
  return items.map((item, at) =>
    renderItem(item, isCut && at === items.length - 1 ? 'incomplete' : 'completed', context),
  );
}

export function finalResponse(script: ShapedScript, context: ResponsesRenderContext): object {
  const usage = renderUsage(script);
  const outcome = outcomeOf(script);
  const output = finalItems(itemsOfScript(script, context), script, context);
  return responseObject(outcome.status, output, context, { ...outcome, ...(usage && { usage }) });
}

/** The answer of `/responses/compact`: what stands for the conversation can be read by its maker only. */
export function compaction(
  script: ShapedScript,
  { issuer, sequence, createdS, isStored }: ResponsesRenderContext,
): object {
  const usage = renderUsage(script);
  const id = mintId(issuer, { prefix: 'resp', sequence, index: 0, isStored, hasReasoning: false });
  const sealed = Buffer.from(`compaction of ${id}`).toString('base64');
  const item = { id: id.replace(/^resp/u, 'cmp'), type: 'compaction', encrypted_content: sealed };
  return { id, object: 'response.compaction', created_at: createdS, output: [item], ...(usage && { usage }) };
}
