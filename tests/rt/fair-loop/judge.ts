/** The bounds of an attack, and its line in the figures. */
import { atMost, type Check, exactly, type Figure } from '../scenario.ts';
import type { Attack } from './attack.ts';
import { BACK_MB, type Measured } from './measure.ts';
import { MB, MEMORY_BYTES } from './site.ts';
import { failuresOf } from './waits.ts';

/** Up to this many connections or streams, the first bound holds; above, the second or that of Node's parser. */
export const FEW = 16;
const FEW_MS = 250;
const MANY_MS = 500;
const FLOOR_TIMES = 1.2;
const MEMORY_TIMES = 1.2;
const LARGE_CHATS_SERVED = 5;

/** `floor`: the longest wait at a bare server in the same run, where it was measured. */
function boundMs({ connections }: Attack, floor: number | undefined): number {
  if (connections <= FEW) return FEW_MS;
  return Math.max(MANY_MS, Math.round((floor ?? 0) * FLOOR_TIMES));
}

export function judge(attack: Attack, seen: Measured, floor: number | undefined): readonly Check[] {
  const bound = boundMs(attack, floor);
  const named = (what: string): string => `${attack.name}: ${what}`;
  const served = seen.largeChats?.filter((status) => status === 200).length;
  return [
    exactly(named('deaths of the gateway'), seen.hasDied || seen.isKilled ? 1 : 0, 0),
    atMost(named('longest /livez in ms'), seen.livez.longestMs, bound),
    exactly(named('failed /livez'), failuresOf(seen.livez), 0),
    atMost(named('longest wait of a bystander in ms'), seen.victim.longestMs, bound),
    exactly(named('failed calls of a bystander'), failuresOf(seen.victim), 0),
    ...(attack.memory === true
      ? [
          atMost(named('MB more'), seen.peakMb - seen.beforeMb, (MEMORY_BYTES / MB) * MEMORY_TIMES),
          ...(seen.backMb === undefined
            ? []
            : [atMost(named('MB of heap and external memory left'), seen.backMb, BACK_MB)]),
        ]
      : []),
    ...(served === undefined
      ? []
      : [exactly(named('large chats of another account served'), served, LARGE_CHATS_SERVED)]),
    ...(attack.expects?.(seen.result) ?? []).map((check) => ({ ...check, name: named(check.name) })),
  ];
}

export const figuresOf = (seen: Measured, floor?: number): { readonly [name: string]: Figure } => ({
  livezMs: [seen.livez.p50Ms, seen.livez.p99Ms, seen.livez.longestMs],
  victimMs: [seen.victim.p50Ms, seen.victim.p99Ms, seen.victim.longestMs],
  ...(failuresOf(seen.livez) > 0 && { livezFailures: seen.livez.failures }),
  ...(failuresOf(seen.victim) > 0 && { victimFailures: seen.victim.failures }),
  ...(floor !== undefined && { floorMs: floor }),
  lateMs: [seen.livez.lateMs, seen.victim.lateMs],
  residentMb: [seen.beforeMb, seen.peakMb],
  ...(seen.backMb !== undefined && { leftMb: seen.backMb }),
  cpuSeconds: seen.cpuSeconds,
  seconds: Math.round(seen.result.seconds * 10) / 10,
  statuses: seen.result.statuses,
  ...(seen.largeChats !== undefined && { largeChats: seen.largeChats }),
  ...(seen.hasDied && { died: true }),
});
