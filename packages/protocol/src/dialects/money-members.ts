/**
 * Members by which a caller could change what a request costs. Each dialect judges those it knows of in one table (`money.ts`), and its
 * judgement wins over the rule that unknown members and betas pass to hosts of the same dialect: nothing passes unpriced.
 */
import type { JsonObject } from '../canonical/json.ts';
import { isGiven, unsupported } from './checking.ts';

/** `priced`: usage tells what it costs. `removed`: left out, with a loss. `refused`: leaving it out would break a promise. */
export type MoneyRule = 'priced' | 'removed' | 'refused';
export type MoneyTable = Readonly<Record<string, MoneyRule>>;
/** The same for words that carry a date or version. */
export type MoneyPatterns = readonly (readonly [word: RegExp, rule: MoneyRule])[];

export const membersWith = (table: MoneyTable, rule: MoneyRule): readonly string[] =>
  Object.keys(table).filter((name) => table[name] === rule);

export const ruleOf = (patterns: MoneyPatterns, word: string): MoneyRule | undefined =>
  patterns.find(([pattern]) => pattern.test(word))?.[1];

/** `usual`: a value that asks for nothing but what is priced anyway. */
export function refuseUnpriced(
  body: JsonObject,
  names: readonly string[],
  usual: Readonly<Record<string, string>> = {},
): void {
  for (const name of names)
    if (isGiven(body[name]) && body[name] !== usual[name])
      throw unsupported(name, 'changes what a request costs in a way this service does not price; leave it out');
}
