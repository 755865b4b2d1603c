/** Work that a host takes on and does later: how its answers name it, and how they say how far it is. */
import type { Fault } from '../canonical/fault.ts';
import type { Json, JsonObject } from '../canonical/json.ts';
import type { TargetFacts } from './dialect.ts';

export interface HostJob {
  readonly pollEveryMs: number;
  /** The first request only brings a file: where the work is then ordered, and what of its answer the order needs. */
  readonly order?: {
    readonly path: string;
    /** Undefined: the answer names no file. */
    body(asked: JsonObject, brought: Json): JsonObject | undefined;
  };
  /** Where to poll, from the host's answer to the order; or why there is no job. */
  begun(body: Json, target: TargetFacts): JobPlace | { readonly fault: Fault };
  read(body: Json): 'waiting' | 'done';
}

/** Paths relative to the host's base URL: to poll a job the gateway never follows a URL from an answer. */
export type JobPlace = {
  readonly path: string;
  /** Path of the result once the job is done, if it is not in the answer that says so. */
  readonly resultPath?: string;
};
