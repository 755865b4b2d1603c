/**
 * A request that only brings its input to a connection, for the next one to refer to (`generate: false`). It is checked
 * and planned as any other; no host is called, no hold placed, nothing charged and no record written.
 */
import { takePlace } from '../admit/admit.ts';
import type { Engine } from '../engine.ts';
import { authenticate, requireEndpoint } from '../entry/authenticate.ts';
import { streamHeaders } from '../exchange/caller-reply.ts';
import { tagged, understandText } from '../pipeline.ts';
import { withoutTurns } from '../plan/plan-among.ts';
import { resolve } from '../plan/resolve.ts';
import type { Planned, Received } from '../request.ts';

const MS_PER_SECOND = 1000;

export async function emptyResponse(engine: Engine, received: Received, keyInQuery: boolean): Promise<void> {
  const identified = await authenticate(received, engine.accounts, keyInQuery);
  requireEndpoint(identified, received.dialect.operation);
  const place = takePlace(engine.admission.limits, identified.caller);
  try {
    const body = await received.readBody(place);
    const understood = await understandText(engine, identified, body, place);
    answer(resolve(tagged(understood, engine), withoutTurns(engine)));
  } finally {
    place.release();
  }
}

function answer({ id, reply, dialect, receivedAtMs, understanding: { model, responseOptions } }: Planned): void {
  if (dialect.operation !== 'text') throw new Error(`no stream of ${dialect.operation}`);
  const createdAtSeconds = Math.floor(receivedAtMs / MS_PER_SECOND);
  // The store has no turn without an answer.
  const own = { ...responseOptions, echo: { ...responseOptions.echo, store: false } };
  const encoder = dialect.server.eventEncoder({ requestId: id, model, createdAtSeconds, responseOptions: own });
  const frames = [
    ...encoder.push({ type: 'answer-start', id, model }),
    ...encoder.push({ type: 'usage-update', usage: { prompt: 0, completion: 0 } }),
    ...encoder.push({ type: 'answer-end', candidate: 0, finish: { reason: 'stop' } }),
    ...encoder.end(),
  ];
  reply.open(200, streamHeaders(id, [], false));
  for (const { event, data } of frames) reply.write(`event: ${event}\ndata: ${data}\n\n`);
  reply.finish();
}
