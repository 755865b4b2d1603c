/** What routing may know when it decides. All of it is passed in, so that equal inputs give equal plans. */
import type { Fit, Room } from '../../kernel/route.ts';
import type { Observed } from './observed.ts';

/** `waiting`: requests there whose first token has not arrived yet. */
export type RouteObservation = Observed & { readonly waiting: number };

export type RoutingSnapshot<C> = {
  /** The counter for round robin. */
  readonly turn: number;
  /** Random, at least 0 and below 1. */
  readonly draw: number;
  readonly seenOf: (candidate: C) => RouteObservation;
  /** Called for no more candidates than needed to find one that keeps everything. Absent: all are alike. */
  readonly fitOf?: ((candidate: C) => Fit) | undefined;
  /** Absent: the prompt fits everywhere, or nothing is known of its length. */
  readonly roomOf?: ((candidate: C) => Room) | undefined;
  /** The route key of the host that caches this prompt. */
  readonly holder?: string | undefined;
};
