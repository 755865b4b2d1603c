/**
 * The points at which a process can be killed while it handles a video, in order, and which kind of video reaches each. A
 * stored step has up to four: before it; after the ledger entry; all written, and not committed; committed, before the
 * process knows.
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

/** Environment variable with the folder of kill orders: a file there is named after its point, and holds the victim. */
export const WARRANTS = 'TRIVIUM_RT_WARRANTS';
/** The victim is the process that reaches the point; any other victim is given by process id. */
export const WHO_COMES_BY = 'the process that reaches it';
