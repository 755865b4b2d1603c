// The neutral view of a Responses body. Tolerant, because lenient servers pass unvalidated bodies to it.
import { withoutInstructions } from '../../instruction.ts';
import { asNumber, asRecord, asRecords, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import { type CallFacts, contentText, countTokens, userTextsOf } from '../../scenarios/ask.ts';
import { itemsOf, typeOf } from './check-items.ts';

const OUTPUTS: ReadonlySet<string> = new Set(['function_call_output', 'custom_tool_call_output']);

export function readAsk(body: JsonRecord): CallFacts {
  const items = itemsOf(body).map((item) => {
    const type = typeOf(item);
    const text = contentText(OUTPUTS.has(type) ? item['output'] : item['content']);
    return { type, role: type === 'message' ? item['role'] : undefined, text };
  });
  const lastUserText = items.findLast(({ role }) => role === 'user')?.text ?? '';
  const systemTexts = items.filter(({ role }) => role === 'system' || role === 'developer').map(({ text }) => text);
  const lastOther = items.findLastIndex(({ type }) => !OUTPUTS.has(type));
  const { type: format, schema } = asRecord(asRecord(body['text'])['format']);
  return {
    model: asText(body['model']),
    lastUserText: withoutInstructions(lastUserText),
    instructionTexts: [asText(body['instructions']), ...systemTexts, lastUserText],
    userTexts: userTextsOf(
      items.map(({ type, role, text }) => ({
        text: role === 'user' ? text : undefined,
        results: type.endsWith('_call_output') ? 1 : 0,
      })),
    ),
    toolResults: items.slice(lastOther + 1).map(({ text }) => text),
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
    turn: items.length,
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
