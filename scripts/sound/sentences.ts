/** What is said and heard: plain American English, as the recogniser's dictionary has it, chosen before it was heard. */
export const SENTENCES = [
  'The quick brown fox jumps over the lazy dog.',
  'Please call me tomorrow at nine.',
  'The children went to the river every summer.',
  'He opened the window and looked at the garden.',
  'We need more money for the new school.',
  'The doctor said that he must stay in bed.',
  'She wrote a long letter to her mother.',
  'The train to London leaves in the morning.',
  'They were happy to hear the good news.',
  'The weather will be cold and windy on Monday.',
] as const;

export const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[a-z']+/g) ?? [];

/** Words that are wrong, missing or too many: the edits that lead from one to the other. */
export function wordErrors(said: readonly string[], heard: readonly string[]): number {
  let above = heard.map((_, at) => at + 1);
  above.unshift(0);
  for (const [row, word] of said.entries()) {
    const line = [row + 1];
    for (const [at, other] of heard.entries())
      line.push(Math.min(line[at]! + 1, above[at + 1]! + 1, above[at]! + (word === other ? 0 : 1)));
    above = line;
  }
  return above.at(-1)!;
}
