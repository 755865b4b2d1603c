/** What an account may read about itself. */
import { GatewayError, type JsonObject } from '@trivium/protocol/canonical';
import type { Caller } from './caller.ts';

export const OWN_QUESTIONS = ['generation', 'usage', 'credits', 'key'] as const;

export type OwnQuestion = (typeof OWN_QUESTIONS)[number];

export interface OwnReports {
  /** Throws a GatewayError for an invalid question, and for another account's data. */
  read(caller: Caller, what: OwnQuestion, query: ReadonlyMap<string, string>): Promise<JsonObject>;
}

/** The same error for a request that never existed, has expired or belongs to another account. */
export const NO_SUCH_REQUEST = new GatewayError({
  kind: 'unknown-operation',
  message: 'Request not found.',
  code: 'request_not_found',
});
