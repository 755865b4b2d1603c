/** One GET of which nothing but the status is wanted: bounded in time, and over as soon as the head is there. */
import type { Upstream, UpstreamExchange } from '../kernel/upstream.ts';

export type StatusQuestion = {
  readonly origin: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly waitMs: number;
};

/** Undefined when there was no answer, or none in time. */
export function askStatus(
  upstream: Upstream,
  { origin, path, headers, waitMs }: StatusQuestion,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    let exchange: UpstreamExchange | undefined;
    const end = (status: number | undefined): void => {
      clearTimeout(timer);
      exchange?.abort();
      resolve(status);
    };
    const timer = setTimeout(() => end(undefined), waitMs);
    try {
      exchange = upstream.send(
        { origin, path, headers, body: '', method: 'GET' },
        {
          onHead: (status) => end(status),
          onText: () => undefined,
          onEnd: () => end(undefined),
          onFail: () => end(undefined),
        },
      );
    } catch {
      end(undefined);
    }
  });
}
