// The neutral view of a Responses body. Tolerant, because lenient servers pass unvalidated bodies to it.
import { asNumber, asRecord, asRecords, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import type { CallFacts } from '../../scenarios/ask.ts';
import { contentText, countTokens, readTurns } from '../read-turns.ts';
import { itemsOf, typeOf } from './check-items.ts';

const OUTPUTS: ReadonlySet<string> = new Set(['function_call_output', 'custom_tool_call_output']);

export function readAsk(body: JsonRecord): CallFacts {
  const items = itemsOf(body).map((item) => {
    const type = typeOf(item);
    const isResult = OUTPUTS.has(type);
    const role = type === 'message' ? item['role'] : undefined;
    const text = contentText(isResult ? item['output'] : item['content']);
    return { role, text, isResult, isOutput: type.endsWith('_call_output') };
  });
  const { type: format, schema } = asRecord(asRecord(body['text'])['format']);
  return {
    ...readTurns(items, [asText(body['instructions'])]),
    model: asText(body['model']),
    tools: asRecords(body['tools'])
      .filter(({ type }) => type === 'function' || type === 'custom')
      .map(({ type, name, parameters }) => ({
        name: asText(name),
        schema: parameters ?? undefined,
        ...(type === 'custom' && { isFree: true as const }),
      })),
    toolChoice: readChoice(body['tool_choice']),
    parallelCalls: body['parallel_tool_calls'] !== false,
    output:
      format === 'json_schema' ? { kind: 'schema', schema } : { kind: format === 'json_object' ? 'json' : 'text' },
    maxTokens: asNumber(body['max_output_tokens']),
    stop: [],
    promptTokens: countTokens(items.length, [], [body['instructions'], body['input'], body['tools']]),
  };
}

function readChoice(choice: unknown): CallFacts['toolChoice'] {
  if (choice === 'none' || choice === 'required') return choice;
  if (!isRecord(choice)) return 'auto';
  const { type, name, mode, tools } = choice;
  if (type === 'function' || type === 'custom') return { name: asText(name) };
  if (type !== 'allowed_tools' || mode !== 'required') return 'auto';
  return { name: asText(asRecords(tools)[0]?.['name']) };
}
