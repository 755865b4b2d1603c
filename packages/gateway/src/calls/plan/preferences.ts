/** Routing preferences: from the body where the protocol has fields for them, from headers in every protocol. */
import {
  COMPLEXITIES,
  FACTORS,
  GatewayError,
  type Loss,
  MAX_PREFERRED_NAMES,
  type Named,
  type NamedList,
  ON_REFUSALS,
  type RoutingPreferences,
  STRATEGIES,
  TASK_TYPES,
} from '@trivium/protocol/canonical';
import type { RequestHead } from '@trivium/protocol/dialects';
import type { RawHeaders } from '../../kernel/caller-port.ts';
import type { ReceivedHead, Understood } from '../request.ts';

const PROVIDER = 'x-trivium-provider';
const FALLBACK = 'x-trivium-fallback';
const STRATEGY = 'x-trivium-strategy';
const FACTOR = 'x-trivium-factor';
const MODELS = 'x-trivium-models';
const PREFERENCE = 'x-trivium-preference';
const TASK_TYPE = 'x-trivium-task-type';
const COMPLEXITY = 'x-trivium-complexity';
const ON_REFUSAL = 'x-trivium-on-refusal';
const IGNORE = 'x-trivium-ignore';
const REGION = 'x-trivium-region';
const DATA_COLLECTION = 'x-trivium-data-collection';
const ZDR = 'x-trivium-zdr';
export const PREFERENCE_HEADERS: readonly string[] = [
  PROVIDER,
  FALLBACK,
  STRATEGY,
  FACTOR,
  MODELS,
  PREFERENCE,
  TASK_TYPE,
  COMPLEXITY,
  ON_REFUSAL,
  IGNORE,
  REGION,
  DATA_COLLECTION,
  ZDR,
];

const COLLECTION = ['allow', 'deny'] as const;
const YES_NO = ['true', 'false'] as const;

export const refusedPreference = (field: string, problem: string): GatewayError =>
  new GatewayError({ kind: 'malformed', message: `'${field}' ${problem}.`, field });

/** Undefined for most requests. Where body and header state the same preference, the body wins. */
export function preferencesOf({ headers, head, understanding }: Understood): RoutingPreferences | undefined {
  const { routing } = understanding;
  return hasPreferences(headers) ? { ...preferencesOfHead(head), ...routing } : routing;
}

/**
 * For calls that are sent to one host of one model, once: what chooses the host applies; what chooses models, compares
 * hosts by measurements or names the next host is a loss.
 */
export function hostPreferencesOf({ head, headers }: ReceivedHead): {
  readonly preferences: RoutingPreferences;
  readonly losses: readonly Loss[];
} {
  if (!hasPreferences(headers)) return { preferences: {}, losses: [] };
  const { strategy, factor, fallback, models, preference, onRefusal, ...preferences } = preferencesOfHead(head);
  const fields = [
    ...(strategy === 'least_latency' ? [STRATEGY] : []),
    ...(factor === undefined ? [] : [FACTOR]),
    ...(fallback === undefined || fallback.name === 'false' ? [] : [FALLBACK]),
    ...(models === undefined ? [] : [MODELS]),
    ...(preference === undefined ? [] : [PREFERENCE]),
    ...(onRefusal === 'next' ? [ON_REFUSAL] : []),
  ];
  return {
    preferences: { ...preferences, ...(strategy !== undefined && strategy !== 'least_latency' && { strategy }) },
    losses: fields.map((path) => ({ path, why: 'not-forwarded' })),
  };
}

export function hasPreferences(headers: RawHeaders): boolean {
  for (const name of PREFERENCE_HEADERS) if (headers.has(name)) return true;
  return false;
}

function preferencesOfHead({ header }: RequestHead): RoutingPreferences {
  const strategy = wordOf(STRATEGIES, STRATEGY, header(STRATEGY));
  const factor = wordOf(FACTORS, FACTOR, header(FACTOR));
  const providers = listOf(PROVIDER, header(PROVIDER));
  const fallback = nameOf(FALLBACK, header(FALLBACK));
  const models = listOf(MODELS, header(MODELS));
  const preference = nameOf(PREFERENCE, header(PREFERENCE));
  const taskType = wordOf(TASK_TYPES, TASK_TYPE, header(TASK_TYPE));
  const complexity = wordOf(COMPLEXITIES, COMPLEXITY, header(COMPLEXITY));
  const onRefusal = wordOf(ON_REFUSALS, ON_REFUSAL, header(ON_REFUSAL));
  const ignore = listOf(IGNORE, header(IGNORE));
  const regions = listOf(REGION, header(REGION));
  return {
    ...(strategy !== undefined && { strategy }),
    ...(factor !== undefined && { factor }),
    ...(providers !== undefined && { providers }),
    ...(fallback !== undefined && { fallback }),
    ...(models !== undefined && { models }),
    ...(preference !== undefined && { preference }),
    ...(taskType !== undefined && { taskType }),
    ...(complexity !== undefined && { complexity }),
    ...(onRefusal !== undefined && { onRefusal }),
    ...(ignore !== undefined && { ignore }),
    ...(regions !== undefined && { regions }),
    ...(wordOf(COLLECTION, DATA_COLLECTION, header(DATA_COLLECTION)) === 'deny' && { noTraining: DATA_COLLECTION }),
    ...(wordOf(YES_NO, ZDR, header(ZDR)) === 'true' && { zeroRetention: ZDR }),
  };
}

function wordOf<W extends string>(words: readonly W[], field: string, value = ''): W | undefined {
  const asked = value.trim();
  if (asked === '') return undefined;
  const word = words.find((known) => known === asked);
  if (word === undefined) throw refusedPreference(field, `must be one of ${words.join(', ')}`);
  return word;
}

const nameOf = (field: string, value = ''): Named | undefined =>
  value.trim() === '' ? undefined : { name: value.trim(), field };

function listOf(field: string, value = ''): NamedList | undefined {
  const names = value.split(',').flatMap((name) => nameOf(field, name) ?? []);
  if (names.length > MAX_PREFERRED_NAMES) throw refusedPreference(field, `may name at most ${MAX_PREFERRED_NAMES}`);
  return names.length === 0 ? undefined : { field, names };
}
