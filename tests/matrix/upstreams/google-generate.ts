/** A generateContent body as its vendor reads it. */
import type { Json, Received, ReceivedTurn } from '../meaning.ts';
import { list, mergeTurns, number, record, text, turn } from './turns.ts';

const textIn = (parts: readonly Json[], thought: boolean): string =>
  parts
    .filter((part) => (part['thought'] === true) === thought && text(part['text']) !== '')
    .map((part) => text(part['text']))
    .join('');

const mediaIn = (parts: readonly Json[]): string[] =>
  parts.flatMap((part) => {
    if (part['inlineData'] !== undefined) return [text(record(part['inlineData'])['data'])];
    if (part['fileData'] !== undefined) return [text(record(part['fileData'])['fileUri'])];
    return part['functionResponse'] === undefined ? [] : mediaIn(list(record(part['functionResponse'])['parts']));
  });

function resultOf({ id, response }: Json): ReceivedTurn['results'][number] {
  const { error, output, result, ...rest } = record(response);
  const content = error ?? output ?? result ?? (Object.keys(rest).length > 0 ? rest : '');
  return {
    id: text(id),
    text: typeof content === 'string' ? content : JSON.stringify(content),
    failed: error !== undefined,
  };
}

function turnOf(content: Json): ReceivedTurn {
  const parts = list(content['parts']);
  const having = (name: string): readonly Json[] =>
    parts.filter((part) => part[name] !== undefined).map((part) => record(part[name]));
  return turn(content['role'] === 'model' ? 'assistant' : 'user', {
    text: textIn(parts, false),
    thinking: textIn(parts, true),
    media: mediaIn(parts),
    calls: having('functionCall').map(({ id, name, args }) => ({
      id: text(id),
      name: text(name),
      argumentsText: JSON.stringify(args ?? {}),
    })),
    results: having('functionResponse').map(resultOf),
  });
}

/** Types are spelled in capitals in the older form of schemas. */
function plainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plainSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === 'type' && typeof value === 'string' ? value.toLowerCase() : plainSchema(value),
    ]),
  );
}

function choiceIn({ mode, allowedFunctionNames }: Json): Received['choice'] {
  if (mode === 'NONE') return 'none';
  if (mode !== 'ANY') return 'auto';
  const [name] = Array.isArray(allowedFunctionNames) ? allowedFunctionNames : [];
  return name === undefined ? 'any' : { one: text(name) };
}

function outputIn(config: Json): Received['output'] {
  const schema = config['responseJsonSchema'] ?? config['responseSchema'];
  if (schema !== undefined) return { schema: plainSchema(schema) };
  return config['responseMimeType'] === 'application/json' ? 'json' : 'text';
}

export function readGenerate(body: Json): Received {
  const config = record(body['generationConfig']);
  const thinking = record(config['thinkingConfig']);
  const tools = list(body['tools']);
  const { stopSequences: stop } = config;
  return {
    system: list(record(body['systemInstruction'])['parts'])
      .map((part) => text(part['text']))
      .join('\n'),
    turns: mergeTurns(list(body['contents']).map(turnOf)),
    tools: tools
      .flatMap((tool) => list(tool['functionDeclarations']))
      .map(({ name, description, parameters, parametersJsonSchema }) => ({
        name: text(name),
        about: text(description),
        schema: plainSchema(parametersJsonSchema ?? parameters),
      })),
    customTools: [],
    choice: choiceIn(record(record(body['toolConfig'])['functionCallingConfig'])),
    oneCall: false,
    output: outputIn(config),
    maxTokens: number(config['maxOutputTokens']),
    temperature: number(config['temperature']),
    topP: number(config['topP']),
    topK: number(config['topK']),
    stop: Array.isArray(stop) ? stop.map(text) : [],
    seed: number(config['seed']),
    frequencyPenalty: number(config['frequencyPenalty']),
    logprobs: config['responseLogprobs'] === true ? (number(config['logprobs']) ?? 0) : undefined,
    thinks: thinking['thinkingLevel'] !== undefined || (number(thinking['thinkingBudget']) ?? 0) !== 0,
    searches: tools.some(({ googleSearch }) => googleSearch !== undefined),
    cacheMarks: 0,
  };
}
