/**
 * The state machine of an operation as a table: which events are allowed in which state, where they lead, and what
 * happens to the hold. The write of a transition checks that the state still allows it, so that each end is written
 * once.
 */
export const OPERATION_STATES = [
  /** Stored; the one submission is on its way, or its process has died. */
  'submitting',
  /** The upstream has accepted it and named a task. */
  'running',
  /** Sent, or perhaps sent, with unknown result. It is never sent again. */
  'unknown',
  'done',
  'failed',
  'cancelled',
  /** The upstream did not accept it: the caller got the error at once, and the operation is never shown. */
  'refused',
] as const;
export type OperationState = (typeof OPERATION_STATES)[number];

export type OperationEventName =
  | 'accepted'
  | 'refused'
  | 'lost'
  | 'waited'
  | 'finished'
  | 'failed'
  | 'given-up'
  | 'cancelled';

/** What happens to the hold: it stays, the delivered clips are charged from it, or it is released. */
type HoldFate = 'stays' | 'settles' | 'goes back';

export type Transition = {
  readonly from: readonly OperationState[];
  readonly to: OperationState;
  readonly hold: HoldFate;
};

export const TRANSITIONS: Readonly<Record<OperationEventName, Transition>> = {
  // An answer that arrives after its operation was taken for lost still counts.
  accepted: { from: ['submitting', 'unknown'], to: 'running', hold: 'stays' },
  refused: { from: ['submitting'], to: 'refused', hold: 'goes back' },
  lost: { from: ['submitting'], to: 'unknown', hold: 'stays' },
  waited: { from: ['running'], to: 'running', hold: 'stays' },
  // With clips, with withheld clips, or with both: what was delivered is charged.
  finished: { from: ['running'], to: 'done', hold: 'settles' },
  failed: { from: ['running'], to: 'failed', hold: 'goes back' },
  'given-up': { from: ['unknown'], to: 'failed', hold: 'goes back' },
  cancelled: { from: ['running', 'unknown'], to: 'cancelled', hold: 'goes back' },
};

const OPEN: ReadonlySet<OperationState> = new Set(['submitting', 'running', 'unknown']);

export const isOver = (state: OperationState): boolean => !OPEN.has(state);

/** Undefined: the event comes too late, or too early, and changes nothing. */
export function follow(state: OperationState, event: OperationEventName): Transition | undefined {
  const transition = TRANSITIONS[event];
  return transition.from.includes(state) ? transition : undefined;
}
