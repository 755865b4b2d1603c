// Timeouts of upstreams by class of model: the class's own values, else derived from the general timeouts.

import type { TimeoutSettings } from './config.ts';

/** A reasoning model is silent for long; an embedding model is not. */
const PATIENCE = { fast: 0.5, standard: 1, reasoning: 5, media: 5 } as const;

export type ClassName = keyof typeof PATIENCE;
export type UpstreamWaits = {
  readonly firstByteMs: number;
  readonly silenceMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
};

export function waitsOf(timeouts: TimeoutSettings): Readonly<Record<ClassName, UpstreamWaits>> {
  const of = (name: ClassName): UpstreamWaits => {
    const own = timeouts.classes[name];
    const silenceMs = own.silenceMs ?? timeouts.silenceMs * PATIENCE[name];
    return {
      firstByteMs: own.firstByteMs ?? timeouts.firstByteMs * PATIENCE[name],
      silenceMs,
      idleMs: Math.max(silenceMs, own.idleMs ?? timeouts.idleMs * PATIENCE[name]),
      totalMs: own.totalMs ?? timeouts.totalMs,
    };
  };
  return { fast: of('fast'), standard: of('standard'), reasoning: of('reasoning'), media: of('media') };
}

/**
 * Interval of the timeout checks in ms: often enough to notice the shortest timeout within a quarter of it, from 10 to
 * 1000.
 */
export function tickEveryMs(timeouts: TimeoutSettings): number {
  const { bodyGraceMs, holdMs, keepAliveToCallerMs, slowReaderMs } = timeouts;
  const upstream = Object.values(waitsOf(timeouts)).flatMap((waits) => Object.values(waits));
  const shortest = Math.min(...upstream, bodyGraceMs, holdMs, keepAliveToCallerMs, slowReaderMs);
  return Math.min(1000, Math.max(10, shortest / 4));
}
