/** What an account may read about itself. */
import type { JsonObject } from '@trivium/protocol/canonical';
import type { Caller } from '../accounts/caller.ts';

/** What an account may ask about itself. */
export const OWN_QUESTIONS = ['generation', 'usage', 'credits', 'key'] as const;

export type OwnQuestion = (typeof OWN_QUESTIONS)[number];

export interface OwnReports {
  /** Throws a GatewayError for what cannot be asked, and for what is not this account's. */
  read(caller: Caller, what: OwnQuestion, query: ReadonlyMap<string, string>): Promise<JsonObject>;
}
