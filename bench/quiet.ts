// Is the machine quiet enough to measure? Reads how busy its cores are before any load is applied, and how much of their
// time the host gave to other machines while a window was measured.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const WATCH_MS = 3_000;
const MAX_BUSY_SHARE = 0.1;

interface CoreTimes {
  readonly busy: number;
  /** By the host, for other machines. */
  readonly stolen: number;
  readonly all: number;
}

export function coreTimes(stat: string): CoreTimes {
  const fields = /^cpu +(.*)$/m.exec(stat)?.[1]?.split(' ').map(Number) ?? [];
  const all = fields.slice(0, 8).reduce((sum, field) => sum + field, 0);
  // The fourth and fifth are idle and waiting for a disk.
  return { busy: all - (fields[3] ?? 0) - (fields[4] ?? 0), stolen: fields[7] ?? 0, all };
}

const readCores = (): CoreTimes => coreTimes(readFileSync('/proc/stat', 'utf8'));

export interface Quietness {
  readonly isQuiet: boolean;
  readonly busyShare: number;
}

export async function watchMachine(): Promise<Quietness> {
  const before = readCores();
  await delay(WATCH_MS);
  const after = readCores();
  const busyShare = Number(((after.busy - before.busy) / Math.max(1, after.all - before.all)).toFixed(3));
  return { isQuiet: busyShare <= MAX_BUSY_SHARE, busyShare };
}

/** Share of all cores' time that was stolen while the window ran. */
export async function withStolenShare<T>(
  window: () => Promise<T>,
): Promise<{ readonly value: T; readonly stolen: number }> {
  const before = readCores();
  const value = await window();
  const after = readCores();
  return { value, stolen: (after.stolen - before.stolen) / Math.max(1, after.all - before.all) };
}
