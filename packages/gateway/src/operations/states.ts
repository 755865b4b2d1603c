/**
 * The life of an operation as a table: which events may follow in which state, where they lead, and what becomes of the
 * money that was set aside. Whoever writes a transition compares the state it found first, so that each end is written once.
 */
export const OPERATION_STATES = [
  /** Written down; the one submission is on its way, or its process has died. */
  'submitting',
  /** The upstream has taken it and named a task. */
  'running',
  /** Sent, or perhaps sent, and nobody knows what became of it. It is never sent again. */
  'unknown',
  'done',
  'failed',
  'cancelled',
  /** The upstream did not take it: its caller was told so at once, and it is shown to nobody. */
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

/** What becomes of the hold: it stays, what was made is charged from it, or it goes back whole. */
type HoldFate = 'stays' | 'settles' | 'goes back';

export type Transition = {
  readonly from: readonly OperationState[];
  readonly to: OperationState;
  readonly hold: HoldFate;
};

export const TRANSITIONS: Readonly<Record<OperationEventName, Transition>> = {
  // An answer that comes after its operation was taken for lost is still an answer.
  accepted: { from: ['submitting', 'unknown'], to: 'running', hold: 'stays' },
  refused: { from: ['submitting'], to: 'refused', hold: 'goes back' },
  lost: { from: ['submitting'], to: 'unknown', hold: 'stays' },
  waited: { from: ['running'], to: 'running', hold: 'stays' },
  // With clips, with clips that are held back, or with both: what was delivered is charged.
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
