// `timeouts`, and those of upstreams by class of model: the class's own values, else derived from the general timeouts.

import type { Static } from 'typebox';
import { integer, MAX_WAIT_MS, milliseconds, section, wait } from './parts.ts';

const modelClass = (who: string) =>
  section(
    {
      firstByteMs: wait('Replaces `timeouts.firstByteMs`.'),
      silenceMs: wait('Replaces `timeouts.silenceMs`.'),
      idleMs: wait('Replaces `timeouts.idleMs`.'),
      totalMs: wait('Replaces `timeouts.totalMs`.'),
    },
    `For ${who}.`,
  );

export const timeoutsSchema = section(
  {
    headersMs: milliseconds(10_000, 'Time a caller has to send the request head.'),
    bodyGraceMs: milliseconds(
      10_000,
      'Time a request body may arrive at any rate; after that, `limits.bodyBytesPerSecond` applies.',
    ),
    requestMs: milliseconds(300_000, 'Time a caller has to send the whole request.'),
    keepAliveMs: milliseconds(65_000, "How long an idle caller's connection is kept open."),
    connectMs: milliseconds(3_000, 'Time to open a connection to an upstream.'),
    firstByteMs: milliseconds(
      120_000,
      "Time to the first content of an upstream's answer, or to the head of one that is not streamed.",
    ),
    silenceMs: milliseconds(60_000, 'Longest silence of an upstream in the middle of a streamed answer.'),
    idleMs: milliseconds(
      300_000,
      'Longest time in the middle of a streamed answer in which an upstream sends pings, comments or empty deltas, but no content, usage or end. Never less than the `silenceMs` that applies.',
    ),
    totalMs: milliseconds(1_800_000, 'Time for a request as a whole, all attempts included.'),
    holdMs: milliseconds(
      15_000,
      'How long the head of a streamed answer is held back for its first content, so that a failure can still fail over or get a status. After that the stream is opened and kept alive.',
    ),
    classes: section(
      {
        fast: modelClass('embeddings'),
        standard: modelClass('models that answer at once'),
        reasoning: modelClass('models that reason before they answer'),
        media: modelClass('models that make images, audio or video'),
      },
      'Timeouts for upstreams by class of model. Absent values are derived from the general setting: `fast` half of it, `reasoning` and `media` five times as long, for the first byte, for silence and for idling.',
    ),
    drainNoticeMs: integer(
      0,
      MAX_WAIT_MS,
      5000,
      'After SIGTERM, how long new connections are still accepted while `/readyz` answers 503, so that load balancers notice.',
    ),
    drainMs: milliseconds(
      30_000,
      'Time running requests have to finish once no new connections are accepted. Then streams get an error and are cut.',
    ),
    keepAliveToCallerMs: milliseconds(8_000, 'Silence on a stream after which a keep-alive is sent to the caller.'),
    slowReaderMs: milliseconds(60_000, 'How long a caller may leave sent bytes unread before it is disconnected.'),
  },
  'Timeouts, in milliseconds.',
);

export type TimeoutSettings = Static<typeof timeoutsSchema>;

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
