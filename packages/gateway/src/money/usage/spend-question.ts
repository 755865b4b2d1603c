/** Questions about hourly sums over accounts: a span, its buckets, grouping and filters. */
import { DAY_MS } from './request-stamp.ts';
import { isTimeZone, midnightOf, nextMidnight } from './time-zone.ts';

/** Kinds of request: summed up in separate rows, which have no tags. */
const KINDS = ['protocol', 'outcome', 'lane'] as const;
const SPEND_GROUPS = ['account', 'member', 'key', 'model', 'provider', ...KINDS] as const;
export type SpendGroup = (typeof SPEND_GROUPS)[number];

const SPEND_BUCKETS = ['hour', 'day', 'month'] as const;
type SpendBucket = (typeof SPEND_BUCKETS)[number];

export type SpendFilter = { readonly [Name in SpendGroup]?: string };

export type SpendQuestion = {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Undefined: one sum for the whole span. */
  readonly bucket: SpendBucket | undefined;
  readonly timeZone: string;
  readonly groups: readonly SpendGroup[];
  /** The tag to group by or to filter by; sums have one tag at a time. */
  readonly tag?: { readonly key: string; readonly isGroup: boolean; readonly value?: string };
  readonly filter: SpendFilter;
  readonly withLatency: boolean;
};

/** The query parameters as sent. */
export type SpendWords = Readonly<
  Partial<Record<SpendGroup | 'from' | 'until' | 'by' | 'bucket' | 'tz' | 'tag' | 'latency', string>>
>;

const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;
const TAG = 'tag:';
const TAG_FILTER = /^([a-z][a-z0-9_.-]{0,39})=(.*)$/s;

/** An invalid question: which field, and why. */
export class BadQuestionError extends Error {
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`${field} ${problem}`);
    this.field = field;
  }
}

const refuse = (field: string, problem: string): never => {
  throw new BadQuestionError(field, problem);
};

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

function momentIn(words: SpendWords, name: 'from' | 'until', timeZone: string): number | undefined {
  const text = words[name];
  if (text === undefined) return undefined;
  const ms = TIME.test(text) ? Date.parse(text) : midnightOf(text, timeZone);
  return ms === undefined || Number.isNaN(ms)
    ? refuse(name, 'must be a day such as 2026-11-15, or a time with its zone.')
    : ms;
}

export function readSpendQuestion(words: SpendWords, nowMs: number): SpendQuestion {
  const { tz: timeZone = 'UTC', bucket } = words;
  if (!isTimeZone(timeZone)) refuse('tz', 'must be a time zone such as Europe/Berlin.');
  const untilMs = momentIn(words, 'until', timeZone) ?? nextMidnight(nowMs, timeZone);
  const fromMs = momentIn(words, 'from', timeZone) ?? untilMs - DEFAULT_DAYS * DAY_MS;
  if (fromMs >= untilMs) refuse('from', 'must be before until.');
  if (untilMs - fromMs > MAX_DAYS * DAY_MS) refuse('from', `must be at most ${MAX_DAYS} days before until.`);
  if (bucket !== undefined && !SPEND_BUCKETS.includes(bucket as SpendBucket))
    refuse('bucket', `must be one of ${SPEND_BUCKETS.join(', ')}.`);
  const question: SpendQuestion = {
    fromMs,
    untilMs,
    bucket: bucket as SpendBucket | undefined,
    timeZone,
    ...groupsIn(words),
    filter: filterIn(words),
    withLatency: words.latency === 'true',
  };
  if (question.tag !== undefined && asksForKinds(question))
    refuse(words.tag === undefined ? 'by' : 'tag', `cannot name a tag together with ${KINDS.join(', ')}.`);
  return question;
}

export const asksForKinds = ({ groups, filter }: Pick<SpendQuestion, 'groups' | 'filter'>): boolean =>
  KINDS.some((kind) => groups.includes(kind) || filter[kind] !== undefined);

function groupsIn({ by = '', tag }: SpendWords): Pick<SpendQuestion, 'groups' | 'tag'> {
  const named = by === '' ? [] : by.split(',');
  const tags = named.filter((word) => word.startsWith(TAG)).map((word) => word.slice(TAG.length));
  const groups = SPEND_GROUPS.filter((group) => named.includes(group));
  if (groups.length + tags.length !== named.length)
    refuse('by', `must be a list of ${SPEND_GROUPS.join(', ')} and tag:<name>.`);
  const [, filtered, value] =
    tag === undefined ? [] : (TAG_FILTER.exec(tag) ?? refuse('tag', 'must be such as team=search.'));
  const keys = new Set([...tags, ...(filtered === undefined ? [] : [filtered])]);
  if (keys.size > 1) refuse(filtered === undefined ? 'by' : 'tag', 'may name one tag at a time.');
  const [key] = keys;
  if (key === undefined) return { groups };
  return { groups, tag: { key, isGroup: tags.length > 0, ...(value !== undefined && { value }) } };
}

const filterIn = (words: SpendWords): SpendFilter =>
  Object.fromEntries(SPEND_GROUPS.flatMap((name) => (words[name] === undefined ? [] : [[name, words[name]]])));
