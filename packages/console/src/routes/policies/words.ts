/** What a routing policy says, in words. */

import type { Schemas } from '../../api/client.ts';
import { formatUsd } from '../../format/money.ts';
import { formatQuantity, formatShare } from '../../format/numbers.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import { ENDPOINT_NAMES, PROTOCOL_NAMES } from '../keys/rights.ts';

export type PolicyVersion = Schemas['PolicyVersion'];
export type Policy = NonNullable<PolicyVersion['policy']>;
export type CanaryState = NonNullable<PolicyVersion['canary']>;
export type FallbackKind = NonNullable<NonNullable<Policy['fallbacks']>[number]['on']>[number];

export const SOURCE_NAMES: Readonly<Record<PolicyVersion['source'], string>> = {
  file: msg('file'),
  database: msg('database'),
};

/** In the order of pages and differences: limits first, then preferences. */
export const MEMBER_NAMES = {
  only: msg('Only these providers'),
  ignore: msg('Never these providers'),
  region: msg('Regions'),
  retention: msg('Storage at the provider'),
  trains: msg('Training'),
  maxPrice: msg('Highest price'),
  strict: msg('Strict'),
  strategy: msg('Strategy'),
  order: msg('These first'),
  weights: msg('Shares of first calls'),
  sticky: msg('Sticky shares'),
  canary: msg('Canary'),
  fallbacks: msg('Fallbacks'),
  timeouts: msg('Timeouts'),
} as const;

export type Member = keyof typeof MEMBER_NAMES;
export const MEMBERS = Object.keys(MEMBER_NAMES) as readonly Member[];

export const FALLBACK_KIND_NAMES: Readonly<Record<FallbackKind, string>> = {
  error: msg('error'),
  'over-rate': msg('rate limit'),
  'context-exceeded': msg('prompt too long'),
  'content-filter': msg('content filter'),
};

/** As the API takes a fallback that names none. */
export const DEFAULT_KINDS: readonly FallbackKind[] = ['error', 'over-rate', 'context-exceeded'];

export const STRATEGY_NAMES: Readonly<Record<NonNullable<Policy['strategy']>, string>> = {
  priority: msg('priority'),
  round_robin: msg('round robin'),
  least_latency: msg('least latency'),
  cost: msg('cost'),
  speed: msg('speed'),
  quality: msg('quality'),
};

/** How a list of policies says it: `only azure, openai`. */
const SHORT: Readonly<Partial<Record<Member, string>>> = {
  only: msg('only {value}'),
  ignore: msg('never {value}'),
  region: msg('region {value}'),
  maxPrice: msg('at most {value}'),
  strict: msg('strict'),
  strategy: msg('ordered by {value}'),
  order: msg('first {value}'),
  weights: msg('shares {value}'),
  canary: msg('canary: {value}'),
  fallbacks: msg('falls back to {value}'),
  timeouts: msg('timeouts: {value}'),
};

export function scopeInWords({ account, key, tag }: NonNullable<Policy['scope']> = {}): string {
  if (tag !== undefined)
    return account === undefined ? t('tag {tag}', { tag }) : t('tag {tag} of {account}', { tag, account });
  if (key !== undefined) return t('key {key} of {account}', { key, account });
  return account === undefined ? t('the whole gateway') : t('{account} and accounts below', { account });
}

export function matchInWords({
  models = [],
  protocols = [],
  operations = [],
}: NonNullable<Policy['match']> = {}): string {
  const parts = [
    models.join(', '),
    operations.map((each) => t(ENDPOINT_NAMES[each] ?? each)).join(', '),
    protocols.map((each) => t(PROTOCOL_NAMES[each] ?? each)).join(', '),
  ].filter((part) => part !== '');
  return parts.length === 0 ? t('all requests') : parts.join(' · ');
}

const usd = (amount: number): string => formatUsd(String(amount), locale()) ?? String(amount);

function sharesOf(weights: Readonly<Record<string, number>>): string {
  const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
  return Object.entries(weights)
    .map(([host, weight]) => `${host} ${formatShare(sum === 0 ? 0 : weight / sum, locale())}`)
    .join(', ');
}

const fallbackText = ({ model, on }: NonNullable<Policy['fallbacks']>[number]): string =>
  `${model} (${(on ?? DEFAULT_KINDS).map((kind) => t(FALLBACK_KIND_NAMES[kind] ?? kind)).join(', ')})`;

const seconds = (ms: number): string => `${formatQuantity(ms / 1000, locale())} s`;
const percent = (value: number): string => `${formatQuantity(value, locale())} %`;

type Canary = NonNullable<Policy['canary']>;
type Why = NonNullable<CanaryState['why']>;

const canaryText = ({ model, host, percent: share, stepBack = {} }: Canary): string => {
  const { errorPercent, firstTokenP95Ms, usdPerRequest } = stepBack;
  const rules = [
    errorPercent !== undefined && t('{percent} failed', { percent: percent(errorPercent) }),
    firstTokenP95Ms !== undefined && t('first token {time}', { time: seconds(firstTokenP95Ms) }),
    usdPerRequest !== undefined && t('{amount} per request', { amount: usd(usdPerRequest) }),
  ].filter(Boolean);
  const target = t('{percent} to {target}', { percent: percent(share), target: model ?? host ?? '' });
  return rules.length === 0 ? target : t('{target}, steps back above {rules}', { target, rules: rules.join(', ') });
};

/** Why a canary has stepped back. */
export function whyInWords({ rule, limit, measured, calls }: Why): string {
  switch (rule) {
    case 'errorPercent':
      return t('{measured} of {calls} calls failed; {limit} are allowed', {
        measured: percent(measured),
        calls,
        limit: percent(limit),
      });
    case 'firstTokenP95Ms':
      return t('the first token took {measured} (p95 of {calls} calls); {limit} are allowed', {
        measured: seconds(measured),
        calls,
        limit: seconds(limit),
      });
    default:
      return t('{calls} calls cost {measured} each; {limit} are allowed', {
        measured: usd(measured),
        calls,
        limit: usd(limit),
      });
  }
}

/** Undefined: it says nothing about it. Null: it lifts what a less specific policy says. */
function wordsFor(policy: Policy, member: Member): string | null | undefined {
  if (policy[member] === null) return null;
  const { retention, trains, strict, strategy, weights, sticky, canary, fallbacks, maxPrice, timeouts } = policy;
  switch (member) {
    case 'trains':
      return trains === undefined ? undefined : trains ? null : t('no training on what is sent');
    case 'strict':
      return strict === undefined
        ? undefined
        : strict
          ? t('requests are rejected if a parameter would be dropped')
          : null;
    case 'retention':
      if (typeof retention !== 'number') return undefined;
      if (retention === 0) return t('nothing is stored');
      return t('{count, plural, one {stored # day at most} other {stored # days at most}}', { count: retention });
    case 'strategy':
      return strategy && t(STRATEGY_NAMES[strategy] ?? strategy);
    case 'weights':
      return weights && sharesOf(weights);
    case 'sticky':
      return sticky === undefined ? undefined : sticky ? t('a conversation stays where it is') : null;
    case 'canary':
      return canary && canaryText(canary);
    case 'fallbacks':
      return fallbacks?.map(fallbackText).join(' → ');
    case 'maxPrice': {
      if (!maxPrice) return undefined;
      const { promptUsdPerMillion: input, completionUsdPerMillion: output } = maxPrice;
      return [
        input !== undefined && t('{amount}/M in', { amount: usd(input) }),
        output !== undefined && t('{amount}/M out', { amount: usd(output) }),
      ]
        .filter(Boolean)
        .join(', ');
    }
    case 'timeouts': {
      if (!timeouts) return undefined;
      const { firstByteMs, silenceMs, totalMs } = timeouts;
      return [
        firstByteMs !== undefined && t('first content {time}', { time: seconds(firstByteMs) }),
        silenceMs !== undefined && t('silence {time}', { time: seconds(silenceMs) }),
        totalMs !== undefined && t('total {time}', { time: seconds(totalMs) }),
      ]
        .filter(Boolean)
        .join(', ');
    }
    default:
      return policy[member]?.join(', ');
  }
}

const isMember = (name: string): name is Member => name in MEMBER_NAMES;

/** Members that this console does not know are shown as they are. */
const unknownMembers = ({
  name: _name,
  scope: _scope,
  match: _match,
  ...said
}: Policy): readonly (readonly [string, unknown])[] => Object.entries(said).filter(([member]) => !isMember(member));

/** Each with its name, for a page. */
export const saidInWords = (policy: Policy): readonly (readonly [name: string, text: string])[] => [
  ...MEMBERS.flatMap((member) => {
    const value = wordsFor(policy, member);
    return value === undefined ? [] : [[t(MEMBER_NAMES[member]), value ?? t('lifted')] as const];
  }),
  ...unknownMembers(policy).map(([member, value]) => [member, JSON.stringify(value)] as const),
];

/** For a cell: `only azure, openai · region eu · falls back to x`. */
export function saidInShort(policy: Policy): string {
  const parts = MEMBERS.flatMap((member) => {
    const value = member === 'fallbacks' ? modelsOf(policy) : wordsFor(policy, member);
    if (value === undefined) return [];
    if (value === null) return [t('lifts: {member}', { member: t(MEMBER_NAMES[member]) })];
    const short = SHORT[member];
    return [short === undefined ? value : t(short, { value })];
  });
  return [...parts, ...unknownMembers(policy).map(([member]) => member)].join(' · ') || t('nothing');
}

const modelsOf = ({ fallbacks }: Policy): string | null | undefined =>
  fallbacks === null ? null : fallbacks?.map(({ model }) => model).join(', ');

/** Its members in one order, so that versions differ only in what they say. */
export function policyText(policy: Policy): string {
  const names = ['name', 'scope', 'match', ...MEMBERS];
  const rank = (name: string): number => (names.indexOf(name) + names.length + 1) % (names.length + 1);
  const entries = Object.entries(policy).sort(([one], [other]) => rank(one) - rank(other));
  return JSON.stringify(Object.fromEntries(entries));
}
