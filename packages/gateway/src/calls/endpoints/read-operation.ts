/** The stored state of an operation, for its own account. No upstream is called and nothing is charged. */
import { GatewayError } from '@trivium/protocol/canonical';
import { encodeOperation, operationName, parseOperationName } from '@trivium/protocol/dialects';
import type { BodyRoom } from '../../kernel/admission.ts';
import { takePlace } from '../admit/admit.ts';
import type { Engine } from '../engine.ts';
import { authenticate, requireEndpoint } from '../entry/authenticate.ts';
import { openBody } from '../entry/understand.ts';
import { answerHeaders } from '../exchange/caller-reply.ts';
import type { ReceivedHead } from '../request.ts';
import { operationsOf } from './submit-video.ts';

/** `id`: if the path names the operation; otherwise the body does. */
export type OperationRead = { readonly model: string; readonly id?: string; readonly origin: string };

export async function readOperation(
  engine: Engine,
  received: ReceivedHead,
  keyInQuery: boolean,
  { model, id: idInPath, origin }: OperationRead,
): Promise<void> {
  const identified = await authenticate(received, engine.accounts, keyInQuery);
  requireEndpoint(identified, 'video');
  const operations = operationsOf(engine);
  const place = takePlace(engine.admission.limits, identified.caller);
  try {
    const id = idInPath ?? (await idInBody(engine, received, place, model));
    const found = await operations.find(identified.caller.accountId, id, origin);
    if (found?.model !== model) throw new GatewayError({ kind: 'unknown-operation', message: 'Operation not found.' });
    const body = encodeOperation(
      operationName(model, id),
      found.reported,
      idInPath === undefined ? 'cloud' : 'developer',
    );
    identified.reply.answer(200, answerHeaders(identified.id, []), JSON.stringify(body));
  } finally {
    place.release();
  }
}

async function idInBody(
  { jsonBounds }: Engine,
  received: ReceivedHead,
  room: BodyRoom,
  model: string,
): Promise<string> {
  const { value } = openBody((await received.readBody(room)).text, jsonBounds, {});
  return parseOperationName(value['operationName'], model);
}
