/** Usage sums over accounts at the admin API: as JSON, as CSV and in the columns of FOCUS. */
import { formatNanoUsd } from '../../kernel/usd.ts';
import { quantilesOf } from '../../money/usage/latency-histogram.ts';
import {
  BadQuestionError,
  readSpendQuestion,
  type SpendQuestion,
  type SpendWords,
} from '../../money/usage/spend-question.ts';
import type { SpendSum } from '../../money/usage/spend-sum.ts';
import { OPERATOR, type Store } from '../../store/postgres/store.ts';
import { requireAccount } from '../accounts/require-account.ts';
import type { Actor } from '../api/actor.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { type AdminRequest, routeWith, type StreamedAnswer } from '../api/route.ts';
import { isNamed, withNames } from './names.ts';
import type { UsagePorts } from './ports.ts';
import { focusCsv, spendCsv } from './spend-export.ts';
import { Spend, SpendQuery, SpendRow, type UsageFigures } from './sums-contract.ts';
import { sumUsage } from './sums-rows.ts';

const route = routeWith<UsagePorts>();

const MAX_ROWS = 10_000;
const MAX_EXPORTED_ROWS = 100_000;

export const figuresOf = (sum: SpendSum): UsageFigures => ({
  requests: Number(sum.requests),
  failed: Number(sum.failed),
  refused: Number(sum.refused),
  recorded: Number(sum.requests + sum.refused),
  errors: Number(sum.caller_faults + sum.upstream_faults + sum.gateway_faults),
  faults: {
    caller: Number(sum.caller_faults),
    upstream: Number(sum.upstream_faults),
    gateway: Number(sum.gateway_faults),
  },
  tokens: {
    input: Number(sum.input_tokens),
    output: Number(sum.output_tokens),
    cached: Number(sum.cached_tokens),
    cacheWrite: Number(sum.cache_write_tokens),
    reasoning: Number(sum.reasoning_tokens),
  },
  unpriced: Number(sum.unpriced),
  costUsd: formatNanoUsd(sum.cost_nano),
  firstTokenMs: quantilesOf(sum.first_token_counts) ?? null,
  durationMs: quantilesOf(sum.duration_counts) ?? null,
});

const rowOf = (sum: SpendSum): SpendRow => {
  const { at, account, member, key, model, provider, protocol, outcome, lane, tag } = sum;
  return {
    ...(at !== undefined && { at: at.toISOString() }),
    ...(account !== undefined && { account }),
    ...(member !== undefined && { member }),
    ...(key !== undefined && { key }),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    ...(protocol !== undefined && { protocol }),
    ...(outcome !== undefined && { outcome }),
    ...(lane !== undefined && { lane }),
    ...(tag !== undefined && { tag }),
    ...figuresOf(sum),
  };
};

/** Converts errors in a question to the admin API's format. */
export function readQuestion(words: SpendWords, nowMs: number): SpendQuestion {
  try {
    return readSpendQuestion(words, nowMs);
  } catch (error) {
    if (!(error instanceof BadQuestionError)) throw error;
    throw new AdminProblem('invalid', error.message, error.field);
  }
}

/** The account to read: the actor's own, the one that an operator names, or all. */
export async function tenantOf(store: Store, actor: Actor, account: string | undefined): Promise<string> {
  if (actor.kind === 'manager') {
    if ((account ?? actor.accountId) !== actor.accountId) throw notFound('Account', account);
    return actor.accountId;
  }
  if (account === undefined) return OPERATOR;
  await requireAccount(store, account);
  return account;
}

type Asked = Pick<AdminRequest<UsagePorts, unknown, SpendQuery>, 'store' | 'analytics' | 'actor' | 'query' | 'nowMs'>;

type Answered = { readonly question: SpendQuestion; readonly items: readonly SpendRow[]; readonly isMore: boolean };

async function answerTo({ store, analytics, actor, query, nowMs }: Asked, limit: number): Promise<Answered> {
  const tenant = await tenantOf(store, actor, query.account);
  const asked = readQuestion(query, nowMs());
  const question = tenant === OPERATOR ? asked : { ...asked, filter: { ...asked.filter, account: tenant } };
  const sums =
    (await analytics(question, limit)) ?? (await store.reading(tenant, (db) => sumUsage(db, question, limit)));
  const rows = sums.slice(0, limit).map(rowOf);
  const named = question.groups.filter(isNamed);
  const items = named.length === 0 ? rows : await store.reading(tenant, (db) => withNames(db, rows, named));
  return { question, items, isMore: sums.length > limit };
}

/** FOCUS has one row per charge and period: by day, account, key, model and provider, and by a tag if requested. */
const focusQuery = ({ by = '', bucket = 'day', ...query }: SpendQuery): SpendQuery => ({
  ...query,
  bucket,
  by: ['account', 'key', 'model', 'provider', ...by.split(',').filter((word) => word.startsWith('tag:'))].join(','),
});

const maxRows = { 'x-trivium-max-rows': String(MAX_EXPORTED_ROWS) };

export const spendRoutes = [
  route({
    method: 'GET',
    path: '/usage',
    name: 'getSpend',
    summary: 'Sums spend, requests, tokens, errors and latency: operators over all accounts, members over their own.',
    permission: 'viewer',
    query: SpendQuery,
    answer: Spend,
    run: async (asked) => {
      const { question, items, isMore } = await answerTo(asked, MAX_ROWS);
      return {
        from: new Date(question.fromMs).toISOString(),
        until: new Date(question.untilMs).toISOString(),
        tz: question.timeZone,
        items,
        truncated: isMore,
      };
    },
  }),
  route({
    method: 'GET',
    path: '/usage.csv',
    name: 'exportSpendCsv',
    summary: 'Exports spend as CSV in one answer. The header `x-trivium-max-rows` has the maximum.',
    permission: 'viewer',
    query: SpendQuery,
    answer: SpendRow,
    media: 'text/csv; charset=utf-8',
    run: async (asked): Promise<StreamedAnswer> => {
      const { question, items } = await answerTo(asked, MAX_EXPORTED_ROWS);
      return { chunks: spendCsv(question, items), headers: maxRows };
    },
  }),
  route({
    method: 'GET',
    path: '/usage.focus.csv',
    name: 'exportSpendFocus',
    summary: 'Exports charges by day, account, key, model and provider as CSV in the FOCUS 1.2 format.',
    permission: 'viewer',
    query: SpendQuery,
    answer: SpendRow,
    media: 'text/csv; charset=utf-8',
    run: async (asked): Promise<StreamedAnswer> => {
      const { question, items } = await answerTo({ ...asked, query: focusQuery(asked.query) }, MAX_EXPORTED_ROWS);
      return { chunks: focusCsv(question, items), headers: maxRows };
    },
  }),
];
