/**
 * Where something can be made to die on a video's way, in the order a video comes by, and which video comes by there. A
 * step that is written down has up to four: before it; its money is moved; it is all written, and not committed; it is
 * committed, and nobody has heard so.
 */
import type { FilmKind } from './films.ts';

export const DEATH_POINTS = {
  'before-open': 'made',
  'open-money': 'made',
  'open-job': 'made',
  'after-open': 'made',
  'before-send': 'made',
  'after-send': 'made',
  'before-accepted': 'made',
  'accepted-job': 'made',
  'after-accepted': 'made',
  'before-look': 'made',
  'before-ask': 'made',
  'after-ask': 'made',
  'before-waited': 'made',
  'waited-job': 'made',
  'after-waited': 'made',
  'before-put': 'made',
  'after-put': 'made',
  'before-finished': 'made',
  'finished-money': 'made',
  'finished-job': 'made',
  'after-finished': 'made',
  'before-record': 'made',
  'after-record': 'made',
  'after-look': 'made',
  'before-failed': 'failing',
  'failed-money': 'failing',
  'failed-job': 'failing',
  'after-failed': 'failing',
  'before-lost': 'unanswered',
  'lost-job': 'unanswered',
  'after-lost': 'unanswered',
  'before-given-up': 'unanswered',
  'given-up-money': 'unanswered',
  'given-up-job': 'unanswered',
  'after-given-up': 'unanswered',
} as const satisfies Readonly<Record<string, FilmKind>>;
export type DeathPoint = keyof typeof DEATH_POINTS;

/** Names the folder of death warrants: a file there is named after its point, and holds whom it is for. */
export const WARRANTS = 'TRIVIUM_RT_WARRANTS';
/** Whoever comes by; anybody else is named by process. */
export const WHO_COMES_BY = 'whoever comes by';
