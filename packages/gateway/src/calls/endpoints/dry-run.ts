/**
 * Shows where a call would go, without running it: no host is called, no hold placed, no round-robin turn taken and no
 * record written. It needs a concurrency slot like a call, so that a gateway or a key at its limit does not plan.
 */
import { faultOf } from '@trivium/protocol/canonical';
import { recordedProtocol } from '../../kernel/recorded-protocol.ts';
import type { Target } from '../../kernel/target.ts';
import { takePlace } from '../admit/admit.ts';
import type { Engine } from '../engine.ts';
import { authenticate, requireEndpoint } from '../entry/authenticate.ts';
import { answerHeaders } from '../exchange/caller-reply.ts';
import { foresee } from '../lanes/choose-lane.ts';
import { tagged, understandText } from '../pipeline.ts';
import { withoutTurns } from '../plan/plan-among.ts';
import { resolve } from '../plan/resolve.ts';
import type { Planned, Received, Understood } from '../request.ts';
import { decisionView } from './request-view.ts';

export async function dryRun(engine: Engine, received: Received, keyInQuery: boolean): Promise<void> {
  const identified = await authenticate(received, engine.accounts, keyInQuery);
  requireEndpoint(identified, received.dialect.operation);
  const place = takePlace(engine.admission.limits, identified.caller);
  try {
    const understood = await understandText(engine, identified, await received.readBody(place), place);
    const planned = resolve(tagged(understood, engine), withoutTurns(engine));
    understood.reply.answer(200, answerHeaders(understood.id, []), JSON.stringify(await planView(planned, engine)));
  } finally {
    place.release();
  }
}

const planView = async (planned: Planned, { fetchesMedia, exchange }: Engine): Promise<object> => ({
  object: 'route',
  protocol: recordedProtocol(planned.protocol, planned.dialect.id),
  model: planned.model.id,
  stream: planned.understanding.stream,
  max_attempts: exchange.rules.maxAttempts,
  plan: await Promise.all(planned.plan.map((target) => stepView(planned, target, fetchesMedia))),
  decision: decisionView(planned),
});

async function stepView(understood: Understood, target: Target, fetchesMedia: boolean): Promise<object> {
  const { provider, modelId } = target;
  try {
    const { kind, why, losses } = await (understood.onWorker?.foresee(target, fetchesMedia) ??
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
