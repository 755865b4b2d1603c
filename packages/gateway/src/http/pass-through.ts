/** Requests below `/passthrough`: the one spelling of their paths, and a bound of their own for bodies. */
import type { IncomingMessage } from 'node:http';
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import { passThrough } from '../calls/endpoints/passthrough.ts';
import type { Engine } from '../calls/engine.ts';
import type { ReceivedHead } from '../calls/request.ts';
import type { BodyRoom } from '../kernel/admission.ts';
import { PASSTHROUGH_MOUNT, passthroughTarget } from '../kernel/passthrough.ts';
import { type Arrival, JsonBody, readBody } from './body.ts';
import { checkContentType, keyInQuery } from './head.ts';
import type { ParsedTarget } from './path-policy.ts';

const BENT: Fault = {
  kind: 'malformed',
  message: 'A path that is passed through is lower case, without escapes, parameters and trailing slash.',
};

export const passedThrough = (target: ParsedTarget | undefined, { passthrough }: Engine): ParsedTarget | undefined =>
  passthrough !== undefined && target?.path.startsWith(`${PASSTHROUGH_MOUNT}/`) === true ? target : undefined;

export async function servePassThrough(
  engine: Engine,
  { method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
  received: ReceivedHead,
  target: ParsedTarget,
  arrivalOf: (room: BodyRoom) => Arrival,
): Promise<void> {
  const asked = passthroughTarget(target.path);
  if (asked === undefined) throw new GatewayError(BENT);
  if (method === 'POST') checkContentType(received.headers, {}, received.protocol);
  const most = engine.passthrough?.bodyBytes ?? 0;
  const bounded = Object.assign(received, {
    readBody: (room: BodyRoom) => {
      const arrival = arrivalOf(room);
      const bounds = { ...arrival.bounds, maxBytes: Math.min(arrival.bounds.maxBytes, most) };
      return readBody({ ...arrival, bounds }, new JsonBody(engine.jsonBounds, undefined, false));
    },
  });
  await passThrough(engine, bounded, keyInQuery(target), { method, ...asked, hasQuery: url.includes('?') });
}
