// The neutral view of a chat-completions body. Tolerant, because lenient servers pass unvalidated bodies to it.
import { withoutInstructions } from '../../instruction.ts';
import { asList, asNumber, asRecord, asRecords, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import { type CallFacts, contentText, countTokens, userTextsOf } from '../../scenarios/ask.ts';
import { toolName } from './check-tools.ts';

export function readAsk(body: JsonRecord): CallFacts {
  const { stop, response_format, tool_choice } = body;
  const messages = asRecords(body['messages']).map(({ role, content }) => ({ role, text: contentText(content) }));
  const lastUserText = messages.findLast(({ role }) => role === 'user')?.text ?? '';
  const texts = messages.map(({ text }) => text);
  const systemTexts = messages.filter(({ role }) => role === 'system' || role === 'developer').map(({ text }) => text);
  const lastOther = messages.findLastIndex(({ role }) => role !== 'tool');
  const { type: format, json_schema } = asRecord(response_format);
  return {
    model: asText(body['model']),
    lastUserText: withoutInstructions(lastUserText),
    instructionTexts: [...systemTexts, lastUserText],
    userTexts: userTextsOf(
      messages.map(({ role, text }) => ({
        text: role === 'user' ? text : undefined,
        results: role === 'tool' ? 1 : 0,
      })),
    ),
    toolResults: texts.slice(lastOther + 1),
    tools: asRecords(body['tools']).map((tool) => ({
      name: toolName(tool),
      schema: asRecord(tool['function'])['parameters'],
      ...(tool['type'] === 'custom' && { isFree: true as const }),
    })),
    toolChoice: readToolChoice(tool_choice),
    parallelCalls: body['parallel_tool_calls'] !== false,
    output:
      format === 'json_schema'
        ? { kind: 'schema', schema: asRecord(json_schema)['schema'] }
        : { kind: format === 'json_object' ? 'json' : 'text' },
    maxTokens: asNumber(body['max_completion_tokens']) ?? asNumber(body['max_tokens']),
    stop: (Array.isArray(stop) ? stop : [stop]).map(asText).filter((text) => text !== ''),
    turn: messages.length,
    promptTokens: countTokens(messages.length, texts),
  };
}

function readToolChoice(choice: unknown): CallFacts['toolChoice'] {
  if (choice === 'none' || choice === 'required') return choice;
  if (!isRecord(choice)) return 'auto';
  if (choice['type'] !== 'allowed_tools') return { name: toolName(choice) };
  const { mode, tools } = asRecord(choice['allowed_tools']);
  return mode === 'required' ? { name: toolName(asList(tools)[0]) } : 'auto';
}
