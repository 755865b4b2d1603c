/** A Responses body as its vendor reads it. */
import type { Json, Received, ReceivedTurn } from '../meaning.ts';
import { countMembers, list, mediaOf, mergeTurns, number, record, text, turn } from './turns.ts';

const partsOf = (content: unknown): readonly Json[] =>
  typeof content === 'string' ? [{ type: 'input_text', text: content }] : list(content);

const textIn = (content: unknown): string =>
  partsOf(content)
    .map((part) => text(part['text'] ?? part['refusal']))
    .filter((one) => one !== '')
    .join('');

const mediaIn = (content: unknown): string[] =>
  partsOf(content).flatMap((part) => {
    if (part['type'] === 'input_image') return [mediaOf(text(part['image_url']))];
    return part['type'] === 'input_file' ? [mediaOf(text(part['file_data'] ?? part['file_url']))] : [];
  });

function turnOf(item: Json): ReceivedTurn[] {
  const { type = 'message', role, content, call_id, name, output } = item;
  switch (type) {
    case 'message':
      return [
        turn(role === 'assistant' || role === 'user' ? role : 'system', {
          text: textIn(content),
          media: mediaIn(content),
        }),
      ];
    case 'function_call':
    case 'custom_tool_call':
      return [
        turn('assistant', {
          calls: [{ id: text(call_id), name: text(name), argumentsText: text(item['arguments'] ?? item['input']) }],
        }),
      ];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [
        turn('user', {
          results: [{ id: text(call_id), text: textIn(output), failed: false }],
          media: mediaIn(output),
        }),
      ];
    case 'reasoning':
      return [turn('assistant', { thinking: textIn([...list(item['summary']), ...list(item['content'])]) })];
    default:
      return [];
  }
}

function choiceIn(choice: unknown): Received['choice'] {
  if (choice === 'required') return 'any';
  if (choice === 'none') return 'none';
  const { type, name } = record(choice);
  return type === 'function' ? { one: text(name) } : 'auto';
}

function outputIn(format: Json): Received['output'] {
  if (format['type'] === 'json_schema') return { schema: format['schema'] };
  return format['type'] === 'json_object' ? 'json' : 'text';
}

export function readResponses(body: Json): Received {
  const items = typeof body['input'] === 'string' ? [{ role: 'user', content: body['input'] }] : list(body['input']);
  const turns = items.flatMap(turnOf);
  const leading = turns.findIndex(({ role }) => role !== 'system');
  const tools = list(body['tools']);
  const { effort } = record(body['reasoning']);
  const wantsLogprobs = Array.isArray(body['include']) && body['include'].includes('message.output_text.logprobs');
  return {
    system: [text(body['instructions']), ...turns.slice(0, leading).map((one) => one.text)]
      .filter((one) => one !== '')
      .join('\n'),
    turns: mergeTurns(turns.slice(leading)),
    tools: tools
      .filter(({ type }) => type === 'function')
      .map(({ name, description, parameters }) => ({ name: text(name), about: text(description), schema: parameters })),
    customTools: tools.filter(({ type }) => type === 'custom').map(({ name }) => text(name)),
    choice: choiceIn(body['tool_choice']),
    oneCall: body['parallel_tool_calls'] === false,
    output: outputIn(record(record(body['text'])['format'])),
    maxTokens: number(body['max_output_tokens']),
    temperature: number(body['temperature']),
    topP: number(body['top_p']),
    topK: undefined,
    stop: [],
    seed: undefined,
    frequencyPenalty: undefined,
    logprobs: wantsLogprobs ? (number(body['top_logprobs']) ?? 0) : undefined,
    thinks: effort !== undefined && effort !== 'none',
    searches: tools.some(({ type }) => text(type).startsWith('web_search')),
    cacheMarks: countMembers(body['input'], 'prompt_cache_breakpoint'),
  };
}
