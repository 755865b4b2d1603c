// The neutral view of a messages body. Tolerant, because lenient servers pass unvalidated bodies to it.
import { withoutInstructions } from '../../instruction.ts';
import { asList, asNumber, asRecord, asRecords, asText, type JsonRecord, ofType } from '../../json-value.ts';
import { type CallFacts, userTextsOf } from '../../scenarios/ask.ts';
import { contentText, countTokens, stopsIn } from '../read-turns.ts';
import { blocksOfContent, isPaused, turnsOf } from './conversation.ts';

const CHOICES: Readonly<Record<string, 'required' | 'none'>> = { any: 'required', none: 'none' };

const textOfBlocks = (blocks: readonly JsonRecord[]): string => contentText(ofType(blocks, 'text'));

export function readAsk(body: JsonRecord): CallFacts {
  const turns = turnsOf(body);
  const last = turns.at(-1);
  const spoken = turns.findLast(({ role, blocks }) => role === 'user' && ofType(blocks, 'text').length > 0);
  const lastUserText = textOfBlocks(spoken?.blocks ?? []);
  const systemTurns = turns.filter(({ role }) => role === 'system').map(({ blocks }) => textOfBlocks(blocks));
  const results = last?.role === 'user' ? ofType(last.blocks, 'tool_result') : [];
  const { type: choice, name, disable_parallel_tool_use } = asRecord(body['tool_choice']);
  const { type: format, schema } = asRecord(asRecord(body['output_config'])['format']);
  return {
    model: asText(body['model']),
    lastUserText: withoutInstructions(lastUserText),
    instructionTexts: [textOfBlocks(blocksOfContent(body['system'])), ...systemTurns, lastUserText],
    userTexts: userTextsOf(
      turns.map(({ role, blocks }) => ({
        text: role === 'user' ? textOfBlocks(blocks) : undefined,
        results: ofType(blocks, 'tool_result').length,
      })),
    ),
    toolResults: results.map(({ content }) => textOfBlocks(blocksOfContent(content))),
    isContinuation: isPaused(last),
    tools: asRecords(body['tools'])
      .filter((tool) => tool['input_schema'] !== undefined)
      .map((tool) => ({ name: asText(tool['name']), schema: tool['input_schema'] })),
    toolChoice: choice === 'tool' ? { name: asText(name) } : (CHOICES[asText(choice)] ?? 'auto'),
    parallelCalls: disable_parallel_tool_use !== true,
    output: format === 'json_schema' ? { kind: 'schema', schema } : { kind: 'text' },
    maxTokens: asNumber(body['max_tokens']),
    stop: stopsIn(asList(body['stop_sequences'])),
    turn: turns.length,
    promptTokens: countPrompt(body),
  };
}

export function countPrompt({ system, messages, tools }: JsonRecord): number {
  return countTokens(asList(messages).length, [], [system, messages, tools]);
}
