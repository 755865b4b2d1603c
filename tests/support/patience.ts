/** A wait for a condition ends when it holds: Vitest's default of one second shows only how busy the machine is. */
import { vi } from 'vitest';

const PATIENCE_MS = 30_000;

const { waitFor } = vi;
const waitPatiently: typeof vi.waitFor = (condition, options) =>
  waitFor(condition, typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options });

// Files of one worker share `vi`.
if (waitFor.name !== waitPatiently.name) vi.waitFor = waitPatiently;
