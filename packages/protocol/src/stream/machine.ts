/** A synchronous state machine, one instance for one stream: no promises, no I/O. */
import type { Loss } from '../canonical/loss.ts';

export interface Machine<In, Out> {
  push(item: In): readonly Out[];
  end(): readonly Out[];
  /** What could not be carried so far; complete after `end`. */
  losses(): readonly Loss[];
}

export const NO_LOSSES: readonly Loss[] = [];
