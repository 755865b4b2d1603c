/** Stored responses and conversations, read and changed by their own account. No upstream is called, nothing is charged. */
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import { takePlace } from '../admit/admit.ts';
import type { Engine } from '../engine.ts';
import { authenticate, requireEndpoint } from '../entry/authenticate.ts';
import { openBody } from '../entry/understand.ts';
import { answerHeaders } from '../exchange/caller-reply.ts';
import type { ReceivedHead } from '../request.ts';

/** `body`: the request has one. */
export type StoredCall = {
  readonly method: string;
  readonly path: readonly string[];
  readonly query: ReadonlyMap<string, string>;
  readonly hasBody: boolean;
};

const NOT_KEPT: Fault = {
  kind: 'unknown-route',
  message: 'This gateway stores no responses and no conversations: its operator sets `state.keepHours`.',
};

export async function storedCall(
  engine: Engine,
  received: ReceivedHead,
  keyInQuery: boolean,
  { hasBody, ...asked }: StoredCall,
): Promise<void> {
  const { stored, jsonBounds } = engine;
  if (stored === undefined) throw new GatewayError(NOT_KEPT);
  const identified = await authenticate(received, engine.accounts, keyInQuery);
  requireEndpoint(identified, 'text');
  const place = takePlace(engine.admission.limits, identified.caller);
  try {
    const text = hasBody ? (await identified.readBody(place)).text : '';
    const body = text === '' ? {} : openBody(text, jsonBounds, {}).value;
    const answer = await stored.ask(identified.caller.accountId, { ...asked, body });
    identified.reply.answer(200, answerHeaders(identified.id, []), JSON.stringify(answer));
  } finally {
    place.release();
  }
}
