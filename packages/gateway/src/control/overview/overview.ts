/**
 * Everything on the first page of the console, in one answer: from sums, budgets and keys.
 */
import { formatNanoUsd } from '../../kernel/usd.ts';
import { quantilesOf } from '../../money/usage/latency-histogram.ts';
import type { SpendQuestion } from '../../money/usage/spend-question.ts';
import type { SpendSum } from '../../money/usage/spend-sum.ts';
import { budgetsNearestEnd, keysEndingWithin } from '../../store/postgres/overview-rows.ts';
import { type Db, OPERATOR } from '../../store/postgres/store.ts';
import { type AlertRow, listAlerts } from '../alerts/rows.ts';
import { routeWith } from '../api/route.ts';
import { keyNames } from '../keys/rows.ts';
import { healthOf, type ProviderAttempts, readAttempts } from '../providers/health.ts';
import { type NeedsALook, Overview, OverviewQuery } from '../usage/contract.ts';
import type { UsagePorts } from '../usage/ports.ts';
import { figuresOf, readQuestion, tenantOf } from '../usage/spend.ts';
import { sumUsage } from '../usage/sums-rows.ts';

const route = routeWith<UsagePorts>();

const DAY_MS = 86_400_000;
const AHEAD_MS = 60_000;
/** Longer spans are divided into days. */
const MAX_HOURLY_MS = 2 * DAY_MS;
const TOP = 5;
const MAX_ROWS = 10_000;
const MAX_LOOKS = 20;
const ENDING_DAYS = 7;
/** Alerts of what has rows with figures here. */
const OWN_LOOKS: ReadonlySet<string> = new Set(['usage.unpriced', 'key.expiring']);
const NO_NAMES: ReadonlyMap<string, string> = new Map();

export const overviewRoutes = [
  route({
    method: 'GET',
    path: '/overview',
    name: 'getOverview',
    summary:
      'Returns key figures compared with the previous period, time series, warnings, top keys and budgets closest to their limit.',
    permission: 'viewer',
    query: OverviewQuery,
    answer: Overview,
    run: async ({ store, actor, query, nowMs, openCircuits }) => {
      const tenant = await tenantOf(store, actor, query.account);
      const question = questionOf(query, tenant, nowMs());
      const isOfAll = actor.kind === 'operator' && tenant === OPERATOR;
      const circuits = isOfAll ? openCircuits() : [];
      return store.reading(tenant, async (db) => {
        const failing = isOfAll ? failingIn(await readAttempts(db, nowMs())) : [];
        const { account } = question.filter;
        const open = { ...(account !== undefined && { accountId: account }), isOpen: true };
        const alerts = await listAlerts(db, open, undefined, MAX_LOOKS);
        return readOverview(db, question, { circuits, failing, alerts });
      });
    },
  }),
];

function questionOf(query: OverviewQuery, tenant: string, nowMs: number): SpendQuestion {
  // Nodes' clocks differ: requests just received by another node are included.
  const until = query.until ?? new Date(nowMs + AHEAD_MS).toISOString();
  const { tz } = query;
  const zone = tz === undefined ? {} : { tz };
  // `until` may be a calendar day of the zone: its moment is needed for the default of `from`.
  const { untilMs } = readQuestion({ ...zone, until }, nowMs);
  const from = query.from ?? new Date(untilMs - DAY_MS).toISOString();
  const question = readQuestion({ ...zone, from, until }, nowMs);
  const bucket = question.untilMs - question.fromMs > MAX_HOURLY_MS ? 'day' : 'hour';
  return { ...question, bucket, filter: tenant === OPERATOR ? {} : { account: tenant } };
}

type Troubles = {
  readonly circuits: readonly string[];
  readonly failing: readonly NeedsALook[];
  readonly alerts: readonly AlertRow[];
};

async function readOverview(
  db: Db,
  question: SpendQuestion,
  { circuits, failing, alerts }: Troubles,
): Promise<Overview> {
  const alerted = new Set(alerts.map(({ kind, subject }) => `${kind} ${subject}`));
  const { fromMs, untilMs, bucket } = question;
  const whole: SpendQuestion = { ...question, bucket: undefined };
  const figures = async (spanFromMs: number, spanUntilMs: number): Promise<SpendSum> => {
    const [sum] = await sumUsage(db, { ...whole, fromMs: spanFromMs, untilMs: spanUntilMs, withLatency: true }, 1);
    if (sum === undefined) throw new Error('a sum without groups has one row');
    return sum;
  };
  const now = await figures(fromMs, untilMs);
  const before = await figures(fromMs - (untilMs - fromMs), fromMs);
  const models = await sumUsage(db, { ...whole, groups: ['model'] }, MAX_ROWS);
  const byModel = await sumUsage(db, { ...question, groups: ['model'] }, MAX_ROWS);
  const errors = await sumUsage(db, question, MAX_ROWS);
  const times = await sumUsage(db, { ...question, groups: ['provider'], withLatency: true }, MAX_ROWS);
  const keys = await sumUsage(db, { ...whole, groups: ['account', 'key'] }, TOP);
  const ids = keys.map(({ key = '' }) => key);
  const names = ids.length === 0 ? NO_NAMES : await keyNames(db, ids);
  const ending = await keysEndingWithin(db, ENDING_DAYS, MAX_LOOKS);
  const budgets = await budgetsNearestEnd(db, TOP);
  return {
    from: new Date(fromMs).toISOString(),
    until: new Date(untilMs).toISOString(),
    bucket: bucket === 'day' ? 'day' : 'hour',
    now: figuresOf(now),
    before: figuresOf(before),
    spendByModel: seriesOf(byModel, new Set(models.slice(0, TOP).map(({ model = '' }) => model))),
    errors: errors.map((sum) => ({
      at: timeOf(sum),
      requests: Number(sum.requests + sum.refused),
      caller: Number(sum.caller_faults),
      upstream: Number(sum.upstream_faults),
      gateway: Number(sum.gateway_faults),
    })),
    firstTokenByProvider: times.flatMap((sum) => {
      const found = quantilesOf(sum.first_token_counts);
      return found === undefined
        ? []
        : [{ at: timeOf(sum), provider: sum.provider ?? '', p50: found.p50, p95: found.p95 }];
    }),
    needsALook: [
      ...alerts
        .filter(({ kind }) => !OWN_LOOKS.has(kind))
        .map(({ id, account_id, title, raised_at, kind, detail }) =>
          lookAt({
            kind: 'alert',
            subject: id,
            accountId: account_id,
            name: title,
            at: raised_at.toISOString(),
            alert: { kind, detail },
          }),
        ),
      ...failing.filter(({ subject }) => !alerted.has(`provider.out ${subject}`)),
      ...circuits.slice(0, MAX_LOOKS).map((subject) => lookAt({ kind: 'circuit-open', subject })),
      ...models
        .filter(({ unpriced }) => unpriced > 0n)
        .slice(0, MAX_LOOKS)
        .map(({ model = '', unpriced }) => lookAt({ kind: 'unpriced', subject: model, requests: Number(unpriced) })),
      ...ending.map(({ id, account_id, name, expires_at }) =>
        lookAt({ kind: 'key-expiring', subject: id, accountId: account_id, name, at: expires_at.toISOString() }),
      ),
    ],
    topKeys: keys.slice(0, TOP).map(({ account = '', key = '', cost_nano, requests }) => ({
      accountId: account,
      keyId: key,
      name: names.get(key) ?? null,
      costUsd: formatNanoUsd(cost_nano),
      requests: Number(requests),
    })),
    budgets: budgets.map(({ account_id, scope, name, span, most, posted, pending }) => ({
      accountId: account_id,
      scope,
      name,
      span,
      usd: formatNanoUsd(most),
      spentUsd: formatNanoUsd(posted),
      heldUsd: formatNanoUsd(pending),
    })),
  };
}

const failingIn = (attempts: ProviderAttempts): readonly NeedsALook[] =>
  [...new Set([...attempts.alerted, ...attempts.cells.map(({ provider }) => provider)])]
    .map((provider) => ({ provider, health: healthOf(attempts, provider, 0) }))
    .filter(({ health }) => health.state === 'failing')
    .slice(0, MAX_LOOKS)
    .map(({ provider, health }) => lookAt({ kind: 'provider-failing', subject: provider, at: health.lastFailureAt }));

const timeOf = ({ at }: SpendSum): string => at?.toISOString() ?? '';

const lookAt = (look: Pick<NeedsALook, 'kind' | 'subject'> & Partial<NeedsALook>): NeedsALook => ({
  accountId: null,
  name: null,
  requests: null,
  at: null,
  alert: null,
  ...look,
});

/** Models that are not among the most expensive are summed up as one. */
function seriesOf(sums: readonly SpendSum[], top: ReadonlySet<string>): Overview['spendByModel'] {
  const series = new Map<string, { at: string; model: string; nano: bigint; requests: number }>();
  for (const sum of sums) {
    const at = timeOf(sum);
    const model = top.has(sum.model ?? '') ? (sum.model ?? '') : '';
    const one = series.get(`${at} ${model}`) ?? { at, model, nano: 0n, requests: 0 };
    one.nano += sum.cost_nano;
    one.requests += Number(sum.requests);
    series.set(`${at} ${model}`, one);
  }
  return [...series.values()].map(({ nano, ...one }) => ({ ...one, costUsd: formatNanoUsd(nano) }));
}
