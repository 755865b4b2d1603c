/** The routing preferences of a caller as plain data of its record, and back: names without the fields they stood in. */
import type { Named, NamedList, RoutingPreferences } from '@trivium/protocol/canonical';
import type { Redact } from '../../telemetry/redact.ts';

const LISTS = ['providers', 'models', 'only', 'ignore', 'order', 'regions'] as const;
const NAMES = ['fallback', 'preference'] as const;
/** The value is the field the caller wrote it in. */
const FLAGS = ['noTraining', 'zeroRetention'] as const;

type Kept = Omit<RoutingPreferences, (typeof LISTS)[number] | (typeof NAMES)[number] | (typeof FLAGS)[number]>;

export type AskedPreferences = Kept & {
  readonly [Name in (typeof LISTS)[number]]?: readonly string[];
} & { readonly [Name in (typeof NAMES)[number]]?: string } & { readonly [Name in (typeof FLAGS)[number]]?: true };

const MAX_NAME = 200;

/** Names are as the caller wrote them: one may be a secret in the wrong field. */
export function askedPreferences(preferences: RoutingPreferences, redact: Redact): AskedPreferences {
  const plain: Record<string, unknown> = { ...preferences };
  const textOf = ({ name }: Named): string => redact(name.slice(0, MAX_NAME));
  for (const list of LISTS) if (preferences[list] !== undefined) plain[list] = preferences[list].names.map(textOf);
  for (const one of NAMES) if (preferences[one] !== undefined) plain[one] = textOf(preferences[one]);
  for (const flag of FLAGS) if (preferences[flag] !== undefined) plain[flag] = true;
  return plain as AskedPreferences;
}

/** `field`: stands for every field they were written in. */
export function routingPreferences(asked: AskedPreferences, field: string): RoutingPreferences {
  const preferences: Record<string, unknown> = { ...asked };
  const named = (name: string): Named => ({ name, field });
  for (const list of LISTS)
    if (asked[list] !== undefined) preferences[list] = { field, names: asked[list].map(named) } satisfies NamedList;
  for (const one of NAMES) if (asked[one] !== undefined) preferences[one] = named(asked[one]);
  for (const flag of FLAGS) if (asked[flag] !== undefined) preferences[flag] = field;
  return preferences as RoutingPreferences;
}
