/**
 * Compacts a conversation: a call whose answer stands for all that came before. The maker of the format has a path of
 * its own for it, whose result only it can read; any other host is asked for a summary, which any host can read. Both are
 * calls like others: planned, held, charged and recorded.
 */
import {
  arrayAt,
  type Fault,
  GatewayError,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  objectAt,
  stringAt,
} from '@trivium/protocol/canonical';
import { protocolAdapters } from '@trivium/protocol/dialects';
import { type Edit, type JsonBounds, splice } from '@trivium/protocol/framing';
import { type CallerPort, ForwardingReply } from '../../kernel/caller-port.ts';
import type { Engine } from '../engine.ts';
import { openBody } from '../entry/understand.ts';
import { handle } from '../pipeline.ts';
import type { Received } from '../request.ts';

const SUMMARY_REQUEST = `Summarize this conversation, so that it can be continued from the summary alone. State what was asked for, what was decided and done, the results of tools, names, figures, paths and identifiers exactly, and what remains to be done. Answer with the summary only. Call no tools.`;
const SUMMARY_HEAD = 'Summary of the conversation so far:\n\n';
const COMPACTED_BY = 'x-trivium-compacted-by';

/** Of the caller's members, those that say how an answer is written: there is none. */
const LEFT_OUT = ['stream', 'text', 'include', 'max_output_tokens'];

export function compact(engine: Engine, received: Received, keyInQuery: boolean): Promise<void> {
  const { readBody, reply, id } = received;
  return handle(
    engine,
    Object.assign(received, {
      compacts: true as const,
      reply: new CompactedReply(reply, id),
      readBody: async (room: Parameters<typeof readBody>[0]) => {
        const { text } = await readBody(room);
        return { text: withSummaryRequest(text, engine.jsonBounds, received) };
      },
    }),
    keyInQuery,
  );
}

function withSummaryRequest(text: string, bounds: JsonBounds, { dialect }: Received): string {
  const { value, members } = openBody(text, bounds, dialect);
  const { input = null, tools = null, conversation = null } = value;
  if (conversation !== null) throw malformed('conversation', 'cannot be compacted: send previous_response_id or items');
  if (value['stream'] === true) throw malformed('stream', 'cannot be true: a compaction comes whole');
  const edits: Edit[] = [...LEFT_OUT.map((name) => ({ name, value: undefined })), { name: 'store', value: 'false' }];
  if (isJsonArray(tools) && tools.length > 0) edits.push({ name: 'tool_choice', value: '"none"' });
  const own: readonly Json[] | undefined =
    input === null ? [] : typeof input === 'string' ? [message(input)] : isJsonArray(input) ? input : undefined;
  // An input that is neither is refused as any other.
  if (own !== undefined) edits.push({ name: 'input', value: JSON.stringify([...own, message(SUMMARY_REQUEST)]) });
  return splice(text, members, edits);
}

const malformed = (field: string, problem: string): GatewayError =>
  new GatewayError({ kind: 'malformed', message: `'${field}' ${problem}.`, field });

const message = (text: string): JsonObject => ({ type: 'message', role: 'user', content: text });

const NO_SUMMARY: Fault = {
  kind: 'upstream-broken',
  message:
    'The model did not give a whole summary. Nothing was compacted: keep the conversation, or try another model.',
};

/** Turns the answer of the call into a compaction. */
class CompactedReply extends ForwardingReply {
  readonly #id: string;

  constructor(caller: CallerPort, id: string) {
    super(caller);
    this.#id = id;
  }

  override answer(status: number, headers: readonly string[], body: string): void {
    const made = status === 200 ? compactionOf(JSON.parse(body)) : undefined;
    if (status !== 200) this.caller.answer(status, headers, body);
    else if (made === undefined) {
      const fault = protocolAdapters.chat.encodeFault(NO_SUMMARY, this.#id);
      this.caller.answer(fault.status, headers, JSON.stringify(fault.body));
    } else this.caller.answer(200, [...headers, COMPACTED_BY, made.by], JSON.stringify(made.compaction));
  }
}

type Compaction = { readonly by: 'maker' | 'summary'; readonly compaction: JsonObject };

/** Undefined without a whole summary: what it would stand for would be lost. */
function compactionOf(response: JsonObject): Compaction | undefined {
  const { id = '', created_at: createdAt = 0 } = response;
  const usage = objectAt(response, 'usage');
  const about = { id, object: 'response.compaction', created_at: createdAt };
  const output = arrayAt(response, 'output');
  if (output.some((item) => isJsonObject(item) && item['type'] === 'compaction'))
    return { by: 'maker', compaction: { ...about, output, ...(usage && { usage }) } };
  const summary = response['status'] === 'completed' ? textOf(output) : '';
  if (summary.trim() === '') return undefined;
  const content = [{ type: 'input_text', text: `${SUMMARY_HEAD}${summary}` }];
  const item = { id: `msg_${String(id).replace(/^resp_/, '')}`, type: 'message', role: 'user' };
  return { by: 'summary', compaction: { ...about, output: [{ ...item, content }], ...(usage && { usage }) } };
}

const textOf = (output: readonly Json[]): string =>
  output
    .filter(isJsonObject)
    .flatMap((item) => (item['type'] === 'message' ? arrayAt(item, 'content') : []))
    .map((part) => (isJsonObject(part) && part['type'] === 'output_text' ? (stringAt(part, 'text') ?? '') : ''))
    .join('');
