/** What several dialects read in answers of upstreams in the same way. */

import type { TokenLogprob } from '../canonical/content.ts';
import type { Fault } from '../canonical/fault.ts';
import {
  arrayAt,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  stringAt,
} from '../canonical/json.ts';
import type { Loss } from '../canonical/loss.ts';

// The object in a frame of a stream, and the ways in which a frame can be broken.

const broken = (message: string): Fault => ({ kind: 'upstream-broken', message });

export const ENDED_EARLY: Fault = broken('The upstream provider ended its stream early.');
export const FAILED_MIDWAY: Fault = broken('The upstream provider failed in the middle of its answer.');

/** A class, so that no object from an upstream can be mistaken for a fault of the gateway. */
export class FaultyFrame {
  readonly fault: Fault;
  /** The frame that reported the fault, if it was readable: it may contain more. */
  readonly wire: JsonObject | undefined;

  constructor(fault: Fault, wire?: JsonObject) {
    this.fault = fault;
    this.wire = wire;
  }
}

export const UNREADABLE = new FaultyFrame(broken('The upstream provider sent a frame that cannot be read.'));

/**
 * The object in a frame, unless the upstream reports a failure with it; undefined for the end marker and for records
 * without content.
 */
export function readObject(
  data: string,
  faultInside: (object: JsonObject) => Fault | undefined,
  parse?: (data: string) => Json,
): JsonObject | FaultyFrame | undefined {
  if (data === '[DONE]' || data.trim() === '') return undefined;
  let parsed: Json;
  try {
    parsed = parse === undefined ? JSON.parse(data) : parse(data);
  } catch {
    return UNREADABLE;
  }
  if (!isJsonObject(parsed)) return UNREADABLE;
  const fault = faultInside(parsed);
  return fault === undefined ? parsed : new FaultyFrame(fault, parsed);
}

/** The object in a frame; undefined if it has none. */
export function objectIn(data: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(data);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

// Token log probabilities in the form of chat and Responses, both ways.

type Token = Omit<TokenLogprob, 'alternatives'>;

export const readLogprobs = (entries: readonly Json[]): TokenLogprob[] =>
  entries.filter(isJsonObject).map((entry) => ({
    ...readToken(entry),
    alternatives: arrayAt(entry, 'top_logprobs').filter(isJsonObject).map(readToken),
  }));

function readToken(entry: JsonObject): Token {
  const bytes = arrayAt(entry, 'bytes').filter((byte) => typeof byte === 'number');
  return {
    token: stringAt(entry, 'token') ?? '',
    logprob: numberAt(entry, 'logprob') ?? 0,
    ...(Array.isArray(entry['bytes']) && { bytes }),
  };
}

/** `noBytes` is the dialect's value for a token without known bytes. */
export const writeLogprobs = (logprobs: readonly TokenLogprob[], noBytes: Json): JsonObject[] => {
  const write = ({ token, logprob, bytes }: Token): JsonObject => ({ token, logprob, bytes: bytes ?? noBytes });
  return logprobs.map(({ alternatives, ...token }) => ({ ...write(token), top_logprobs: alternatives.map(write) }));
};

// Token counts of a host's answer that passes as it came. Callers are promised whole numbers: a count that is none
// was not read either, so it is shown as 0, as in a translated answer.

/** `prompt_tokens`, `promptTokenCount`; not `cost`, which has a fraction. */
const COUNT = /tokens?(?:count)?$/i;

/** The same object if nothing had to change. Only values that are no whole number cost more than a look. */
export function withWholeCounts(usage: JsonObject): JsonObject {
  let changed: Record<string, Json> | undefined;
  for (const name in usage) {
    const value = usage[name];
    if (value === undefined || value === null || (Number.isSafeInteger(value) && Number(value) >= 0)) continue;
    const sound = typeof value === 'object' && !isJsonArray(value) ? withWholeCounts(value) : soundOf(name, value);
    if (sound === value) continue;
    changed ??= { ...usage };
    changed[name] = sound;
  }
  return changed ?? usage;
}

function soundOf(name: string, value: Json): Json {
  if (typeof value === 'number') return (Number.isSafeInteger(value) && value >= 0) || !COUNT.test(name) ? value : 0;
  if (typeof value === 'string') return COUNT.test(name) ? 0 : value;
  if (isJsonObject(value)) return withWholeCounts(value);
  if (!isJsonArray(value)) return value;
  const inner = value.map((each) => soundOf(name, each));
  return inner.some((each, at) => each !== value[at]) ? inner : value;
}

// Sources of an answer that no citation can carry: callers of every protocol see them under one name.

export const LOST_CITATIONS: readonly Loss[] = [{ path: 'citations', why: 'no-equivalent' }];

// Shared by the token-count paths of all hosts.

/** The members of a call that a token-count path accepts. */
export const onlyMembers = (body: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));

/** A host's token count; undefined if the value is not a valid count. */
export const countIn = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
