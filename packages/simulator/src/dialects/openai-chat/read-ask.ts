// The neutral view of a chat-completions body. Tolerant, because lenient servers pass unvalidated bodies to it.
import { asList, asNumber, asRecord, asRecords, asText, isRecord, type JsonRecord, textsOf } from '../../json-value.ts';
import type { CallFacts } from '../../scenarios/ask.ts';
import { contentText, countTokens, readTurns, stopsIn } from '../read-turns.ts';
import { toolName } from './check-tools.ts';

export function readAsk(body: JsonRecord): CallFacts {
  const { stop, response_format, tool_choice } = body;
  const messages = asRecords(body['messages']).map(({ role, content }) => ({
    role,
    text: contentText(content),
    isResult: role === 'tool',
  }));
  const { type: format, json_schema } = asRecord(response_format);
  return {
    ...readTurns(messages, []),
    model: asText(body['model']),
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
    stop: stopsIn(Array.isArray(stop) ? stop : [stop]),
    promptTokens: countTokens(messages.length, textsOf(messages, 'text')),
  };
}

function readToolChoice(choice: unknown): CallFacts['toolChoice'] {
  if (choice === 'none' || choice === 'required') return choice;
  if (!isRecord(choice)) return 'auto';
  if (choice['type'] !== 'allowed_tools') return { name: toolName(choice) };
  const { mode, tools } = asRecord(choice['allowed_tools']);
  return mode === 'required' ? { name: toolName(asList(tools)[0]) } : 'auto';
}
