/** Stored responses and conversations, read and changed by their own account. No upstream is called, nothing is charged. */
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import type { Following } from '../../kernel/background.ts';
import { takePlace } from '../admit/admit.ts';
import type { Engine } from '../engine.ts';
import { authenticate, requireEndpoint } from '../entry/authenticate.ts';
import { openBody } from '../entry/understand.ts';
import { answerHeaders, streamHeaders } from '../exchange/caller-reply.ts';
import type { IdentifiedHead, ReceivedHead } from '../request.ts';

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
    const following = isFollowed(asked) ? followingOf(identified, asked) : undefined;
    if (following !== undefined && engine.background !== undefined)
      return await engine.background.follow(following, identified.reply);
    const text = hasBody ? (await identified.readBody(place)).text : '';
    const body = text === '' ? {} : openBody(text, jsonBounds, {}).value;
    const answer = await stored.ask(identified.caller.accountId, { ...asked, body });
    identified.reply.answer(200, answerHeaders(identified.id, []), JSON.stringify(answer));
  } finally {
    place.release();
  }
}

const isFollowed = ({ method, path, query }: Omit<StoredCall, 'hasBody'>): boolean =>
  method === 'GET' && path[0] === 'responses' && path.length === 2 && query.get('stream') === 'true';

/** Before the first event. */
const FROM_THE_START = -1;
const NUMBER = /^\d{1,9}$/;

function followingOf(
  { id: requestId, caller: { accountId } }: IdentifiedHead,
  { path: [, id = ''], query }: Omit<StoredCall, 'hasBody'>,
): Following {
  const after = query.get('starting_after');
  if (after !== undefined && !NUMBER.test(after))
    throw new GatewayError({
      kind: 'malformed',
      message: "'starting_after' must be the number of an event.",
      field: 'starting_after',
    });
  const headers = streamHeaders(requestId, [], false);
  return { accountId, id, after: after === undefined ? FROM_THE_START : Number(after), headers };
}
