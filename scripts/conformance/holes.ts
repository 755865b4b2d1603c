/** Why a rule was not seen to hold at hosts of some format. The first entry that fits counts: single rules before areas. */
export type Hole = {
  /** Ids of rules, or the letters of an area; by spaces. */
  readonly rules: string;
  /** All, unless some are named. */
  readonly dialects?: readonly string[];
  readonly why: string;
};

const ONE_WRITER =
  'one encoder writes what this protocol answers, from canonical events alone; that hosts of every format give those events is held by tests/laws (all fixtures, all cuts) and tests/matrix (every pair)';
const ONE_READER =
  'what a caller of this protocol may say is read and judged before a host is chosen; what becomes of each field at hosts of every format is held by tests/laws/stances.test.ts and tests/matrix (every pair)';
const BEFORE_HOSTS = 'decided at the door or in the plan, before the format of a host is known';

export const HOLES: readonly Hole[] = [
  { rules: 'C G M R', why: ONE_READER },
  { rules: 'CR CS GR GS MR MS', why: ONE_WRITER },
  { rules: 'A L N P E', why: BEFORE_HOSTS },
  { rules: 'I IS V O B', why: 'asked at hosts of pictures, films and vectors, whose formats are others' },
];
