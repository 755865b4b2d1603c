/** Some hosts give JSON only to whoever says the word: a call that never does is told once more, in words. */
import type { TextCall } from '../canonical/call.ts';
import type { Block } from '../canonical/content.ts';

export const JSON_INSTRUCTION = 'Answer with one JSON object.';

const WORD = /json/i;
const says = (blocks: readonly Block[]): boolean =>
  blocks.some((block) => block.kind === 'text' && WORD.test(block.text));

/** Is JSON of any form wanted, and never mentioned? */
export const lacksJsonWord = (call: TextCall): boolean =>
  call.output?.kind === 'json' && !says(call.system) && !call.turns.some(({ blocks }) => says(blocks));
