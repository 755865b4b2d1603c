/**
 * Where a call would go, without making it: nobody is asked, no money is held, no turn is taken and no record written. It
 * needs a place as a call does, so that a gateway or a key at its bound is not made to plan.
 */
import { faultOf } from '@trivium/protocol/canonical';
import { takePlace } from './admit.ts';
import { authenticate, requireEndpoint } from './authenticate.ts';
import { type Engine, understandText } from './handle.ts';
import { foresee } from './lane.ts';
import { withoutTurns } from './plan-among.ts';
import type { Target } from './ports.ts';
import { answerHeaders } from './reply-headers.ts';
import { decisionView } from './request-view.ts';
import { resolve } from './resolve.ts';
import type { Planned, Received, Understood } from './stages.ts';

export async function dryRun(engine: Engine, received: Received, keyInQuery: boolean): Promise<void> {
  const identified = await authenticate(received, engine.accounts, keyInQuery);
  requireEndpoint(identified, received.dialect.operation);
  const place = takePlace(engine.admission.limits, identified.caller);
  try {
    const understood = await understandText(engine, identified, await received.readText(place));
    const planned = resolve(understood, withoutTurns(engine));
    understood.reply.answer(200, answerHeaders(understood.id, []), JSON.stringify(await planView(planned, engine)));
  } finally {
    place.release();
  }
}

const planView = async (planned: Planned, { fetchesMedia, retrying }: Engine): Promise<object> => ({
  object: 'route',
  protocol: planned.protocol,
  model: planned.model.id,
  stream: planned.understanding.stream,
  max_attempts: retrying.rules.maxAttempts,
  plan: await Promise.all(planned.plan.map((target) => stepView(planned, target, fetchesMedia))),
  decision: decisionView(planned),
});

async function stepView(understood: Understood, target: Target, fetchesMedia: boolean): Promise<object> {
  const { provider, modelId } = target;
  try {
    const { kind, why, losses } = await (understood.elsewhere?.foresee(target, fetchesMedia) ??
      foresee(understood, target, fetchesMedia));
    return {
      provider,
      model: modelId,
      lane: { kind, why: why ?? null },
      losses: losses.map((loss) => ({ field: loss.path, why: loss.why })),
      refusal: null,
    };
  } catch (error) {
    return { provider, model: modelId, lane: null, losses: [], refusal: faultOf(error).message };
  }
}
