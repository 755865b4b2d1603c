/** A messages body as its vendor reads it. */
import type { Json, Received, ReceivedTurn } from '../meaning.ts';
import { countMembers, list, mergeTurns, number, record, text, turn } from './turns.ts';

const blocksOf = (content: unknown): readonly Json[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : list(content);

const textIn = (content: unknown): string =>
  blocksOf(content)
    .filter(({ type }) => type === 'text')
    .map((block) => text(block['text']))
    .join('');

const mediaIn = (content: unknown): string[] =>
  blocksOf(content).flatMap((block) => {
    if (block['type'] === 'tool_result') return mediaIn(block['content']);
    if (block['type'] !== 'image' && block['type'] !== 'document') return [];
    const source = record(block['source']);
    return [text(source['data'] ?? source['url'])];
  });

function turnOf({ role, content }: Json): ReceivedTurn {
  const blocks = blocksOf(content);
  const ofType = (type: string): readonly Json[] => blocks.filter((block) => block['type'] === type);
  return turn(role === 'assistant' || role === 'system' ? role : 'user', {
    text: textIn(content),
    thinking: ofType('thinking')
      .map((block) => text(block['thinking']))
      .join(''),
    media: mediaIn(content),
    calls: ofType('tool_use').map(({ id, name, input }) => ({
      id: text(id),
      name: text(name),
      argumentsText: JSON.stringify(input),
    })),
    results: ofType('tool_result').map((block) => ({
      id: text(block['tool_use_id']),
      text: textIn(block['content']),
      failed: block['is_error'] === true,
    })),
  });
}

function choiceIn({ type, name }: Json): Received['choice'] {
  if (type === 'tool') return { one: text(name) };
  return type === 'any' || type === 'none' ? type : 'auto';
}

export function readMessages(body: Json): Received {
  const tools = list(body['tools']);
  const choice = record(body['tool_choice']);
  const format = record(record(body['output_config'])['format']);
  const { stop_sequences: stop } = body;
  return {
    system: blocksOf(body['system'])
      .map((block) => text(block['text']))
      .join('\n'),
    turns: mergeTurns(list(body['messages']).map(turnOf)),
    tools: tools
      .filter(({ type }) => type === undefined || type === 'custom')
      .map(({ name, description, input_schema }) => ({
        name: text(name),
        about: text(description),
        schema: input_schema,
      })),
    customTools: [],
    choice: choiceIn(choice),
    oneCall: choice['disable_parallel_tool_use'] === true,
    output: format['type'] === 'json_schema' ? { schema: format['schema'] } : 'text',
    maxTokens: number(body['max_tokens']),
    temperature: number(body['temperature']),
    topP: number(body['top_p']),
    topK: number(body['top_k']),
    stop: Array.isArray(stop) ? stop.map(text) : [],
    seed: undefined,
    frequencyPenalty: undefined,
    logprobs: undefined,
    thinks: ['enabled', 'adaptive'].includes(text(record(body['thinking'])['type'])),
    searches: tools.some(({ type }) => text(type).startsWith('web_search_')),
    cacheMarks: countMembers([body['system'], body['messages'], body['tools']], 'cache_control'),
  };
}
