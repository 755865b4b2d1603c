/** The numbers of the console's views, asked for as each view asks, held against the truth. */
import type { Client } from 'pg';
import { boundsOf, type Range } from '../../../packages/console/src/format/range.ts';
import {
  askedBy,
  errorShareOf,
  groupOf,
  labelOf,
  type SpendRow,
} from '../../../packages/console/src/format/spend-row.ts';
import { healthCells } from '../../../packages/console/src/routes/providers/history.ts';
import type { AdminStand } from '../../../tests/support/admin-stand.ts';
import { nanoOf } from './money.ts';
import { type Asked, countBy, type Figures, figuresBy, namesOf, triesBy } from './truths.ts';

export type Difference = { readonly what: string; readonly shown: unknown; readonly truth: unknown };

export type Role = { readonly name: string; readonly secret?: string; readonly account?: string };

/** Times are counted in buckets that grow by 1.6 from 10 ms: a quantile is right if it is in the bucket of the exact one. */
const bucketOf = (ms: number): number => {
  let [bucket, bound] = [0, 10];
  for (; bucket < 24 && ms >= Math.round(bound); bucket++) bound *= 1.6;
  return bucket;
};
const isQuantile = (shown: number | null, exact: number | null): boolean => {
  if (shown === null || exact === null) return shown === exact;
  const bucket = bucketOf(exact);
  // Interpolated, it may be the upper bound itself.
  return bucketOf(shown) === bucket || shown === Math.round(10 * 1.6 ** bucket);
};

type UsageFigures = Omit<SpendRow, 'at'>;
type Answer = Record<string, unknown>;

export class Views {
  readonly differences: Difference[] = [];
  compared = 0;
  readonly #stand: AdminStand;
  readonly #client: Client;
  readonly #nowMs: number;

  constructor(stand: AdminStand, client: Client, nowMs: number) {
    this.#stand = stand;
    this.#client = client;
    this.#nowMs = nowMs;
  }

  async check(text: string, range: Range, { name, secret, account }: Role): Promise<void> {
    const bounds = boundsOf(range, this.#nowMs);
    const asked: Asked = { ...bounds, account };
    const about = (view: string): string => `${view}, ${text}, ${name}`;
    await this.#overview(about('overview'), asked, secret);
    await this.#requests(about('requests'), asked, range, secret);
    await this.#usage(about('usage'), asked, secret, name === 'operator');
  }

  async checkOnce(): Promise<void> {
    await this.#providers();
    await this.#accounts();
  }

  async #ask(path: string, query: Readonly<Record<string, string | undefined>> = {}, secret?: string): Promise<Answer> {
    const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const { status, json, text } = await this.#stand.admin(
      'GET',
      `${path}?${new URLSearchParams(given)}`,
      undefined,
      secret,
    );
    if (status !== 200) throw new Error(`${path}: ${text}`);
    return json;
  }

  readonly is = (what: string, shown: unknown, truth: unknown): void => {
    this.compared++;
    if (JSON.stringify(shown) !== JSON.stringify(truth)) this.differences.push({ what, shown, truth });
  };

  #isTime(what: string, shown: number | null, exact: number | null): void {
    this.compared++;
    if (!isQuantile(shown, exact)) this.differences.push({ what, shown, truth: exact });
  }

  /** What tiles, rows and charts are made of. */
  #figures(what: string, shown: UsageFigures, truth: Figures, withTimes: boolean): void {
    const { recorded, errors, faults, tokens, unpriced, costUsd } = shown;
    this.is(`${what}: requests`, recorded, truth.recorded);
    this.is(`${what}: errors`, errors, truth.errors);
    this.is(`${what}: error share`, errorShareOf(shown), truth.recorded > 0 ? truth.errors / truth.recorded : 0);
    this.is(`${what}: by blame`, [faults.caller, faults.upstream], [truth.caller, truth.upstream]);
    this.is(`${what}: spend`, nanoOf(costUsd), truth.nano);
    this.is(`${what}: tokens`, [tokens.input, tokens.output, tokens.cached], [truth.input, truth.output, truth.cached]);
    this.is(`${what}: without a price`, unpriced, truth.unpriced);
    if (!withTimes) return;
    this.#isTime(`${what}: first token p50`, shown.firstTokenMs?.p50 ?? null, truth.p50);
    this.#isTime(`${what}: first token p95`, shown.firstTokenMs?.p95 ?? null, truth.p95);
  }

  async #overview(what: string, asked: Asked, secret: string | undefined): Promise<void> {
    const { fromMs, untilMs, account } = asked;
    const shown = await this.#ask('/overview', { from: iso(fromMs), until: iso(untilMs), account }, secret);
    const before = { ...asked, fromMs: fromMs - (untilMs - fromMs), untilMs: fromMs };
    for (const [name, span] of [
      ['now', asked],
      ['before', before],
    ] as const) {
      const [truth] = [...(await figuresBy(this.#client, span, [])).values()];
      this.#figures(`${what}: ${name}`, shown[name] as UsageFigures, truth!, true);
    }
    // The charts: each column begins with its hour or day.
    const bucket = { unit: String(shown['bucket']), zone: 'UTC' };
    const byTime = await figuresBy(this.#client, asked, [], bucket);
    const errors = shown['errors'] as { at: string; requests: number; caller: number; upstream: number }[];
    this.is(`${what}: columns of errors`, errors.length, byTime.size);
    for (const { at, requests, caller, upstream } of errors) {
      const truth = byTime.get(at);
      this.is(`${what}: errors ${at}`, [requests, caller, upstream], [truth?.recorded, truth?.caller, truth?.upstream]);
    }
    const spend = new Map<string, bigint>();
    for (const { at, costUsd } of shown['spendByModel'] as { at: string; costUsd: string }[])
      spend.set(at, (spend.get(at) ?? 0n) + BigInt(nanoOf(costUsd)));
    for (const [at, { nano }] of byTime) this.is(`${what}: spend ${at}`, String(spend.get(at) ?? 0n), nano);
    const byProvider = await figuresBy(this.#client, asked, ['provider'], bucket);
    for (const { at, provider, p95 } of shown['firstTokenByProvider'] as {
      at: string;
      provider: string;
      p95: number;
    }[])
      this.#isTime(`${what}: first token ${provider} ${at}`, p95, byProvider.get(`${at} ${provider}`)?.p95 ?? null);
    const keys = await figuresBy(this.#client, asked, ['account', 'key']);
    const names = await namesOf(this.#client);
    const top = [...keys].sort(([, one], [, other]) => Number(BigInt(other.nano) - BigInt(one.nano))).slice(0, 5);
    this.is(
      `${what}: keys that spend most`,
      (shown['topKeys'] as { accountId: string; keyId: string; name: string; costUsd: string }[]).map(
        ({ accountId, keyId, name, costUsd }) => [accountId, keyId, name, nanoOf(costUsd)],
      ),
      top.map(([group, { nano }]) => [...group.split(' '), names.get(group.split(' ')[1] ?? ''), nano]),
    );
    const models = await figuresBy(this.#client, asked, ['model']);
    const unpriced = (shown['needsALook'] as { kind: string; subject: string; requests: number }[])
      .filter(({ kind }) => kind === 'unpriced')
      .map(({ subject, requests }) => `${subject} ${requests}`);
    const missing = [...models].flatMap(([model, { unpriced: count }]) => (count > 0 ? [`${model} ${count}`] : []));
    this.is(`${what}: usage without a price`, unpriced.sort(), missing.sort());
  }

  async #requests(what: string, asked: Asked, range: Range, secret: string | undefined): Promise<void> {
    const { fromMs, untilMs, account } = asked;
    const path = secret === undefined ? '/requests' : `/accounts/${account}/requests`;
    const filter = {
      from: iso(fromMs),
      ...(range.kind === 'fixed' && { until: iso(untilMs) }),
      ...(secret === undefined && { account }),
    };
    const [truth] = [...(await figuresBy(this.#client, asked, [])).values()];
    for (const [outcome, count] of [
      [undefined, truth?.recorded],
      ['failed', truth?.errors],
    ] as const) {
      const ids = new Set<string>();
      for (let after: string | null | undefined; after !== null; ) {
        const page = await this.#ask(path, { ...filter, outcome, limit: '200', after }, secret);
        for (const { id } of page['items'] as { id: string }[]) ids.add(id);
        after = page['next'] as string | null;
      }
      this.is(`${what}: rows ${outcome ?? ''}`, ids.size, count);
    }
    const { bars, bucketSeconds } = await this.#ask(`${path}/histogram`, filter, secret);
    const counts = await countBy(this.#client, asked, Number(bucketSeconds));
    type Bar = { at: string; ok: number; caller: number; upstream: number; gateway: number };
    this.is(`${what}: bars`, (bars as Bar[]).length, counts.size);
    for (const { at, ok, caller, upstream, gateway } of bars as Bar[]) {
      const of = counts.get(Date.parse(at));
      const errors = caller + upstream + gateway;
      this.is(`${what}: bar ${at}`, [ok + errors, errors], [of?.recorded, of?.errors]);
    }
  }

  async #usage(what: string, asked: Asked, secret: string | undefined, isOperator: boolean): Promise<void> {
    const { fromMs, untilMs, account } = asked;
    const names = await namesOf(this.#client);
    const dimensions = [
      'model',
      'provider',
      'key',
      'member',
      'protocol',
      'outcome',
      'lane',
      ...(isOperator ? ['account'] : []),
    ];
    for (const by of dimensions) {
      const query = { from: iso(fromMs), until: iso(untilMs), by: askedBy(by, account), account };
      const { items } = await this.#ask('/usage', { ...query, latency: 'true' }, secret);
      const truths = await figuresBy(this.#client, asked, query.by.split(','));
      this.is(`${what} by ${by}: rows`, (items as SpendRow[]).length, truths.size);
      for (const row of items as SpendRow[]) {
        const group = groupOf(row, by);
        const truth = truths.get(group);
        if (truth === undefined) this.is(`${what} by ${by}: ${group}`, row.recorded, undefined);
        else this.#figures(`${what} by ${by}: ${group}`, row, truth, true);
        if (by === 'key') this.is(`${what}: name`, labelOf(row, by).split(' · ')[0], names.get(row.key ?? ''));
      }
    }
    for (const [unit, zone] of [
      ['day', 'Europe/Berlin'],
      ['hour', 'UTC'],
      ['month', 'America/New_York'],
    ] as const) {
      const query = { from: iso(fromMs), until: iso(untilMs), by: 'provider', bucket: unit, tz: zone, account };
      const { items } = await this.#ask('/usage', query, secret);
      const truths = await figuresBy(this.#client, asked, ['provider'], { unit, zone });
      this.is(`${what} by ${unit}: rows`, (items as SpendRow[]).length, truths.size);
      for (const row of items as SpendRow[]) {
        const group = `${row.at} ${row.provider}`;
        const truth = truths.get(group);
        if (truth === undefined) this.is(`${what} by ${unit} of ${zone}: ${group}`, row.recorded, undefined);
        else this.#figures(`${what} by ${unit} of ${zone}: ${group}`, row, truth, false);
      }
    }
  }

  async #providers(): Promise<void> {
    type Shown = {
      id: string;
      state: string;
      attempts: number;
      failedAttempts: number;
      errorShare: number | null;
      p95Ms: number | null;
    };
    const { items } = await this.#ask('/providers');
    const first = Math.floor(Date.now() / 900_000) * 900_000 - 95 * 900_000;
    const truths = await triesBy(this.#client, first, false);
    const cells = await triesBy(this.#client, first, true);
    const overview = await this.#ask('/overview');
    const failing = (overview['needsALook'] as { kind: string; subject: string }[]).filter(
      ({ kind }) => kind === 'provider-failing',
    );
    this.is(
      'overview: providers that fail',
      failing.map(({ subject }) => subject),
      [...truths].flatMap(([provider, { isFailing }]) => (isFailing ? [provider] : [])).sort(),
    );
    const metrics = await (await fetch(`${this.#stand.gateway.adminUrl}/metrics`)).text();
    for (const shown of items as Shown[]) {
      const { ok = 0, failed = 0, p95 = null, isFailing = false } = truths.get(shown.id) ?? {};
      const state = isFailing ? 'failing' : ok + failed > 0 ? 'available' : 'unknown';
      const truth = [state, ok + failed, failed, ok + failed > 0 ? failed / (ok + failed) : null];
      this.is(`providers: ${shown.id}`, [shown.state, shown.attempts, shown.failedAttempts, shown.errorShare], truth);
      this.#isTime(`providers: ${shown.id} p95`, shown.p95Ms, p95);
      this.is(
        `metrics: ${shown.id}`,
        metrics.includes(`trivium_provider_state{provider="${shown.id}",state="${state}"} 1`),
        true,
      );
      const page = await this.#ask(`/providers/${shown.id}`);
      this.is(
        `provider ${shown.id}`,
        [page['state'], page['attempts'], page['failedAttempts'], page['errorShare']],
        truth,
      );
      const strip = healthCells(page['history'] as never);
      this.is(`provider ${shown.id}: cells`, strip.length, 96);
      for (const cell of strip) {
        const of = cells.get(`${shown.id} ${cell.at}`);
        this.is(`provider ${shown.id}: cell ${iso(cell.at)}`, [cell.ok, cell.failed], [of?.ok ?? 0, of?.failed ?? 0]);
      }
    }
  }

  async #accounts(): Promise<void> {
    const { items } = await this.#ask('/accounts');
    const { rows } = await this.#client.query(`select id, name from accounts where kind <> 'internal' order by id`);
    const shown = (items as { id: string; name: string }[]).map(({ id, name }) => [id, name]).sort();
    this.is(
      'accounts',
      shown,
      rows.map(({ id, name }) => [id, name]),
    );
  }
}

const iso = (ms: number): string => new Date(ms).toISOString();
