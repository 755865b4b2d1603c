/**
 * How many tokens a request would take in, without making it. An estimate: no upstream is asked, nothing is charged and no
 * record written. It needs a place as a call does, so that a gateway or a key at its bound is not made to count.
 */
import { GatewayError } from '@trivium/protocol/canonical';
import { estimateInputTokens, readsAtResolution, type ServerHalf } from '@trivium/protocol/dialects';
import { takePlace } from './admit.ts';
import { authenticate, requireEndpoint } from './authenticate.ts';
import { heavyRequestOf } from './elsewhere.ts';
import type { Engine } from './handle.ts';
import { type HeavyFigures, isHeavyRequest } from './heavy.ts';
import { answerHeaders } from './reply-headers.ts';
import { requireModel } from './require-model.ts';
import type { Identified, Received } from './stages.ts';
import { openBody } from './understand.ts';

export async function countTokens(engine: Engine, received: Received, keyInQuery: boolean): Promise<void> {
  const count = received.dialect.operation === 'text' ? received.dialect.server.count : undefined;
  if (count === undefined) throw new GatewayError({ kind: 'unknown-route', message: 'There is nothing at this path.' });
  const identified = await authenticate(received, engine.accounts, keyInQuery);
  requireEndpoint(identified, 'count');
  const { caller, reply, id } = identified;
  const place = takePlace(engine.admission.limits, caller);
  try {
    const text = await received.readText(place);
    const { heavy, jsonBounds } = engine;
    const isWanted = (): boolean => !reply.gone;
    const counted =
      heavy !== undefined && isHeavyRequest(text)
        ? countedBy(await heavy.run('count', [heavyRequestOf(identified, text, jsonBounds)], { isWanted }))
        : countHere(engine, identified, count, text);
    const { targets } = requireModel(counted.model, caller, engine.directory);
    const atResolution = targets.some(({ facts }) => readsAtResolution(facts.model));
    reply.answer(200, answerHeaders(id, []), JSON.stringify(count.encode(counted.tokens(atResolution))));
  } finally {
    place.release();
  }
}

type Counted = { readonly model: string; tokens(atResolution: boolean): number };

function countHere(
  { jsonBounds, sealing }: Engine,
  { dialect, head, caller }: Identified,
  count: NonNullable<ServerHalf['count']>,
  text: string,
): Counted {
  const { value } = openBody(text, jsonBounds, dialect);
  const { model, call } = count.understand(value, { ...head, sealing: sealing(caller.accountId) });
  return { model, tokens: (atResolution) => estimateInputTokens(call(), atResolution) };
}

const countedBy = (counted: { readonly model: string } & HeavyFigures): Counted => ({
  model: counted.model,
  tokens: (atResolution) => (atResolution ? counted.inputTokensAtResolution : counted.inputTokens) ?? 0,
});
