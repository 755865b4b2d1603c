/** A longer default timeout of waits: they end when the condition holds, and one second is too short on a busy machine. */
import { vi } from 'vitest';

const PATIENCE_MS = 30_000;

const { waitFor } = vi;
const waitPatiently: typeof vi.waitFor = (condition, options) =>
  waitFor(condition, typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options });

// Files of one worker share `vi`.
if (waitFor.name !== waitPatiently.name) vi.waitFor = waitPatiently;
