/** The record of a finished request: plain JSON, so that a journal on disk can store and restore it unchanged. */
import { FAULT_RULES, type Fault, inputTokens, type Loss, outputTokens, type Usage } from '@trivium/protocol/canonical';
import type { GrantClient } from '../../kernel/caller.ts';
import type { CostLine } from '../../kernel/price.ts';
import type {
  AttemptRecord,
  DecidedBy,
  InputBounds,
  LeftOut,
  PlainWeighed,
  RecordedOperation,
  RefusedRequest,
  RequestRecord,
  Suspect,
  Weighed,
} from '../../kernel/record.ts';
import type { Tags } from '../../kernel/tags.ts';
import { formatAttoUsd, formatPicoUsd } from '../../kernel/usd.ts';
import type { Redact } from '../../telemetry/redact.ts';
import { boundedMetadata, MAX_LOSSES } from '../../telemetry/usage-log.ts';
import { type AskedPreferences, askedPreferences } from './asked-preferences.ts';

/** Amounts are exact decimal USD. */
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
  /** The usage that the upstream reported, if implausible, and which limits it broke. */
  readonly suspect?: Suspect | undefined;
  readonly lines: readonly BillLine[];
  readonly unpriced: readonly string[];
  /** Upstream errors are redacted; only operators see them and the cost of failed attempts. */
  readonly attempts: readonly AttemptRecord[];
  readonly losses: readonly Loss[];
  readonly leftOut: readonly LeftOut[];
  /** Absent if there was one host and no routing preference. */
  readonly decision?: StoredDecision | undefined;
  /** The caller's own, if it stated some. */
  readonly preferences?: AskedPreferences | undefined;
  readonly strict?: true | undefined;
  /** The kind of program in which the person signed in. */
  readonly client?: GrantClient | undefined;
  readonly admittedMs?: number | undefined;
  /** The error message that the caller got, if the request failed. */
  readonly problem?: string | undefined;
  /** Refused requests of the same account without a record, since the previous record. */
  readonly unrecorded?: number | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Tags that the account has declared; a tag that the request does not have is empty. */
  readonly tags?: Tags | undefined;
  /** The same of a refused request, which sums by tag do not count. */
  readonly refusedTags?: Tags | undefined;
};

export type StoredDecision = {
  readonly decidedBy: DecidedBy;
  readonly weighed: readonly PlainWeighed[];
  readonly inputBounds?: InputBounds | undefined;
};

export type UsageEvent = {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  /** Absent in events of old releases, as are the next two. */
  readonly memberId?: string | undefined;
  readonly askedModel?: string | undefined;
  readonly operation?: RecordedOperation | undefined;
  /** Refused before it was admitted. */
  readonly refused?: true | undefined;
  readonly modelId: string;
  readonly provider: string | null;
  readonly protocol: string;
  /** `ok`, `cancelled` or the kind of fault; `interrupted` if the process died. */
  readonly outcome: 'ok' | 'interrupted' | Fault['kind'];
  readonly status: number;
  readonly receivedAtMs: number;
  readonly durationMs: number;
  readonly firstByteMs: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** 0 if nothing was charged. */
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

/** A secret in the wrong field must not become a key of the sums. */
export const redactedTags = (tags: Tags, redact: Redact): Tags =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, value === '' ? value : redact(value)]));

const NO_COST = 0n;
const MAX_ASKED_MODEL = 200;

/** Shorter in print than the clock's value, and precise enough. */
const tenths = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.round(ms * 10) / 10;

/** Every member by name: one object shape for all, and absent members are not printed. */
const attemptOf = (attempt: AttemptRecord): AttemptRecord => ({
  provider: attempt.provider,
  modelId: attempt.modelId,
  lane: attempt.lane,
  credential: attempt.credential,
  fault: attempt.fault,
  status: attempt.status,
  sealsStripped: attempt.sealsStripped,
  hedge: attempt.hedge,
  startMs: tenths(attempt.startMs),
  connectedMs: tenths(attempt.connectedMs),
  sentMs: tenths(attempt.sentMs),
  headMs: tenths(attempt.headMs),
  firstContentMs: tenths(attempt.firstContentMs),
  endMs: tenths(attempt.endMs),
  durationMs: tenths(attempt.durationMs) ?? 0,
  waitMs: tenths(attempt.waitMs),
  retryAfterMs: attempt.retryAfterMs,
  operatorCost: attempt.operatorCost,
  heard: attempt.heard,
});

const weighedOf = (weighed: Weighed): PlainWeighed => ({
  ...weighed,
  // Rounded down: a latency keeps its class, so that the plan can be made again from its record.
  firstTokenMs: weighed.firstTokenMs === undefined ? undefined : Math.floor(weighed.firstTokenMs * 10) / 10,
  picoUsd: weighed.picoUsd?.toString(),
});

const decisionOf = ({ decidedBy, weighed = [], inputBounds }: RequestRecord): StoredDecision | undefined =>
  decidedBy === undefined ? undefined : { decidedBy, weighed: weighed.map(weighedOf), inputBounds };

export const usageEventOf = (record: RequestRecord, redact: Redact): UsageEvent => {
  const { bill, fault, firstByteMs, losses = [], metadata, tags } = record;
  const usage = bill?.usage ?? record.reading?.usage ?? {};
  const nano = record.chargedNanoUsd ?? bill?.cost.nanoUsd ?? NO_COST;
  // A stream that failed later had already sent a 200.
  const begun = record.how === 'done' || firstByteMs !== undefined;
  return {
    requestId: record.requestId,
    accountId: record.accountId,
    keyId: record.keyId,
    memberId: record.memberId,
    askedModel: record.askedModel?.slice(0, MAX_ASKED_MODEL),
    operation: record.operation,
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
      attempts: record.attempts.map(attemptOf),
      losses: losses.slice(0, MAX_LOSSES),
      leftOut: record.leftOut ?? [],
      decision: decisionOf(record),
      preferences: record.preferences && askedPreferences(record.preferences, redact),
      strict: record.strict === true ? true : undefined,
      client: record.client,
      admittedMs: tenths(record.admittedMs),
      problem: fault?.message,
      metadata: metadata === undefined ? undefined : boundedMetadata(metadata, redact),
      tags: tags === undefined ? undefined : redactedTags(tags, redact),
    },
  };
};

/** A refusal names the requested model, which may be a secret in the wrong field. */
export const withoutSecrets = (refused: RefusedRequest, redact: Redact): RefusedRequest => ({
  ...refused,
  ...(refused.askedModel !== undefined && { askedModel: redact(refused.askedModel.slice(0, MAX_ASKED_MODEL)) }),
  ...(refused.tags !== undefined && { tags: redactedTags(refused.tags, redact) }),
  fault: { ...refused.fault, message: redact(refused.fault.message) },
});

/** `refused` contains no secrets. `unrecorded`: how many refusals before it left no event. */
export const refusalEventOf = (refused: RefusedRequest, unrecorded: number, redact: Redact): UsageEvent => ({
  requestId: refused.requestId,
  accountId: refused.caller?.accountId ?? '',
  keyId: refused.caller?.keyId ?? '',
  memberId: refused.caller?.memberId,
  askedModel: refused.askedModel,
  operation: refused.operation,
  refused: true,
  // Callers invent such names: sums do not use them.
  modelId: '',
  provider: null,
  protocol: refused.protocol,
  outcome: refused.fault.kind,
  status: FAULT_RULES[refused.fault.kind].status,
  receivedAtMs: refused.receivedAtMs,
  durationMs: Math.round(refused.durationMs),
  firstByteMs: null,
  inputTokens: 0,
  outputTokens: 0,
  costNano: '0',
  estimated: false,
  priceVersion: null,
  details: {
    stream: false,
    usage: {},
    lines: [],
    unpriced: [],
    attempts: [],
    losses: [],
    leftOut: [],
    preferences: refused.preferences && askedPreferences(refused.preferences, redact),
    problem: refused.fault.message,
    refusedTags: refused.tags,
    unrecorded: unrecorded > 0 ? unrecorded : undefined,
  },
});
