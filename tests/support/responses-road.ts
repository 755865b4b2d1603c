/** The Responses protocol, written by hand without an SDK. A turn is several items there, kept under `items`. */
import { parseExact } from './exact-json.ts';
import { demand, recordsOf } from './road-frames.ts';
import { type Json, type ParsedAnswer, type Road, SCHEMA } from './roads.ts';

type Item = Json & { type: string };
type Usage = { input_tokens: number; output_tokens: number };
type Whole = { id: string; status: string; output: Item[]; usage: Usage };
type Event = Json & { type: string; sequence_number: number };

const textsOf = (items: readonly Item[], type: string, list: string): string =>
  items
    .filter((item) => item.type === type)
    .flatMap((item) => (item[list] ?? []) as { text?: string }[])
    .map(({ text }) => text ?? '')
    .join('');

const parsed = ({ output, status, usage }: Whole): ParsedAnswer => ({
  text: textsOf(output, 'message', 'content'),
  thinking: textsOf(output, 'reasoning', 'summary'),
  calls: output
    .filter(({ type }) => type === 'function_call')
    .map((item) => ({
      id: String(item['call_id']),
      name: String(item['name']),
      argumentsJson: String(item['arguments']),
    })),
  finish: status,
  inputTokens: usage.input_tokens,
  outputTokens: usage.output_tokens,
  turn: { items: output },
});

function eventOf(record: string): Event {
  const [name, data, ...more] = record.split('\n');
  demand(name?.startsWith('event: ') === true && data?.startsWith('data: ') === true, `not an event: ${record}`);
  demand(more.length === 0, `more than two lines: ${record}`);
  const event = parseExact(data.slice('data: '.length)) as Event;
  demand(name === `event: ${event.type}`, `${name} holds ${event.type}`);
  return event;
}

/** The deltas of each item join to the finished item. */
function demandSameText(events: readonly Event[], output: readonly Item[]): void {
  const joined = (type: string): string =>
    events
      .filter((event) => event.type === type)
      .map(({ delta }) => delta)
      .join('');
  const said = textsOf(output, 'message', 'content');
  demand(joined('response.output_text.delta') === said, 'the deltas say something else than the items');
  const written = output.map((item) => (item.type === 'function_call' ? String(item['arguments']) : '')).join('');
  const deltas = joined('response.function_call_arguments.delta');
  demand([...deltas].sort().join('') === [...written].sort().join(''), 'argument deltas differ from the calls');
}

export const responsesRoad: Road = {
  name: 'responses',
  finishes: { stop: 'completed', tools: 'completed' },
  headers: {},
  path: () => '/api/v1/responses',
  user: (content) => ({ role: 'user', content }),
  results: (calls, contents) =>
    calls.map(({ id }, position) => ({
      type: 'function_call_output',
      call_id: id,
      output: contents[position] ?? '',
    })),
  body: (model, turns, { tools, thinking, stream }) => ({
    model,
    input: turns.flatMap((turn) => (turn['items'] as Json[] | undefined) ?? [turn]),
    store: false,
    include: ['reasoning.encrypted_content'],
    ...(tools && {
      tools: tools.map((name) => ({ type: 'function', name, parameters: SCHEMA, strict: false })),
    }),
    ...(thinking && { reasoning: { effort: 'medium', summary: 'auto' } }),
    ...(stream && { stream: true }),
  }),
  parse: (body) => parsed(parseExact(body) as Whole),
  parseStream: (body) => {
    const events = recordsOf(body)
      .filter((record) => !record.startsWith(':'))
      .map(eventOf);
    demand(
      events.every(({ sequence_number }, at) => sequence_number === at),
      'the sequence has a gap',
    );
    demand(events[0]?.type === 'response.created', 'the first event is not response.created');
    const last = events.at(-1);
    const response = last?.['response'] as Whole | undefined;
    demand(response !== undefined && last?.type === `response.${response.status}`, 'the last event is no end');
    const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item as Item);
    demand(
      done.length === response.output.length && done.every((item) => response.output.some((kept) => same(kept, item))),
      'the last event does not hold the items',
    );
    demandSameText(events, response.output);
    return parsed(response);
  },
};

const same = (one: Item, other: Item): boolean => JSON.stringify(one) === JSON.stringify(other);
