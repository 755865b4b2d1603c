/** What routing may know of the moment it decides in. All of it is handed in, so that equal inputs give equal plans. */
import type { Observed } from './observed.ts';

/** What a host would do to this request: carry all of it, lose something, or refuse it. */
export type Fit = 'keeps' | 'loses' | 'cannot';

/** Does the prompt fit the host's context? `may-exceed` where the bounds of our estimate stand on both sides of it. */
export type Room = 'fits' | 'may-exceed' | 'exceeds';

/** `waiting`: requests whose first token is still to come there. */
export type RouteObservation = Observed & { readonly waiting: number };

export type RoutingSnapshot<C> = {
  /** Which round it is, for those who take turns. */
  readonly turn: number;
  /** At least 0 and below 1, for those who draw lots. */
  readonly draw: number;
  readonly seenOf: (candidate: C) => RouteObservation;
  /** Asked for no more candidates than it takes to find one that keeps everything. Absent: all are alike. */
  readonly fitOf?: ((candidate: C) => Fit) | undefined;
  /** Absent: the prompt fits everywhere, or nothing is known of it. */
  readonly roomOf?: ((candidate: C) => Room) | undefined;
  /** The route key of whoever holds the cache of this prompt. */
  readonly holder?: string | undefined;
};
