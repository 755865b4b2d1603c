/** Where a gateway can be made to die on a video's way, in the order it comes by. */
export const DEATH_POINTS = [
  'before-open',
  'after-open',
  'before-send',
  'after-send',
  'before-accepted',
  'after-accepted',
  'before-look',
  'before-ask',
  'after-ask',
  'before-waited',
  'after-waited',
  'before-put',
  'after-put',
  'before-finished',
  'after-finished',
  'before-record',
  'after-record',
  'after-look',
] as const;
export type DeathPoint = (typeof DEATH_POINTS)[number];

export const DIE_AT = 'TRIVIUM_RT_DIE_AT';
