/** What an account may read about itself: one request, sums of its usage, its spend, the key of the call. */
import { GatewayError, type JsonObject } from '@trivium/protocol/canonical';
import type { Caller } from '../../kernel/caller.ts';
import { NO_SUCH_REQUEST, type OwnQuestion, type OwnReports } from '../../kernel/reports.ts';
import { formatNanoUsd } from '../../kernel/usd.ts';
import type { BillLine, UsageDetails, UsageEvent } from './event.ts';
import { readQuestion, type UsageQuestion } from './question.ts';
import { DAY_MS, daysAround, plainIdOf, stampOf } from './request-stamp.ts';

export type StoredUsage = {
  readonly request_id: string;
  readonly key_id: string;
  readonly model_id: string;
  readonly provider: string | null;
  readonly protocol: string;
  readonly outcome: string;
  readonly status: number;
  readonly received_at: Date;
  readonly duration_ms: number;
  readonly first_byte_ms: number | null;
  readonly cost_nano: bigint;
  readonly estimated: boolean;
  readonly price_version: string | null;
  readonly details: UsageDetails;
};

export type UsageSum = {
  readonly day?: string;
  readonly hour?: Date;
  readonly model?: string;
  readonly key?: string;
  readonly provider?: string;
  readonly requests: bigint;
  readonly failed: bigint;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly cost_nano: bigint;
};

export interface UsageReader {
  find(
    accountId: string,
    requestId: string,
    days?: { readonly first: string; readonly last: string },
  ): Promise<StoredUsage | undefined>;
  sums(accountId: string, question: UsageQuestion): Promise<readonly UsageSum[]>;
  spent(accountId: string, keyId?: string): Promise<bigint>;
}

/** The ledger's state of an account, if there is a ledger. */
export type ReportedBalance = { readonly kind: string; readonly creditNano: bigint; readonly pendingNano: bigint };

export type ReportPorts = {
  readonly nowMs: () => number;
  readonly reader: UsageReader | undefined;
  /** Finished requests that are not stored yet. */
  readonly recent: (requestId: string) => UsageEvent | undefined;
  readonly balance?: (accountId: string) => Promise<ReportedBalance | undefined>;
};

const NOTHING_KEPT = new GatewayError({
  kind: 'unknown-operation',
  message: 'This gateway keeps no usage: its operator has configured no database.',
  code: 'usage_not_kept',
});

export class UsageReports implements OwnReports {
  readonly #ports: ReportPorts;

  constructor(ports: ReportPorts) {
    this.#ports = ports;
  }

  async read(caller: Caller, what: OwnQuestion, query: ReadonlyMap<string, string>): Promise<JsonObject> {
    switch (what) {
      case 'generation':
        return { data: await this.generation(caller.accountId, query.get('id')) };
      case 'usage':
        return this.usage(caller.accountId, query);
      case 'credits':
        return { data: await this.#credits(caller) };
      case 'key':
        return { data: await this.#key(caller) };
    }
  }

  /** One request, as soon as it is over. */
  async generation(accountId: string, given: string | undefined): Promise<JsonObject> {
    if (given === undefined)
      throw new GatewayError({ kind: 'malformed', message: 'id must be the id of a request.', field: 'id' });
    const id = plainIdOf(given);
    if (id === undefined) throw NO_SUCH_REQUEST;
    const recent = this.#ports.recent(id);
    if (recent !== undefined) {
      if (recent.accountId !== accountId) throw NO_SUCH_REQUEST;
      return generationOf(storedOf(recent));
    }
    const made = stampOf(id);
    if (made === undefined || made > this.#ports.nowMs() + DAY_MS) throw NO_SUCH_REQUEST;
    const [first, , last] = daysAround(made);
    const row = await this.#ports.reader?.find(accountId, id, { first, last });
    if (row === undefined) throw NO_SUCH_REQUEST;
    return generationOf(row);
  }

  async usage(accountId: string, query: ReadonlyMap<string, string>): Promise<JsonObject> {
    const question = readQuestion(query, this.#ports.nowMs());
    const sums = await this.#reader.sums(accountId, question);
    const { from, until } = question;
    return { from, until, data: sums.map(sumOf) };
  }

  async #credits({ accountId }: Caller): Promise<JsonObject> {
    const { balance, reader } = this.#ports;
    const [spent, known] = await Promise.all([reader?.spent(accountId), balance?.(accountId)]);
    return {
      account: accountId,
      kind: known?.kind ?? 'unlimited',
      spent_usd: spent === undefined ? null : formatNanoUsd(spent),
      credit_usd: known === undefined ? null : formatNanoUsd(known.creditNano),
      pending_usd: known === undefined ? null : formatNanoUsd(known.pendingNano),
    };
  }

  async #key({ accountId, keyId, strict }: Caller): Promise<JsonObject> {
    const spent = await this.#ports.reader?.spent(accountId, keyId);
    return { key: keyId, account: accountId, strict, spent_usd: spent === undefined ? null : formatNanoUsd(spent) };
  }

  get #reader(): UsageReader {
    const { reader } = this.#ports;
    if (reader === undefined) throw NOTHING_KEPT;
    return reader;
  }
}

const storedOf = (event: UsageEvent): StoredUsage => ({
  request_id: event.requestId,
  key_id: event.keyId,
  model_id: event.modelId,
  provider: event.provider,
  protocol: event.protocol,
  outcome: event.outcome,
  status: event.status,
  received_at: new Date(event.receivedAtMs),
  duration_ms: event.durationMs,
  first_byte_ms: event.firstByteMs,
  cost_nano: BigInt(event.costNano),
  estimated: event.estimated,
  price_version: event.priceVersion,
  details: event.details,
});

const lineOf = ({ meter, kind, quantity, unit, priceUsd, amountUsd }: BillLine): JsonObject => ({
  meter,
  kind,
  quantity,
  unit,
  price_usd: priceUsd,
  amount_usd: amountUsd,
});

const generationOf = ({ details, ...row }: StoredUsage): JsonObject => ({
  id: row.request_id,
  created_at: row.received_at.toISOString(),
  model: row.model_id,
  provider: row.provider,
  key: row.key_id,
  protocol: row.protocol,
  stream: details.stream,
  lane: details.lane ?? null,
  lane_why: details.laneWhy ?? null,
  outcome: row.outcome,
  status: row.status,
  usage: { ...details.usage },
  estimated: row.estimated,
  suspect:
    details.suspect === undefined ? null : { why: details.suspect.why, reported: { ...details.suspect.reported } },
  cost_usd: details.unpriced.length > 0 ? null : formatNanoUsd(row.cost_nano),
  cost_lines: details.lines.map(lineOf),
  unpriced: [...details.unpriced],
  price_version: row.price_version,
  duration_ms: row.duration_ms,
  first_byte_ms: row.first_byte_ms,
  // Only operators see the cost of failed attempts and upstreams' error texts.
  attempts: details.attempts.map(({ provider, lane, fault, sealsStripped, hedge, durationMs }) => ({
    provider,
    lane,
    ...(fault !== undefined && { fault }),
    ...(sealsStripped !== undefined && { sealsStripped }),
    ...(hedge !== undefined && { hedge }),
    durationMs,
  })),
  losses: details.losses.map((loss) => ({ ...loss })),
  left_out: details.leftOut.map((one) => ({ ...one })),
  metadata: details.metadata === undefined ? null : { ...details.metadata },
});

const sumOf = ({ hour, requests, failed, input_tokens, output_tokens, cost_nano, ...groups }: UsageSum) => ({
  ...groups,
  ...(hour !== undefined && { hour: hour.toISOString() }),
  requests: Number(requests),
  failed: Number(failed),
  input_tokens: Number(input_tokens),
  output_tokens: Number(output_tokens),
  cost_usd: formatNanoUsd(cost_nano),
});

export type ShownSum = ReturnType<typeof sumOf>;
