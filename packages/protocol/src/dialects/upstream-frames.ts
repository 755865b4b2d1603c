/** What is common to reading any upstream's stream: the object in a frame, and the ways in which one can be broken. */
import type { Fault } from '../canonical/fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../canonical/json.ts';

const broken = (message: string): Fault => ({ kind: 'upstream-broken', message });

export const ENDED_EARLY: Fault = broken('The upstream provider ended its stream early.');
export const FAILED_MIDWAY: Fault = broken('The upstream provider failed in the middle of its answer.');

/** A class, so that nothing an upstream puts into an object can be taken for a fault of ours. */
export class FaultyFrame {
  readonly fault: Fault;
  /** The frame that told it, where it could be read: it may tell more. */
  readonly wire: JsonObject | undefined;

  constructor(fault: Fault, wire?: JsonObject) {
    this.fault = fault;
    this.wire = wire;
  }
}

export const UNREADABLE = new FaultyFrame(broken('The upstream provider sent a frame that cannot be read.'));

const parseJson = (data: string): Json => JSON.parse(data);

/** The object in a frame, unless the upstream tells a failure with it; undefined for the end marker and for records without content. */
export function readObject(
  data: string,
  faultInside: (object: JsonObject) => Fault | undefined,
  parse: (data: string) => Json = parseJson,
): JsonObject | FaultyFrame | undefined {
  if (data === '[DONE]' || data.trim() === '') return undefined;
  let parsed: Json;
  try {
    parsed = parse(data);
  } catch {
    return UNREADABLE;
  }
  if (!isJsonObject(parsed)) return UNREADABLE;
  const fault = faultInside(parsed);
  return fault === undefined ? parsed : new FaultyFrame(fault, parsed);
}
