/** A finished request as its caller may read it: who was asked, why, and how it went. Never content, never an address. */
import type { DecidedBy, InputBounds, LeftOut, RequestRecord, Weighed } from '../kernel/record.ts';
import { formatNanoUsd } from '../prices/rounding.ts';

export const requestView = (record: RequestRecord): object => ({
  object: 'request',
  id: record.requestId,
  created: Math.floor(record.receivedAtMs / 1000),
  protocol: record.protocol,
  model: record.modelId,
  stream: record.stream,
  provider: record.provider ?? null,
  outcome: record.fault?.kind ?? (record.how === 'gone' ? 'cancelled' : 'ok'),
  lane: record.lane === undefined ? null : { kind: record.lane, why: record.laneWhy ?? null },
  losses: (record.losses ?? []).map(({ path, why }) => ({ field: path, why })),
  usage: record.bill?.usage ?? {},
  usage_basis: record.bill?.estimated === false ? 'reported' : 'estimated',
  suspect: record.bill?.suspect ?? null,
  cost_usd: costView(record),
  first_token_ms: record.firstByteMs === undefined ? null : roundMs(record.firstByteMs),
  duration_ms: roundMs(record.durationMs),
  attempts: record.attempts.map(({ provider, lane, fault, durationMs }) => ({
    provider,
    lane,
    outcome: fault ?? 'ok',
    duration_ms: roundMs(durationMs),
  })),
  decision: decisionView(record),
});

/** An exact decimal; null where nothing was charged, or some of it has no price. */
const costView = ({ bill, chargedNanoUsd }: RequestRecord): string | null =>
  bill === undefined || bill.cost.unpriced.length > 0 ? null : formatNanoUsd(chargedNanoUsd ?? bill.cost.nanoUsd);

export type Decided = {
  readonly decidedBy?: DecidedBy | undefined;
  readonly weighed?: readonly Weighed[] | undefined;
  readonly leftOut?: readonly LeftOut[] | undefined;
  readonly inputBounds?: InputBounds | undefined;
};

/** Null where there was nothing to decide. */
export const decisionView = ({ decidedBy, weighed, leftOut, inputBounds }: Decided): object | null =>
  decidedBy === undefined
    ? null
    : {
        decided_by: decidedBy.hosts,
        models_by: decidedBy.models === undefined ? null : modelsView(decidedBy.models),
        prompt_tokens:
          inputBounds === undefined ? null : { at_least: inputBounds.atLeast, at_most: inputBounds.atMost },
        order: (weighed ?? []).map(weighedView),
        left_out: (leftOut ?? []).map(({ provider, modelId, why, contextLength }) => ({
          provider,
          model: modelId,
          why,
          ...(contextLength !== undefined && { context_length: contextLength }),
        })),
      };

const modelsView = ({ taskType, complexity, estimated }: NonNullable<DecidedBy['models']>): object => ({
  task_type: taskType,
  complexity,
  estimated,
});

const weighedView = (weighed: Weighed): object => ({
  provider: weighed.provider,
  model: weighed.modelId,
  fit: weighed.fit ?? null,
  room: weighed.room ?? null,
  scores: {
    first_token_ms: weighed.firstTokenMs === undefined ? null : roundMs(weighed.firstTokenMs),
    waiting: weighed.waiting,
    usd_per_million: weighed.picoUsd === undefined ? null : usdPerMillion(weighed.picoUsd),
    maker: weighed.isMaker,
    holds_cache: weighed.holdsCache,
    context_length: weighed.contextLength === 0 ? null : weighed.contextLength,
  },
});

const roundMs = (ms: number): number => Math.round(ms * 100) / 100;

/** Three tokens that go in and one that comes out: a quarter of the figure is the price of a mixed token. */
const MIXED_TOKENS = 4;
const PICO = 1e12;
const usdPerMillion = (picoUsd: bigint): number => Number(picoUsd) / MIXED_TOKENS / PICO;
