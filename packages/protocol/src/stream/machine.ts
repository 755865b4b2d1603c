/** A synchronous state machine, one instance per stream: no promises, no I/O. */
import type { Loss } from '../canonical/loss.ts';

export interface Machine<In, Out> {
  push(item: In): readonly Out[];
  end(): readonly Out[];
  /** The losses so far; complete after `end`. */
  losses(): readonly Loss[];
}

export const NO_LOSSES: readonly Loss[] = [];
