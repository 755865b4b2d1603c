// The neutral view of a chat-completions body. Tolerant, because lenient servers pass unvalidated bodies to it.

import { withoutInstructions } from '../../instruction.ts';
import { asList, asNumber, asRecord, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import { type AskedTool, type CallFacts, userTextsOf } from '../../scenarios/ask.ts';
import { toolName } from './check-tools.ts';

const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 3;

export function readAsk(body: JsonRecord): CallFacts {
  const messages = asList(body['messages']).map(asRecord);
  const lastUserText = contentText(messages.findLast((message) => message['role'] === 'user')?.['content']);
  const systemTexts = messages
    .filter((message) => message['role'] === 'system' || message['role'] === 'developer')
    .map((message) => contentText(message['content']));
  const stop = body['stop'];
  return {
    model: asText(body['model']),
    lastUserText: withoutInstructions(lastUserText),
    instructionTexts: [...systemTexts, lastUserText],
    userTexts: userTextsOf(
      messages.map((message) => ({
        text: message['role'] === 'user' ? contentText(message['content']) : undefined,
        results: message['role'] === 'tool' ? 1 : 0,
      })),
    ),
    toolResults: closingToolResults(messages),
    tools: asList(body['tools']).map(readTool),
    toolChoice: readToolChoice(body['tool_choice']),
    parallelCalls: body['parallel_tool_calls'] !== false,
    output: readOutput(asRecord(body['response_format'])),
    maxTokens: asNumber(body['max_completion_tokens']) ?? asNumber(body['max_tokens']),
    stop: (Array.isArray(stop) ? stop : [stop]).map(asText).filter((text) => text !== ''),
    turn: messages.length,
    promptTokens: countPrompt(messages),
  };
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return asList(content)
    .map((part) => asText(asRecord(part)['text']))
    .join('\n');
}

function closingToolResults(messages: readonly JsonRecord[]): readonly string[] {
  const lastOther = messages.findLastIndex((message) => message['role'] !== 'tool');
  return messages.slice(lastOther + 1).map((message) => contentText(message['content']));
}

function readTool(tool: unknown): AskedTool {
  const { type, function: declared } = asRecord(tool);
  const isFree = type === 'custom' && { isFree: true as const };
  return { name: toolName(tool), schema: asRecord(declared)['parameters'], ...isFree };
}

function readToolChoice(choice: unknown): CallFacts['toolChoice'] {
  if (choice === 'none' || choice === 'required') return choice;
  if (!isRecord(choice)) return 'auto';
  const allowed = asRecord(choice['allowed_tools']);
  if (choice['type'] === 'allowed_tools') {
    return allowed['mode'] === 'required' ? { name: toolName(asList(allowed['tools'])[0]) } : 'auto';
  }
  return { name: toolName(choice) };
}

function readOutput(format: JsonRecord): CallFacts['output'] {
  if (format['type'] === 'json_schema') return { kind: 'schema', schema: asRecord(format['json_schema'])['schema'] };
  return { kind: format['type'] === 'json_object' ? 'json' : 'text' };
}

function countPrompt(messages: readonly JsonRecord[]): number {
  const characters = messages.reduce((sum, message) => sum + contentText(message['content']).length, 0);
  return messages.length * TOKENS_PER_MESSAGE + Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
