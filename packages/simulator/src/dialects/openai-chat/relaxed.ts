// Further forms that vLLM-like servers and aggregators accept: rewritten to the stricter form before validation.
import { asList, asRecord, isRecord, type JsonRecord } from '../../json-value.ts';

const MAX_CALL_ID_LENGTH = 40;
/** Values of single hosts that change nothing. */
const USUAL_WORDS: Readonly<Record<string, readonly unknown[]>> = {
  service_tier: ['on_demand', 'standard', 'performance'],
  reasoning_effort: ['default'],
};
/** Part types of single hosts, removed before validation: any content is accepted. */
const OWN_PARTS: ReadonlySet<unknown> = new Set(['video_url', 'document_url', 'file_url', 'thinking']);
const OWN_TOOLS = /^openrouter:[a-z_]+$/u;

export function relaxed(body: JsonRecord): JsonRecord {
  const out: Record<string, unknown> = { ...withoutNulls(body) };
  for (const [name, words] of Object.entries(USUAL_WORDS)) if (words.includes(out[name])) delete out[name];
  const tools = asList(out['tools']).filter((tool) => !OWN_TOOLS.test(String(asRecord(tool)['type'])));
  if (tools.length > 0) out['tools'] = tools.map(withType);
  else for (const name of ['tools', 'tool_choice', 'parallel_tool_calls']) delete out[name];
  if (isRecord(out['tool_choice'])) out['tool_choice'] = withType(out['tool_choice']);
  if (Array.isArray(out['messages'])) out['messages'] = out['messages'].map(relaxedMessage);
  if (Array.isArray(out['stop']) && out['stop'].length === 0) delete out['stop'];
  return out;
}

function withType(tool: unknown): unknown {
  if (!isRecord(tool)) return tool;
  const typed = tool['type'] === undefined && isRecord(tool['function']) ? { type: 'function', ...tool } : tool;
  const inner = typed['function'];
  return isRecord(inner) ? { ...typed, function: withoutNulls(inner) } : typed;
}

const withoutNulls = (record: JsonRecord): JsonRecord =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

function relaxedMessage(message: unknown): unknown {
  if (!isRecord(message)) return message;
  const out: Record<string, unknown> = { ...message };
  if (out['name'] === null) delete out['name'];
  const calls = asList(out['tool_calls']);
  if (calls.length > 0) out['tool_calls'] = calls.map(relaxedCall);
  else if (Array.isArray(out['tool_calls']) || out['tool_calls'] === null) delete out['tool_calls'];
  if (typeof out['tool_call_id'] === 'string') out['tool_call_id'] = out['tool_call_id'].slice(0, MAX_CALL_ID_LENGTH);
  if (!Array.isArray(out['content'])) return out;
  const parts = out['content'].flatMap(relaxedPart);
  out['content'] = parts.length > 0 ? parts : '';
  return out;
}

function relaxedCall(call: unknown): unknown {
  if (!isRecord(call)) return call;
  const id = typeof call['id'] === 'string' ? call['id'].slice(0, MAX_CALL_ID_LENGTH) : call['id'];
  return { type: 'function', ...withoutNulls(call), ...(id !== undefined && { id }) };
}

function relaxedPart(part: unknown): readonly unknown[] {
  const { type, image_url: url } = asRecord(part);
  if (OWN_PARTS.has(type)) return [];
  return [isRecord(part) && typeof url === 'string' ? { ...part, image_url: { url } } : part];
}
