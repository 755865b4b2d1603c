/**
 * A finished request as its caller may read it: which hosts were tried, why, and with what result. Never content, never
 * an address.
 */
import type {
  CanaryDecision,
  DecidedBy,
  ExplainedRequest,
  InputBounds,
  LeftOut,
  PlainWeighed,
  Weighed,
} from '../../kernel/record.ts';

export const requestView = (request: ExplainedRequest): object => ({
  object: 'request',
  id: request.requestId,
  created: Math.floor(request.receivedAtMs / 1000),
  protocol: request.protocol,
  model: request.modelId,
  stream: request.stream,
  provider: request.provider,
  outcome: request.outcome,
  lane: request.lane === undefined ? null : { kind: request.lane, why: request.laneWhy ?? null },
  losses: request.losses.map(({ path, why }) => ({ field: path, why })),
  usage: request.usage,
  usage_basis: request.usageBasis,
  suspect: request.suspect ?? null,
  cost_usd: request.costUsd,
  first_token_ms: request.firstByteMs,
  duration_ms: request.durationMs,
  attempts: request.attempts.map(({ provider, lane, fault, durationMs }) => ({
    provider,
    lane,
    outcome: fault ?? 'ok',
    duration_ms: roundMs(durationMs),
  })),
  decision: decisionView(request.decision ?? {}),
});

export type Decided = {
  readonly decidedBy?: DecidedBy | undefined;
  readonly weighed?: readonly (Weighed | PlainWeighed)[] | undefined;
  readonly leftOut?: readonly LeftOut[] | undefined;
  readonly inputBounds?: InputBounds | undefined;
};

/** Null if there was nothing to decide. */
export const decisionView = ({ decidedBy, weighed, leftOut, inputBounds }: Decided): object | null =>
  decidedBy === undefined
    ? null
    : {
        decided_by: decidedBy.hosts,
        ...(decidedBy.policies !== undefined && { policies: decidedBy.policies }),
        ...(decidedBy.canary !== undefined && { canary: canaryView(decidedBy.canary) }),
        ...(decidedBy.onLimit !== undefined && { on_limit: decidedBy.onLimit }),
        models_by: decidedBy.models === undefined ? null : modelsView(decidedBy.models),
        prompt_tokens:
          inputBounds === undefined ? null : { at_least: inputBounds.atLeast, at_most: inputBounds.atMost },
        order: (weighed ?? []).map(weighedView),
        left_out: (leftOut ?? []).map(({ provider, modelId, why, contextLength, policy }) => ({
          provider,
          model: modelId,
          why,
          ...(policy !== undefined && { policy }),
          ...(contextLength !== undefined && { context_length: contextLength }),
        })),
      };

const canaryView = ({ policy, percent, sentTo }: CanaryDecision): object => ({
  policy,
  percent,
  sent_to: sentTo === undefined ? null : { provider: sentTo.provider, model: sentTo.modelId },
});

const modelsView = ({ taskType, complexity, estimated }: NonNullable<DecidedBy['models']>): object => ({
  task_type: taskType,
  complexity,
  estimated,
});

const weighedView = (weighed: Weighed | PlainWeighed): object => ({
  provider: weighed.provider,
  model: weighed.modelId,
  fit: weighed.fit ?? null,
  room: weighed.room ?? null,
  scores: {
    first_token_ms: weighed.firstTokenMs === undefined ? null : roundMs(weighed.firstTokenMs),
    waiting: weighed.waiting,
    usd_per_million: weighed.picoUsd === undefined ? null : usdPerMillion(Number(weighed.picoUsd)),
    maker: weighed.isMaker,
    holds_cache: weighed.holdsCache,
    context_length: weighed.contextLength === 0 ? null : weighed.contextLength,
  },
});

const roundMs = (ms: number): number => Math.round(ms * 100) / 100;

/** Three input tokens and one output token: a quarter of the figure is the price of a blended token. */
const MIXED_TOKENS = 4;
const PICO = 1e12;
const usdPerMillion = (picoUsd: number): number => picoUsd / MIXED_TOKENS / PICO;
