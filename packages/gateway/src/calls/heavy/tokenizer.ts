/**
 * Counts the tokens of a text with OpenAI's tokenizer. Loading the tables takes half a second and 50 MB, and counting
 * milliseconds per kilobyte: for the thread only.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/**
 * The tokenizer takes quadratic time for a run of letters, spaces or marks without a break (minutes for 100,000 CJK characters),
 * so longer runs are counted in pieces. Each cut may add a token; words of natural languages are shorter.
 */
const MAX_RUN = 64;
const LONG_RUN = new RegExp(
  `[\\p{L}\\p{M}]{${MAX_RUN + 1},}|\\s{${MAX_RUN + 1},}|[^\\s\\p{L}\\p{N}]{${MAX_RUN + 1},}`,
  'gu',
);
const PIECE = new RegExp(`.{1,${MAX_RUN}}`, 'gsu');

/** A caller's text may contain the spelling of a control token; it counts as text. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

export function tokensOf(text: string): number {
  let tokens = 0;
  let from = 0;
  for (const { 0: run, index } of text.matchAll(LONG_RUN)) {
    tokens += countTokens(text.slice(from, index), AS_TEXT);
    for (const [piece] of run.matchAll(PIECE)) tokens += countTokens(piece, AS_TEXT);
    from = index + run.length;
  }
  return tokens + countTokens(text.slice(from), AS_TEXT);
}
