/** A chat-completions body as its vendor reads it. */
import type { Json, Received, ReceivedTurn } from '../meaning.ts';
import { countMembers, list, mediaOf, mergeTurns, number, record, text, turn } from './turns.ts';

const partsOf = (content: unknown): readonly Json[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : list(content);

const textIn = (content: unknown): string =>
  partsOf(content)
    .map((part) => text(part['text']))
    .join('');

const mediaIn = (content: unknown): string[] =>
  partsOf(content).flatMap((part) => {
    if (part['type'] === 'image_url') return [mediaOf(text(record(part['image_url'])['url']))];
    if (part['type'] === 'file') return [mediaOf(text(record(part['file'])['file_data']))];
    return part['type'] === 'input_audio' ? [text(record(part['input_audio'])['data'])] : [];
  });

/** Instructions in several parts are several instructions. */
const instructionsIn = (content: unknown): string =>
  partsOf(content)
    .map((part) => text(part['text']))
    .join('\n');

function turnOf(message: Json): ReceivedTurn {
  const { role, content } = message;
  if (role === 'tool')
    return turn('user', { results: [{ id: text(message['tool_call_id']), text: textIn(content), failed: false }] });
  const calls = list(message['tool_calls']).map((call) => {
    const { name, arguments: args, input } = record(call['function'] ?? call['custom']);
    return { id: text(call['id']), name: text(name), argumentsText: text(args ?? input) };
  });
  const side = role === 'assistant' || role === 'user' ? role : 'system';
  return turn(side, {
    text: side === 'system' ? instructionsIn(content) : textIn(content) || text(message['refusal']),
    thinking: text(message['reasoning_content'] ?? message['reasoning']),
    media: mediaIn(content),
    calls,
  });
}

function choiceIn(choice: unknown): Received['choice'] {
  if (choice === 'required') return 'any';
  if (choice === 'none') return 'none';
  const { type, ...named } = record(choice);
  return type === undefined ? 'auto' : { one: text(record(named[String(type)])['name']) };
}

function outputIn(format: Json): Received['output'] {
  if (format['type'] === 'json_schema') return { schema: record(format['json_schema'])['schema'] };
  return format['type'] === 'json_object' ? 'json' : 'text';
}

export function readChat(body: Json): Received {
  const turns = list(body['messages']).map(turnOf);
  const leading = turns.findIndex(({ role }) => role !== 'system');
  const stop = body['stop'];
  return {
    system: turns
      .slice(0, leading)
      .map((one) => one.text)
      .join('\n'),
    turns: mergeTurns(turns.slice(leading)),
    tools: list(body['tools'])
      .filter(({ type }) => type === 'function')
      .map((tool) => record(tool['function']))
      .map(({ name, description, parameters }) => ({ name: text(name), about: text(description), schema: parameters })),
    customTools: list(body['tools'])
      .filter(({ type }) => type === 'custom')
      .map((tool) => text(record(tool['custom'])['name'])),
    choice: choiceIn(body['tool_choice']),
    oneCall: body['parallel_tool_calls'] === false,
    output: outputIn(record(body['response_format'])),
    maxTokens: number(body['max_completion_tokens'] ?? body['max_tokens']),
    temperature: number(body['temperature']),
    topP: number(body['top_p']),
    topK: number(body['top_k']),
    stop: Array.isArray(stop) ? stop.map(text) : typeof stop === 'string' ? [stop] : [],
    seed: number(body['seed']),
    frequencyPenalty: number(body['frequency_penalty']),
    logprobs: body['logprobs'] === true ? (number(body['top_logprobs']) ?? 0) : undefined,
    thinks: body['reasoning_effort'] !== undefined && body['reasoning_effort'] !== 'none',
    searches: body['web_search_options'] !== undefined,
    cacheMarks: countMembers(body['messages'], 'cache_control'),
  };
}
