/** Records of requests as the admin API shows them. */
import type { AttemptRecord, CanaryDecision, PlainWeighed } from '../../kernel/record.ts';
import { formatNanoUsd } from '../../kernel/usd.ts';
import { causeOf } from '../../money/usage/cause.ts';
import type { StoredDecision, UsageEvent } from '../../money/usage/event.ts';
import { classOf } from '../../money/usage/outcome-class.ts';
import { type RecordRow, rowOf } from '../../money/usage/record-query.ts';
import type { RequestAttempt, RequestDecision, RequestDetail, RequestRow } from './contract.ts';

const textOrNull = (text: string): string | null => (text === '' ? null : text);

export const requestRow = (row: RecordRow, keyName: string | undefined): RequestRow => ({
  id: row.requestId,
  receivedAt: new Date(row.receivedAtMs).toISOString(),
  accountId: textOrNull(row.accountId),
  keyId: textOrNull(row.keyId),
  keyName: keyName ?? null,
  memberId: row.memberId,
  askedModel: row.askedModel,
  model: textOrNull(row.model),
  provider: row.provider,
  protocol: row.protocol,
  operation: row.operation,
  stream: row.stream,
  lane: row.lane,
  outcome: row.outcome,
  outcomeClass: classOf(row.outcome),
  status: row.status,
  refused: row.refused,
  inputTokens: row.inputTokens,
  outputTokens: row.outputTokens,
  cachedTokens: row.cachedTokens,
  costUsd: row.isUnpriced ? null : formatNanoUsd(row.costNano),
  estimated: row.estimated,
  firstTokenMs: row.firstTokenMs,
  durationMs: row.durationMs,
  attempts: row.attempts,
  losses: row.losses,
});

function attemptView(attempt: AttemptRecord, isOperator: boolean): RequestAttempt {
  const { provider, modelId, lane, fault, status, heard, operatorCost, credential } = attempt;
  const { startMs, connectedMs, sentMs, headMs, firstContentMs, endMs, waitMs, retryAfterMs, hedge, sealsStripped } =
    attempt;
  return {
    provider,
    model: modelId ?? null,
    lane,
    outcome: fault ?? 'ok',
    status: status ?? heard?.status ?? null,
    ...(startMs !== undefined && { startMs }),
    ...(connectedMs !== undefined && { connectedMs }),
    ...(sentMs !== undefined && { sentMs }),
    ...(headMs !== undefined && { headMs }),
    ...(firstContentMs !== undefined && { firstContentMs }),
    ...(endMs !== undefined && { endMs }),
    ...(waitMs !== undefined && { waitMs }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(hedge !== undefined && { hedge }),
    ...(sealsStripped !== undefined && { sealsStripped }),
    ...(isOperator && credential !== undefined && { credential }),
    ...(isOperator && heard !== undefined && { error: heard }),
    ...(isOperator &&
      operatorCost !== undefined && {
        operatorCost: {
          usage: { ...operatorCost.usage },
          estimated: operatorCost.estimated,
          costUsd: formatNanoUsd(BigInt(operatorCost.nanoUsd)),
        },
      }),
  };
}

/** Blended price: three input tokens per output token, in pico-dollars per million of each. */
const MIXED_TOKENS = 4;
const PICO = 1e12;

const weighedView = (weighed: PlainWeighed): RequestDecision['order'][number] => ({
  provider: weighed.provider,
  model: weighed.modelId,
  fit: weighed.fit ?? null,
  room: weighed.room ?? null,
  firstTokenMs: weighed.firstTokenMs ?? null,
  waiting: weighed.waiting,
  usdPerMillion: weighed.picoUsd === undefined ? null : Number(weighed.picoUsd) / MIXED_TOKENS / PICO,
  isMaker: weighed.isMaker,
  holdsCache: weighed.holdsCache,
  contextLength: weighed.contextLength === 0 ? null : weighed.contextLength,
});

const decisionView = ({ decidedBy, weighed, inputBounds }: StoredDecision): RequestDecision => ({
  decidedBy: decidedBy.hosts,
  modelsBy: decidedBy.models === undefined ? null : { ...decidedBy.models },
  promptTokens: inputBounds === undefined ? null : { ...inputBounds },
  order: weighed.map(weighedView),
  ...(decidedBy.policies !== undefined && { policies: decidedBy.policies.map((one) => ({ ...one })) }),
  ...(decidedBy.canary !== undefined && { canary: canaryView(decidedBy.canary) }),
  ...(decidedBy.onLimit !== undefined && { onLimit: { ...decidedBy.onLimit } }),
});

const canaryView = ({ policy, percent, sentTo }: CanaryDecision): NonNullable<RequestDecision['canary']> => ({
  policy,
  percent,
  sentTo: sentTo === undefined ? null : { provider: sentTo.provider, model: sentTo.modelId },
});

/** `isOperator`: also upstream errors, the credential that was used, and the cost of failed attempts. */
export function requestDetail(event: UsageEvent, keyName: string | undefined, isOperator: boolean): RequestDetail {
  const { details, durationMs } = event;
  const { admittedMs, suspect, decision } = details;
  return {
    ...requestRow(rowOf(event), keyName),
    cause: isOperator || event.outcome === 'ok' ? causeOf(event) : (details.problem ?? event.outcome),
    problem: details.problem ?? null,
    unrecorded: details.unrecorded ?? 0,
    strict: details.strict === true,
    client: details.client ?? null,
    laneWhy: details.laneWhy ?? null,
    stages:
      admittedMs === undefined
        ? []
        : [
            { name: 'admit', startMs: 0, endMs: admittedMs },
            { name: 'upstream', startMs: admittedMs, endMs: durationMs },
          ],
    attempts: details.attempts.map((attempt) => attemptView(attempt, isOperator)),
    decision: decision === undefined ? null : decisionView(decision),
    leftOut: details.leftOut.map(({ provider, modelId, why, contextLength, policy }) => ({
      provider,
      model: modelId,
      why,
      ...(policy !== undefined && { policy }),
      ...(contextLength !== undefined && { contextLength }),
    })),
    losses: details.losses.map(({ path, why }) => ({ field: path, why })),
    usage: { ...details.usage },
    suspect: suspect === undefined ? null : { why: [...suspect.why], reported: { ...suspect.reported } },
    costLines: details.lines.map((line) => ({ ...line })),
    unpriced: [...details.unpriced],
    priceVersion: event.priceVersion,
    metadata: details.metadata === undefined ? null : { ...details.metadata },
    tags: { ...details.tags },
  };
}
