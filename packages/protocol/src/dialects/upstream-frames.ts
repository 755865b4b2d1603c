/** Shared by readers of all upstream streams: the object in a frame, and the ways in which a frame can be broken. */
import type { Fault } from '../canonical/fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../canonical/json.ts';

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

const parseJson = (data: string): Json => JSON.parse(data);

/**
 * The object in a frame, unless the upstream reports a failure with it; undefined for the end marker and for records
 * without content.
 */
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
