/**
 * Some hosts return JSON only if the prompt contains the word "JSON": the gateway adds an instruction to calls that
 * never mention it.
 */
import type { TextCall } from '../canonical/call.ts';
import type { Block } from '../canonical/content.ts';

export const JSON_INSTRUCTION = 'Answer with one JSON object.';

const WORD = /json/i;
const says = (blocks: readonly Block[]): boolean =>
  blocks.some((block) => block.kind === 'text' && WORD.test(block.text));

/** Does the call require JSON without mentioning the word? */
export const lacksJsonWord = (call: TextCall): boolean =>
  call.output?.kind === 'json' && !says(call.system) && !call.turns.some(({ blocks }) => says(blocks));
