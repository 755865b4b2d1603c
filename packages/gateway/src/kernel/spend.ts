/** What a signed-in person's program is told of spending limits. */
import type { Fault, JsonObject, SpendCap } from '@trivium/protocol/canonical';
import type { Caller } from './caller.ts';

export interface Spend {
  /** The fullest limit, as last read: it is read again in the background, and no call waits for it. */
  shown(caller: Caller): SpendCap | undefined;
  report(caller: Caller): Promise<JsonObject>;
  /** A refusal for want of money, in the form that says when the limit is lifted; as it was if that never is. */
  refusal(caller: Caller, refusal: Fault): Promise<Fault>;
}

/** Programs that read them get headers and refusals in their own form; calls with keys stay as they are. */
export const readsSpend = ({ grant }: Caller): boolean => grant?.client === 'claude-code';
