/** Spending limits as programs of signed-in people read them. */
import type { Fault, JsonObject, SpendCap } from '@trivium/protocol/canonical';
import type { Caller } from './caller.ts';

export interface Spend {
  /** The fullest limit, as last read: it is read again in the background, and no call waits for it. */
  shown(caller: Caller): SpendCap | undefined;
  report(caller: Caller): Promise<JsonObject>;
  /** A refusal because money is short, with the end of the limit's window; unchanged if there is no such end. */
  refusal(caller: Caller, refusal: Fault): Promise<Fault>;
}

/** Programs that read them get headers and refusals in their own form; calls with keys stay as they are. */
export const readsSpend = ({ grant }: Caller): boolean => grant?.client === 'claude-code';
