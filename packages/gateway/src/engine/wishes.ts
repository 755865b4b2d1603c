/** What a caller wants of routing: by the body where the protocol has words for it, by headers in every protocol. */
import {
  FACTORS,
  GatewayError,
  MAX_WISHED_NAMES,
  type Named,
  type NamedList,
  type RoutingWishes,
  STRATEGIES,
} from '@trivium/protocol/canonical';
import type { Understood } from './stages.ts';

const PROVIDER = 'x-trivium-provider';
const FALLBACK = 'x-trivium-fallback';
const STRATEGY = 'x-trivium-strategy';
const FACTOR = 'x-trivium-factor';
const MODELS = 'x-trivium-models';

export const refusedWish = (field: string, problem: string): GatewayError =>
  new GatewayError({ kind: 'malformed', message: `'${field}' ${problem}.`, field });

/** Undefined for most requests. Where body and header speak of the same wish, the body is nearer. */
export function wishesOf({ headers, head, understanding }: Understood): RoutingWishes | undefined {
  const { routing } = understanding;
  if (
    !headers.has(PROVIDER) &&
    !headers.has(FALLBACK) &&
    !headers.has(STRATEGY) &&
    !headers.has(FACTOR) &&
    !headers.has(MODELS)
  )
    return routing;
  const strategy = wordOf(STRATEGIES, STRATEGY, head.header(STRATEGY));
  const factor = wordOf(FACTORS, FACTOR, head.header(FACTOR));
  const providers = listOf(PROVIDER, head.header(PROVIDER));
  const fallback = nameOf(FALLBACK, head.header(FALLBACK));
  const models = listOf(MODELS, head.header(MODELS));
  return {
    ...(strategy !== undefined && { strategy }),
    ...(factor !== undefined && { factor }),
    ...(providers !== undefined && { providers }),
    ...(fallback !== undefined && { fallback }),
    ...(models !== undefined && { models }),
    ...routing,
  };
}

function wordOf<W extends string>(words: readonly W[], field: string, value = ''): W | undefined {
  const asked = value.trim();
  if (asked === '') return undefined;
  const word = words.find((known) => known === asked);
  if (word === undefined) throw refusedWish(field, `must be one of ${words.join(', ')}`);
  return word;
}

const nameOf = (field: string, value = ''): Named | undefined =>
  value.trim() === '' ? undefined : { name: value.trim(), field };

function listOf(field: string, value = ''): NamedList | undefined {
  const names = value.split(',').flatMap((name) => nameOf(field, name) ?? []);
  if (names.length > MAX_WISHED_NAMES) throw refusedWish(field, `may name at most ${MAX_WISHED_NAMES}`);
  return names.length === 0 ? undefined : { field, names };
}
