/** A synchronous state machine, one instance per stream: no promises, no I/O. */
import type { Loss } from '../canonical/loss.ts';

export interface Machine<In, Out> {
  push(item: In): readonly Out[];
  end(): readonly Out[];
  /** For input without a last item: all that an answer needs has been pushed, though more may follow. */
  readonly isWhole?: boolean;
  /** The losses so far; complete after `end`. */
  losses(): readonly Loss[];
}

export const NO_LOSSES: readonly Loss[] = [];
