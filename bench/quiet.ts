// Is the machine quiet enough to measure? Reads how busy its cores are before any load is applied.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const WATCH_MS = 3_000;
const MAX_BUSY_SHARE = 0.1;

interface CoreTimes {
  readonly busy: number;
  readonly all: number;
}

export function coreTimes(stat: string): CoreTimes {
  const fields = /^cpu +(.*)$/m.exec(stat)?.[1]?.split(' ').map(Number) ?? [];
  const all = fields.slice(0, 8).reduce((sum, field) => sum + field, 0);
  // The fourth and fifth are idle and waiting for a disk.
  return { busy: all - (fields[3] ?? 0) - (fields[4] ?? 0), all };
}

export interface Quietness {
  readonly isQuiet: boolean;
  readonly busyShare: number;
}

export async function watchMachine(): Promise<Quietness> {
  const read = (): CoreTimes => coreTimes(readFileSync('/proc/stat', 'utf8'));
  const before = read();
  await delay(WATCH_MS);
  const after = read();
  const busyShare = Number(((after.busy - before.busy) / Math.max(1, after.all - before.all)).toFixed(3));
  return { isQuiet: busyShare <= MAX_BUSY_SHARE, busyShare };
}
