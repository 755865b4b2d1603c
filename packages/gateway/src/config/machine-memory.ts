/** The memory this process may use. */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MIB = 1_048_576;

/**
 * The memory limit of the control group, or the machine's memory; without a group, the former is 0 or more than there
 * is.
 */
export const MEMORY_BYTES = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

/** Of the memory, and of the heap, because most texts are in the heap: the rest is for code, connections and caches. */
const MEMORY_SHARE = 0.5;
const HEAP_SHARE = 0.6;
const LEAST_BYTES = 64 * MIB;

/** How much of it may be held for callers, by each of the processes that share it. */
export const defaultMemoryBytes = (
  processes: number,
  memoryBytes = MEMORY_BYTES,
  heapBytes = getHeapStatistics().heap_size_limit,
): number =>
  Math.max(LEAST_BYTES, Math.floor(Math.min((memoryBytes * MEMORY_SHARE) / processes, heapBytes * HEAP_SHARE)));
