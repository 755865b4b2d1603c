/** The messages protocol, written by hand without an SDK. */
import { parseExact } from './exact-json.ts';
import { demand, recordsOf } from './road-frames.ts';
import { type Json, type ParsedAnswer, type Road, SCHEMA } from './roads.ts';

type Block = Json & { type: string };
type Usage = { input_tokens: number; output_tokens: number };
type Whole = { content: Block[]; stop_reason: string; usage: Usage };
type Event = Json & { type: string };

const THINKING_TOKENS = 2048;
const OUTPUT_TOKENS = 4096;

const joined = (content: readonly Block[], type: string, member: string): string =>
  content
    .filter((block) => block.type === type)
    .map((block) => String(block[member]))
    .join('');

const parsed = (content: readonly Block[], finish: string, usage: Usage): ParsedAnswer => ({
  text: joined(content, 'text', 'text'),
  thinking: joined(content, 'thinking', 'thinking'),
  calls: content
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({ id: String(id), name: String(name), argumentsJson: JSON.stringify(input) })),
  finish,
  inputTokens: usage.input_tokens,
  outputTokens: usage.output_tokens,
  turn: { role: 'assistant', content },
});

function eventOf(record: string): Event {
  const [name, data, ...more] = record.split('\n');
  demand(name?.startsWith('event: ') === true && data?.startsWith('data: ') === true, `not an event: ${record}`);
  demand(more.length === 0, `more than two lines: ${record}`);
  const event = parseExact(data.slice('data: '.length)) as Event;
  demand(name === `event: ${event.type}`, `${name} holds ${event.type}`);
  return event;
}

const DELTAS: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
};

/** One block at a time, indexes without a gap. */
function blocksOf(events: readonly Event[]): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let argumentsJson = '';
  for (const event of events) {
    const index = event['index'];
    if (event.type === 'content_block_start') {
      demand(open === undefined && index === blocks.length, `block ${index} begins out of turn`);
      open = { ...(event['content_block'] as Block) };
      argumentsJson = '';
      continue;
    }
    demand(open !== undefined && index === blocks.length, `${event.type} ${index} without its block`);
    if (event.type === 'content_block_stop') {
      blocks.push(argumentsJson === '' ? open : { ...open, input: parseExact(argumentsJson) });
      open = undefined;
      continue;
    }
    demand(event.type === 'content_block_delta', `${event.type} among the blocks`);
    const delta = event['delta'] as Event;
    const member = DELTAS[delta.type];
    if (member !== undefined) open[member] = `${open[member] ?? ''}${delta[member]}`;
    else if (delta.type === 'input_json_delta') argumentsJson += String(delta['partial_json']);
    else throw new Error(`a delta of type ${delta.type}`);
  }
  demand(open === undefined, 'a block was never closed');
  return blocks;
}

export const messagesRoad: Road = {
  name: 'messages',
  finishes: { stop: 'end_turn', tools: 'tool_use' },
  headers: { 'anthropic-version': '2023-06-01' },
  path: () => '/api/anthropic/v1/messages',
  user: (content) => ({ role: 'user', content }),
  results: (calls, contents) => [
    {
      role: 'user',
      content: calls.map(({ id }, position) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: contents[position] ?? '',
      })),
    },
  ],
  body: (model, messages, { tools, thinking, stream }) => ({
    model,
    messages,
    max_tokens: OUTPUT_TOKENS,
    ...(tools && { tools: tools.map((name) => ({ name, input_schema: SCHEMA })) }),
    ...(thinking && { thinking: { type: 'enabled', budget_tokens: THINKING_TOKENS } }),
    ...(stream && { stream: true }),
  }),
  parse: (body) => {
    const { content, stop_reason, usage } = parseExact(body) as Whole;
    return parsed(content, stop_reason, usage);
  },
  parseStream: (body) => {
    const events = recordsOf(body)
      .map(eventOf)
      .filter(({ type }) => type !== 'ping');
    demand(events.shift()?.type === 'message_start', 'the first event is not message_start');
    demand(events.pop()?.type === 'message_stop', 'the last event is not message_stop');
    const last = events.pop();
    demand(last?.type === 'message_delta', 'no message_delta before the end');
    const { stop_reason } = last['delta'] as { stop_reason: string };
    return parsed(blocksOf(events), stop_reason, last['usage'] as Usage);
  },
};
