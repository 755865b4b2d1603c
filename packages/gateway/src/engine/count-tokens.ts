/**
 * How many tokens a request would take in, without making it. An estimate: no upstream is asked, nothing is charged and no
 * record written. It needs a place as a call does, so that a gateway or a key at its bound is not made to count.
 */
import { GatewayError } from '@trivium/protocol/canonical';
import { estimateInputTokens, type RequestHead, readsAtResolution } from '@trivium/protocol/dialects';
import { takePlace } from './admit.ts';
import { authenticate, requireEndpoint } from './authenticate.ts';
import type { Engine } from './handle.ts';
import { answerHeaders } from './reply-headers.ts';
import { requireModel } from './require-model.ts';
import type { Received } from './stages.ts';
import { openBody } from './understand.ts';

export async function countTokens(engine: Engine, received: Received, keyInQuery: boolean): Promise<void> {
  const count = received.dialect.operation === 'text' ? received.dialect.server.count : undefined;
  if (count === undefined) throw new GatewayError({ kind: 'unknown-route', message: 'There is nothing at this path.' });
  const identified = await authenticate(received, engine.accounts, keyInQuery);
  requireEndpoint(identified, 'count');
  const { caller, head, reply, id } = identified;
  const place = takePlace(engine.admission.limits, caller);
  try {
    const { value } = openBody(await received.readText(place), engine.jsonBounds, received.dialect);
    const sealed: RequestHead = { ...head, sealing: engine.sealing(caller.accountId) };
    const { model, call } = count.understand(value, sealed);
    const { targets } = requireModel(model, caller, engine.directory);
    const atResolution = targets.some(({ facts }) => readsAtResolution(facts.model));
    reply.answer(200, answerHeaders(id, []), JSON.stringify(count.encode(estimateInputTokens(call(), atResolution))));
  } finally {
    place.release();
  }
}
