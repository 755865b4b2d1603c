/** The response object for callers: complete, and inside the events that mark the progress of a stream. */
import type { Fault } from '../../canonical/fault.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import type { Usage } from '../../canonical/usage.ts';
import type { AnswerContext } from '../dialect.ts';
import { responseError } from './faults.ts';
import type { Ending } from './finish.ts';
import { writeUsage } from './usage.ts';

export const responseId = (requestId: string): string => `resp_${requestId}`;

/** The members of the object for everything the request left out. */
const UNSAID: JsonObject = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  reasoning: { effort: null, summary: null },
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: null,
  truncation: 'disabled',
};
export const ECHOED: readonly string[] = Object.keys(UNSAID);

export type State =
  | { readonly status: 'in_progress' | 'queued' }
  | Ending
  | { readonly status: 'failed'; readonly fault: Fault };

export function responseObject(
  context: Pick<AnswerContext, 'requestId' | 'createdAtSeconds' | 'model' | 'responseOptions'>,
  state: State,
  output: readonly JsonObject[],
  usage: Usage | undefined,
): JsonObject {
  const { echo = {} } = context.responseOptions;
  const repeated: Record<string, Json> = { ...UNSAID };
  for (const name of ECHOED) {
    const value = echo[name];
    if (value !== undefined && value !== null) repeated[name] = value;
  }
  return {
    id: responseId(context.requestId),
    object: 'response',
    created_at: context.createdAtSeconds,
    status: state.status,
    background: echo['background'] === true,
    error: state.status === 'failed' ? responseError(state.fault) : null,
    incomplete_details: state.status === 'incomplete' ? { reason: state.reason } : null,
    model: context.model,
    output,
    previous_response_id: echo['previous_response_id'] ?? null,
    service_tier: 'default',
    store: echo['store'] === true,
    ...(echo['conversation'] !== undefined && { conversation: echo['conversation'] }),
    ...repeated,
    usage: usage === undefined ? null : writeUsage(usage),
    user: null,
  };
}

/** The object of a response that waits for its turn in the background. */
export const queuedResponse = (
  context: Pick<AnswerContext, 'requestId' | 'createdAtSeconds' | 'model' | 'responseOptions'>,
): JsonObject => responseObject(context, { status: 'queued' }, [], undefined);

/** The same once it has failed. */
export const failedMembers = (fault: Fault): JsonObject => ({ status: 'failed', error: responseError(fault) });
