/**
 * Reading a body (parsing, checking, planning and rewriting it) is done on the event loop if another thread would not
 * be worth it. What it costs counts against the turn of the loop: beyond the turn's budget it waits for a later one.
 */

import type { LoopBudget } from '../../kernel/loop-budget.ts';
import { valuesIn } from '../heavy-work.ts';
import { GONE, type Identified } from '../request.ts';

/** Texts up to this length are read at once and not counted. */
export const SHORT_CHARACTERS = 8192;
/** A value costs as much as this many bytes of a stream: about half a microsecond, more for unknown members. */
const BYTES_OF_A_VALUE = 64;

export const readingCost = (text: string): number => text.length + BYTES_OF_A_VALUE * valuesIn(text);

/** Undefined: it may be read now. Otherwise a promise for its turn, rejected if the caller has left by then. */
export function turnToRead(
  text: string,
  { caller, reply }: Pick<Identified, 'caller' | 'reply'>,
  loop: Pick<LoopBudget, 'isUsedUp' | 'spend' | 'wait'>,
): Promise<void> | undefined {
  if (text.length <= SHORT_CHARACTERS) return undefined;
  const cost = readingCost(text);
  if (!loop.isUsedUp) {
    loop.spend(cost);
    return undefined;
  }
  return new Promise((resolve, reject) => {
    const goOn = (): void => {
      if (reply.gone) reject(GONE);
      else {
        loop.spend(cost);
        resolve();
      }
    };
    loop.wait({ goOn }, caller.accountId);
  });
}
