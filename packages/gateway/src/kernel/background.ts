/** What the engine needs for responses that are made in the background. Absent where the operator stores none. */
import type { JsonObject } from '@trivium/protocol/canonical';
import type { Quote } from './admission.ts';
import type { CallerPort } from './caller-port.ts';
import type { OpenTurn } from './stored-responses.ts';

/** A response to be made, and its maximum cost. */
export type BackgroundOrder = {
  readonly turn: OpenTurn;
  readonly requestId: string;
  readonly keyId: string;
  readonly modelId: string;
  readonly quote: Quote;
  /** Those of the caller's scopes that may have budgets. */
  readonly scopes: readonly string[];
  /** Its events can be read. */
  readonly isStreamed: boolean;
  /** The response as it is shown until it ends. */
  readonly shown: JsonObject;
  /** All that running it needs. */
  readonly job: string;
};

/** Events are read from one on: `after` is the number of the last one that the caller knows. */
export type Following = {
  readonly accountId: string;
  readonly id: string;
  readonly after: number;
  /** Of the answer. */
  readonly headers: readonly string[];
};

/** Every call is bound to its account and rejects with a GatewayError; ids of others do not exist. */
export interface BackgroundResponses {
  /** Row and hold, or none of them; it runs from then on, whatever becomes of the caller. */
  queue(order: BackgroundOrder): Promise<void>;
  /** Resolves once the last event was sent, or the caller is gone. */
  follow(following: Following, reply: CallerPort): Promise<void>;
  /** Resolves once it has ended, or does not end soon. */
  cancel(accountId: string, id: string): Promise<void>;
}
