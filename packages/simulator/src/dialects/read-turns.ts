// Shared by the dialects to read what was said in a request, and to count it.
import { withoutInstructions } from '../instruction.ts';
import { asText, textsOf } from '../json-value.ts';
import { type CallFacts, type CountedTurn, userTextsOf } from '../scenarios/ask.ts';

const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_TURN = 3;

/** Content as plain text, or as a list of parts of which some have a text. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return textsOf(content, 'text').join('\n');
}

/** Stop sequences; empty ones stop nothing. */
export function stopsIn(list: readonly unknown[]): readonly string[] {
  return list.map(asText).filter((stop) => stop !== '');
}

/** The tokens of a prompt, from the characters of its texts or, where it has none of its own, of the parts' JSON. */
export function countTokens(turns: number, texts: readonly string[], parts: readonly unknown[] = []): number {
  const printed = parts.filter((part) => part !== undefined).map((part) => JSON.stringify(part));
  return turns * TOKENS_PER_TURN + Math.ceil([...texts, ...printed].join('').length / CHARACTERS_PER_TOKEN);
}

/** A turn of an API that has a turn for each result. */
export interface PlainTurn {
  readonly role: unknown;
  readonly text: string;
  /** The result of a tool that the caller runs. */
  readonly isResult: boolean;
  /** The result of any tool, if that is more. */
  readonly isOutput?: boolean;
}

type SaidFacts = Pick<CallFacts, 'lastUserText' | 'instructionTexts' | 'userTexts' | 'toolResults' | 'turn'>;

export function readTurns(turns: readonly PlainTurn[], instructions: readonly string[]): SaidFacts {
  const systemTexts: string[] = [];
  const counted: CountedTurn[] = [];
  let toolResults: string[] = [];
  let lastUserText = '';
  for (const { role, text, isResult, isOutput = isResult } of turns) {
    if (role === 'system' || role === 'developer') systemTexts.push(text);
    if (role === 'user') lastUserText = text;
    counted.push({ text: role === 'user' ? text : undefined, results: isOutput ? 1 : 0 });
    if (isResult) toolResults.push(text);
    else toolResults = [];
  }
  return {
    lastUserText: withoutInstructions(lastUserText),
    instructionTexts: [...instructions, ...systemTexts, lastUserText],
    userTexts: userTextsOf(counted),
    toolResults,
    turn: turns.length,
  };
}
