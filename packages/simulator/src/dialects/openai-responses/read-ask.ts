// The neutral view of a Responses body. Tolerant, because lenient servers pass unvalidated bodies to it.
import { withoutInstructions } from '../../instruction.ts';
import { asList, asNumber, asRecord, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import { type CallFacts, userTextsOf } from '../../scenarios/ask.ts';
import { itemsOf, typeOf } from './check-items.ts';

const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_ITEM = 3;

export function readAsk(body: JsonRecord): CallFacts {
  const items = itemsOf(body);
  const messages = items.filter((item) => typeOf(item) === 'message');
  const lastUserText = contentText(messages.findLast((item) => item['role'] === 'user')?.['content']);
  const systemTexts = messages
    .filter((item) => item['role'] === 'system' || item['role'] === 'developer')
    .map((item) => contentText(item['content']));
  return {
    model: asText(body['model']),
    lastUserText: withoutInstructions(lastUserText),
    instructionTexts: [asText(body['instructions']), ...systemTexts, lastUserText],
    userTexts: userTextsOf(
      items.map((item) => ({
        text: typeOf(item) === 'message' && item['role'] === 'user' ? contentText(item['content']) : undefined,
        results: typeOf(item).endsWith('_call_output') ? 1 : 0,
      })),
    ),
    toolResults: closingOutputs(items),
    tools: asList(body['tools'])
      .map(asRecord)
      .filter((tool) => tool['type'] === 'function' || tool['type'] === 'custom')
      .map((tool) => ({
        name: asText(tool['name']),
        schema: tool['parameters'] ?? undefined,
        ...(tool['type'] === 'custom' && { isFree: true as const }),
      })),
    toolChoice: readChoice(body['tool_choice']),
    parallelCalls: body['parallel_tool_calls'] !== false,
    output: readOutput(asRecord(asRecord(body['text'])['format'])),
    maxTokens: asNumber(body['max_output_tokens']),
    stop: [],
    turn: items.length,
    promptTokens: countTokens(body, items),
  };
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return asList(content)
    .map((part) => asText(asRecord(part)['text']))
    .join('\n');
}

const OUTPUTS: ReadonlySet<string> = new Set(['function_call_output', 'custom_tool_call_output']);

function closingOutputs(items: readonly JsonRecord[]): readonly string[] {
  const lastOther = items.findLastIndex((item) => !OUTPUTS.has(typeOf(item)));
  return items.slice(lastOther + 1).map((item) => contentText(item['output']));
}

function readChoice(choice: unknown): CallFacts['toolChoice'] {
  if (choice === 'none' || choice === 'required') return choice;
  if (!isRecord(choice)) return 'auto';
  if (choice['type'] === 'function' || choice['type'] === 'custom') return { name: asText(choice['name']) };
  if (choice['type'] !== 'allowed_tools' || choice['mode'] !== 'required') return 'auto';
  return { name: asText(asRecord(asList(choice['tools'])[0])['name']) };
}

function readOutput(format: JsonRecord): CallFacts['output'] {
  if (format['type'] === 'json_schema') return { kind: 'schema', schema: format['schema'] };
  return { kind: format['type'] === 'json_object' ? 'json' : 'text' };
}

function countTokens(body: JsonRecord, items: readonly JsonRecord[]): number {
  const parts = [body['instructions'], body['input'], body['tools']].filter((part) => part !== undefined);
  const characters = parts.reduce<number>((sum, part) => sum + JSON.stringify(part).length, 0);
  return items.length * TOKENS_PER_ITEM + Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
