/** What is kept of a finished request: plain JSON, so that a journal on disk can hold it and bring it back unchanged. */
import { FAULT_RULES, type Fault, inputTokens, type Loss, outputTokens, type Usage } from '@trivium/protocol/canonical';
import { formatPicoUsd } from '../catalogue/exact-price.ts';
import type { LeftOut, RequestRecord, Suspect } from '../kernel/record.ts';
import type { CostLine } from '../prices/cost.ts';
import { formatAttoUsd } from '../prices/rounding.ts';
import type { Redact } from '../telemetry/redact.ts';
import { boundedMetadata, MAX_LOSSES } from '../telemetry/usage-log.ts';

/** Amounts are decimal USD, exact. */
export type BillLine = {
  readonly meter: string;
  readonly kind: string;
  readonly quantity: number;
  readonly unit: string;
  readonly priceUsd: string;
  readonly amountUsd: string;
};

export type UsageDetails = {
  readonly stream: boolean;
  readonly lane?: string | undefined;
  readonly laneWhy?: string | undefined;
  /** As charged. */
  readonly usage: Usage;
  /** What the upstream reported where it cannot be true, and which limits it broke. */
  readonly suspect?: Suspect | undefined;
  readonly lines: readonly BillLine[];
  readonly unpriced: readonly string[];
  readonly attempts: readonly Omit<RequestRecord['attempts'][number], 'heard'>[];
  readonly losses: readonly Loss[];
  readonly leftOut: readonly LeftOut[];
  readonly metadata?: Readonly<Record<string, string>> | undefined;
};

export type UsageEvent = {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly modelId: string;
  readonly provider: string | null;
  readonly protocol: string;
  /** `ok`, `cancelled` or the kind of fault; `interrupted` where the process died. */
  readonly outcome: 'ok' | 'interrupted' | Fault['kind'];
  readonly status: number;
  readonly receivedAtMs: number;
  readonly durationMs: number;
  readonly firstByteMs: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Nothing where nothing was charged. */
  readonly costNano: string;
  readonly estimated: boolean;
  readonly priceVersion: string | null;
  readonly details: UsageDetails;
};

const lineOf = ({ meter, kind, quantity, unit, picoUsd, attoUsd }: CostLine): BillLine => ({
  meter,
  kind,
  quantity,
  unit,
  priceUsd: formatPicoUsd(picoUsd),
  amountUsd: formatAttoUsd(attoUsd),
});

const NO_COST = 0n;

export const usageEventOf = (record: RequestRecord, redact: Redact): UsageEvent => {
  const { bill, fault, firstByteMs, losses = [], metadata } = record;
  const usage = bill?.usage ?? record.reading?.usage ?? {};
  const nano = record.chargedNanoUsd ?? bill?.cost.nanoUsd ?? NO_COST;
  // A stream that failed had already been promised a 200.
  const begun = record.how === 'done' || firstByteMs !== undefined;
  return {
    requestId: record.requestId,
    accountId: record.accountId,
    keyId: record.keyId,
    modelId: record.modelId,
    provider: record.provider ?? null,
    protocol: record.protocol,
    outcome: fault?.kind ?? (record.how === 'gone' ? 'cancelled' : 'ok'),
    status: begun || fault === undefined ? 200 : FAULT_RULES[fault.kind].status,
    receivedAtMs: record.receivedAtMs,
    durationMs: Math.round(record.durationMs),
    firstByteMs: firstByteMs === undefined ? null : Math.round(firstByteMs),
    inputTokens: inputTokens(usage),
    outputTokens: outputTokens(usage),
    costNano: nano.toString(),
    estimated: bill?.estimated ?? false,
    priceVersion: bill?.cost.priceVersion ?? null,
    details: {
      stream: record.stream,
      lane: record.lane,
      laneWhy: record.laneWhy,
      usage,
      suspect: bill?.suspect,
      lines: bill?.cost.lines.map(lineOf) ?? [],
      unpriced: bill?.cost.unpriced ?? [],
      attempts: record.attempts.map(({ heard: _, ...attempt }) => attempt),
      losses: losses.slice(0, MAX_LOSSES),
      leftOut: record.leftOut ?? [],
      metadata: metadata === undefined ? undefined : boundedMetadata(metadata, redact),
    },
  };
};
