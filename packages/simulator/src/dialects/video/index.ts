// All video vendors, over one set of tasks.
import type { SimulatedDialect } from '../dialect.ts';
import { falClips } from './fal.ts';
import { arkClips, dashscopeClips, klingClips, minimaxClips, soraClips, xaiClips } from './flat-vendors.ts';
import { googleClips } from './google.ts';
import { clipDialect } from './make-dialect.ts';
import { ClipTasks } from './tasks.ts';

const VENDORS = [googleClips, arkClips, dashscopeClips, klingClips, minimaxClips, xaiClips, soraClips, falClips];

export function clipDialects(): readonly SimulatedDialect[] {
  const tasks = new ClipTasks();
  return VENDORS.map((vendor) => clipDialect(vendor, tasks));
}
