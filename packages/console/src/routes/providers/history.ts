/** The health of a provider over time: a cell for each quarter of an hour. */
import type { components } from '../../api/schema.ts';

type History = components['schemas']['ProviderDetail']['history'];
export type Health = 'none' | 'ok' | 'some' | 'out';
export type HealthCell = {
  readonly at: number;
  readonly health: Health;
  readonly ok: number;
  readonly failed: number;
};

/** Callers' own errors say nothing about a provider. */
function healthOf(ok: number, failed: number): Health {
  if (ok + failed === 0) return 'none';
  if (failed === 0) return 'ok';
  return ok === 0 ? 'out' : 'some';
}

const MAX_CELLS = 200;

export function healthCells({ from, until, bucketSeconds, bars }: History): readonly HealthCell[] {
  const byStart = new Map(bars.map((bar) => [Date.parse(bar.at), bar]));
  const [first, end, step] = [Date.parse(from), Date.parse(until), bucketSeconds * 1000];
  const count = Math.min(MAX_CELLS, Math.max(0, Math.ceil((end - first) / step)));
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * step;
    const bar = byStart.get(at);
    const [ok, failed] = [bar?.ok ?? 0, (bar?.upstream ?? 0) + (bar?.gateway ?? 0)];
    return { at, health: healthOf(ok, failed), ok, failed };
  });
}
