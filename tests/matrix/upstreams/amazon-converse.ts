/** A Converse body as its vendor reads it, for models whose own members are those of the messages format. */
import type { Json, Received, ReceivedTurn } from '../meaning.ts';
import { countMembers, list, mergeTurns, number, record, text, turn } from './turns.ts';

/** Every block has one member, which says what it is. */
const membersOf = (content: unknown, name: string): readonly Json[] =>
  list(content).flatMap((block) => (block[name] === undefined ? [] : [record(block[name])]));

const textIn = (content: unknown): string =>
  list(content)
    .map((block) => {
      if (block['json'] !== undefined) return JSON.stringify(block['json']);
      return text(block['text']) + textIn(record(block['citationsContent'])['content']);
    })
    .join('');

const mediaIn = (content: unknown): string[] =>
  list(content).flatMap((block) => {
    if (block['toolResult'] !== undefined) return mediaIn(record(block['toolResult'])['content']);
    const source = record(record(block['image'] ?? block['document'])['source']);
    return source['bytes'] === undefined ? [] : [text(source['bytes'])];
  });

function turnOf({ role, content }: Json): ReceivedTurn {
  return turn(role === 'assistant' ? 'assistant' : 'user', {
    text: textIn(content),
    thinking: membersOf(content, 'reasoningContent')
      .map(({ reasoningText }) => text(record(reasoningText)['text']))
      .join(''),
    media: mediaIn(content),
    calls: membersOf(content, 'toolUse').map(({ toolUseId, name, input }) => ({
      id: text(toolUseId),
      name: text(name),
      argumentsText: JSON.stringify(input),
    })),
    results: membersOf(content, 'toolResult').map((result) => ({
      id: text(result['toolUseId']),
      text: textIn(result['content']),
      failed: result['status'] === 'error',
    })),
  });
}

function choiceIn(choice: Json): Received['choice'] {
  if (choice['tool'] !== undefined) return { one: text(record(choice['tool'])['name']) };
  return choice['any'] === undefined ? 'auto' : 'any';
}

function outputOf(answer: Json | undefined, { type, structure }: Json): Received['output'] {
  if (answer !== undefined) return { schema: record(answer['inputSchema'])['json'] };
  if (type !== 'json_schema') return 'text';
  return { schema: JSON.parse(text(record(record(structure)['jsonSchema'])['schema'])) };
}

/** The tool that stands for a schema, at models without structured output: calling it is the answer. */
const ANSWER = 'emit_xa_answer';

export function readConverse(body: Json): Received {
  const { tools, toolChoice } = record(body['toolConfig']);
  const answer = membersOf(tools, 'toolSpec').find(({ name }) => name === ANSWER);
  const inference = record(body['inferenceConfig']);
  const also = record(body['additionalModelRequestFields']);
  const format = record(record(body['outputConfig'])['textFormat']);
  const { stopSequences: stop } = inference;
  return {
    system: list(body['system'])
      .flatMap(({ text: words }) => (words === undefined ? [] : [text(words)]))
      .join('\n'),
    turns: mergeTurns(list(body['messages']).map(turnOf)),
    tools: membersOf(tools, 'toolSpec')
      .filter((one) => one !== answer)
      .map(({ name, description, inputSchema }) => ({
        name: text(name),
        about: text(description),
        schema: record(inputSchema)['json'],
      })),
    customTools: [],
    choice: record(also['tool_choice'])['type'] === 'none' ? 'none' : choiceIn(record(toolChoice)),
    oneCall: record(also['tool_choice'])['disable_parallel_tool_use'] === true,
    output: outputOf(answer, format),
    maxTokens: number(inference['maxTokens']),
    temperature: number(inference['temperature']),
    topP: number(inference['topP']),
    topK: number(also['top_k']),
    stop: Array.isArray(stop) ? stop.map(text) : [],
    seed: undefined,
    frequencyPenalty: undefined,
    logprobs: undefined,
    thinks: ['enabled', 'adaptive'].includes(text(record(also['thinking'])['type'])),
    searches: false,
    cacheMarks: countMembers([body['system'], body['messages'], tools], 'cachePoint'),
  };
}
