// The neutral view of a messages body. Tolerant, because lenient servers pass unvalidated bodies to it.
import { withoutInstructions } from '../../instruction.ts';
import { asList, asNumber, asRecord, asText, type JsonRecord } from '../../json-value.ts';
import { type CallFacts, userTextsOf } from '../../scenarios/ask.ts';
import { blocksOfContent, isPaused, type MessagesTurn, ofType, turnsOf } from './conversation.ts';

const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 3;

export function readAsk(body: JsonRecord): CallFacts {
  const turns = turnsOf(body);
  const lastUserText = textOfBlocks(turns.findLast((turn) => turn.role === 'user' && hasText(turn))?.blocks ?? []);
  const systemTurns = turns.filter((turn) => turn.role === 'system').map((turn) => textOfBlocks(turn.blocks));
  const choice = asRecord(body['tool_choice']);
  const format = asRecord(asRecord(body['output_config'])['format']);
  return {
    model: asText(body['model']),
    lastUserText: withoutInstructions(lastUserText),
    instructionTexts: [textOfBlocks(blocksOfContent(body['system'])), ...systemTurns, lastUserText],
    userTexts: userTextsOf(
      turns.map((turn) => ({
        text: turn.role === 'user' ? textOfBlocks(turn.blocks) : undefined,
        results: ofType(turn.blocks, 'tool_result').length,
      })),
    ),
    toolResults: closingResults(turns.at(-1)),
    isContinuation: isPaused(turns.at(-1)),
    tools: asList(body['tools'])
      .map(asRecord)
      .filter((tool) => tool['input_schema'] !== undefined)
      .map((tool) => ({ name: asText(tool['name']), schema: tool['input_schema'] })),
    toolChoice: readChoice(choice),
    parallelCalls: choice['disable_parallel_tool_use'] !== true,
    output: format['type'] === 'json_schema' ? { kind: 'schema', schema: format['schema'] } : { kind: 'text' },
    maxTokens: asNumber(body['max_tokens']),
    stop: asList(body['stop_sequences'])
      .map(asText)
      .filter((stop) => stop !== ''),
    turn: turns.length,
    promptTokens: countTokens(body),
  };
}

function hasText(turn: MessagesTurn): boolean {
  return ofType(turn.blocks, 'text').length > 0;
}

function textOfBlocks(blocks: readonly JsonRecord[]): string {
  return ofType(blocks, 'text')
    .map((block) => asText(block['text']))
    .join('\n');
}

function closingResults(last: MessagesTurn | undefined): readonly string[] {
  if (last?.role !== 'user') return [];
  return ofType(last.blocks, 'tool_result').map((block) => textOfBlocks(blocksOfContent(block['content'])));
}

function readChoice(choice: JsonRecord): CallFacts['toolChoice'] {
  if (choice['type'] === 'tool') return { name: asText(choice['name']) };
  if (choice['type'] === 'any') return 'required';
  return choice['type'] === 'none' ? 'none' : 'auto';
}

export function countTokens(body: JsonRecord): number {
  const parts = [body['system'], body['messages'], body['tools']].filter((part) => part !== undefined);
  const characters = parts.reduce<number>((sum, part) => sum + JSON.stringify(part).length, 0);
  return asList(body['messages']).length * TOKENS_PER_MESSAGE + Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
