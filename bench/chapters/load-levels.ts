// Latency when the proxy is neither idle nor saturated: requests at 30 % and 70 % of what it carried in this run.
import { loadAtRate } from '../load.ts';
import type { Result } from '../report.ts';
import { entrant, type Stage } from './chapter.ts';

const SHARES = [0.3, 0.7] as const;
const MILLISECONDS = 10_000;

export interface LoadLevel {
  readonly share: number;
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

export async function loadLevels(
  stage: Stage,
  contenders: Result['contenders'],
): Promise<Readonly<Record<string, readonly LoadLevel[]>>> {
  const levels: Record<string, LoadLevel[]> = {};
  for (const name of ['bare', 'trivium', 'trivium-money']) {
    const one = entrant(stage, name);
    const capacity = contenders[name]?.jsonPerSecond?.median;
    if (one === undefined || capacity === undefined) continue;
    const of: LoadLevel[] = [];
    for (const share of SHARES) {
      const perSecond = Math.round(capacity * share);
      const { p50Us, p99Us } = await loadAtRate(stage.tools, stage.openload, one.json, {
        perSecond,
        milliseconds: MILLISECONDS,
      });
      of.push({ share, perSecond, p50Us, p99Us });
    }
    levels[name] = of;
  }
  return levels;
}
