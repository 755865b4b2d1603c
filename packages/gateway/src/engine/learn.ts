/** How a request went is remembered for the next one like it; only where there is a choice to be made. */
import type { CacheMemory, Clock, PaceMemory, Target } from './ports.ts';
import type { Admitted, Answered } from './stages.ts';

export type LearnPorts = { readonly paces: PaceMemory; readonly caches: CacheMemory; readonly clock: Clock };

export async function learning(
  admitted: Admitted,
  dispatched: Promise<Answered>,
  ports: LearnPorts,
): Promise<Answered> {
  const asked = admitted.plan[0]!.routeKey;
  ports.paces.asked(asked);
  try {
    const answered = await dispatched;
    learn(answered, ports);
    return answered;
  } finally {
    ports.paces.over(asked);
  }
}

function learn(answered: Answered, { paces, caches, clock }: LearnPorts): void {
  const { settlement, understanding, prompt } = answered;
  const { routeKey } = planned(answered);
  const nowMs = clock.monotonicMs();
  const firstTokenMs = settlement.attempts.at(-1)?.durationMs;
  if (firstTokenMs !== undefined) paces.began(routeKey, understanding.stream ? 'stream' : 'whole', firstTokenMs, nowMs);
  if (prompt !== undefined) caches.keep(prompt.key, routeKey, nowMs + prompt.ttlMs);
}

/** A spare credential serves for the host it belongs to. */
const planned = ({ plan, attempt: { target } }: Answered): Target =>
  plan.find((step) => step === target || step.spares?.includes(target) === true) ?? target;
