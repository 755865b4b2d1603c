/** The chat protocol, written by hand without an SDK. */
import { dataOf, demand, recordsOf } from './road-frames.ts';
import { type Call, type Json, type ParsedAnswer, type Road, SCHEMA } from './roads.ts';

type Fragment = { index: number; id?: string; function?: { name?: string; arguments?: string } };
type WireCall = { id: string; type: 'function'; function: { name: string; arguments: string } };
type Message = {
  role: string;
  content: string | null;
  reasoning?: string;
  reasoning_details?: Json[];
  tool_calls?: WireCall[];
};
type Usage = { prompt_tokens: number; completion_tokens: number };
type Whole = { choices: { message: Message; finish_reason: string }[]; usage: Usage };
type Delta = Partial<Omit<Message, 'tool_calls'>> & { tool_calls?: Fragment[] };
type Chunk = {
  id: string;
  choices: { index: number; delta: Delta; finish_reason: string | null }[];
  usage?: Usage | null;
};

const parsed = (message: Message, finish: string, usage: Usage): ParsedAnswer => ({
  text: message.content ?? '',
  thinking: message.reasoning ?? '',
  calls: (message.tool_calls ?? []).map(
    ({ id, function: { name, arguments: argumentsJson } }): Call => ({ id, name, argumentsJson }),
  ),
  finish,
  inputTokens: usage.prompt_tokens,
  outputTokens: usage.completion_tokens,
  turn: message as unknown as Json,
});

/** Puts details together as clients do: pieces of one index are one detail, its strings joined. */
function joinDetails(pieces: readonly Json[]): Json[] {
  const joined: Json[] = [];
  for (const piece of pieces) {
    const open = joined.find(({ index, type }) => index === piece['index'] && type === piece['type']);
    if (open === undefined) joined.push({ ...piece });
    else {
      open['format'] ??= piece['format'];
      if (piece['id'] !== undefined) open['id'] = piece['id'];
      for (const member of ['text', 'summary', 'data', 'signature'])
        if (typeof piece[member] === 'string') open[member] = `${open[member] ?? ''}${piece[member]}`;
    }
  }
  return joined;
}

function joinCalls(fragments: readonly Fragment[]): WireCall[] {
  const calls: WireCall[] = [];
  for (const { index, id, function: called } of fragments) {
    const open = calls[index];
    if (open === undefined) {
      demand(id !== undefined && called?.name !== undefined, 'a call begins without its id or name');
      calls[index] = { id, type: 'function', function: { name: called.name, arguments: called.arguments ?? '' } };
    } else open.function.arguments += called?.arguments ?? '';
  }
  return calls;
}

export const chatRoad: Road = {
  name: 'chat',
  finishes: { stop: 'stop', tools: 'tool_calls' },
  headers: {},
  path: () => '/api/v1/chat/completions',
  user: (content) => ({ role: 'user', content }),
  results: (calls, contents) =>
    calls.map(({ id }, position) => ({ role: 'tool', tool_call_id: id, content: contents[position] ?? '' })),
  body: (model, messages, { tools, thinking, stream }) => ({
    model,
    messages,
    ...(tools && {
      tools: tools.map((name) => ({ type: 'function', function: { name, parameters: SCHEMA } })),
    }),
    ...(thinking && { reasoning_effort: 'medium' }),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  }),
  parse: (body) => {
    const { choices, usage } = JSON.parse(body) as Whole;
    const [choice] = choices;
    demand(choice !== undefined, 'no choice');
    return parsed(choice.message, choice.finish_reason, usage);
  },
  parseStream: (body) => {
    const records = recordsOf(body).filter((record) => !record.startsWith(':'));
    demand(records.pop() === 'data: [DONE]', 'the last record is not [DONE]');
    const chunks = records.map((record) => JSON.parse(dataOf(record)) as Chunk);
    demand(new Set(chunks.map(({ id }) => id)).size === 1, 'the id changes');
    const usage = chunks.pop()?.usage;
    demand(usage != null, 'the last chunk has no usage');
    const choices = chunks.flatMap((chunk) => chunk.choices);
    demand(choices[0]?.delta.role === 'assistant', 'the first chunk does not name the role');
    const finishes = choices.map(({ finish_reason }) => finish_reason);
    const finish = finishes.pop();
    demand(typeof finish === 'string', 'the last choice has no finish');
    demand(
      finishes.every((early) => early === null),
      'a finish before the last choice',
    );
    const deltas = choices.map(({ delta }) => delta);
    const calls = joinCalls(deltas.flatMap(({ tool_calls }) => tool_calls ?? []));
    const content = deltas.map((delta) => delta.content ?? '').join('');
    const details = joinDetails(deltas.flatMap(({ reasoning_details }) => reasoning_details ?? []));
    const reasoning = deltas.map((delta) => delta.reasoning ?? '').join('');
    const message: Message = {
      role: 'assistant',
      content: content === '' ? null : content,
      ...(reasoning !== '' && { reasoning }),
      ...(details.length > 0 && { reasoning_details: details }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return parsed(message, finish, usage);
  },
};
