/**
 * Names of spans, attributes and events. The conventions for generative AI are still in development, so every name is
 * defined here once; `TRACE_NAMES_VERSION` changes whenever one of them does, and every span carries it as the version
 * of its scope. `docs/operate/traces.md` has the same table, which a test compares.
 */
export const TRACE_NAMES_VERSION = '1';
export const SCOPE_NAME = 'trivium';

export const ATTRIBUTES = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  stream: 'gen_ai.request.stream',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  firstChunkSeconds: 'gen_ai.response.time_to_first_chunk',
  status: 'http.response.status_code',
  errorType: 'error.type',
  requestId: 'trivium.request.id',
  account: 'trivium.account.id',
  key: 'trivium.key.id',
  member: 'trivium.member.id',
  protocol: 'trivium.protocol',
  lane: 'trivium.lane',
  laneWhy: 'trivium.lane.reason',
  costUsd: 'trivium.cost.usd',
  isEstimated: 'trivium.usage.estimated',
  losses: 'trivium.losses',
  attempts: 'trivium.attempts',
  attempt: 'trivium.attempt.number',
  hedge: 'trivium.attempt.hedge',
  waitMs: 'trivium.attempt.wait_ms',
  credential: 'trivium.attempt.credential',
  operatorCostUsd: 'trivium.attempt.operator_cost.usd',
  upstreamRequestId: 'trivium.attempt.upstream_request.id',
  errorCode: 'trivium.attempt.error_code',
} as const;

export const EVENTS = {
  admitted: 'trivium.admitted',
  connected: 'trivium.connected',
  sent: 'trivium.sent',
  head: 'trivium.response_head',
  firstToken: 'gen_ai.first_token',
} as const;

/** Values of `gen_ai.operation.name`; the first two are defined by the conventions. */
export const OPERATION_NAMES: Readonly<Record<string, string>> = {
  text: 'chat',
  embed: 'embeddings',
  rerank: 'rerank',
  moderate: 'moderation',
  image: 'image_generation',
  video: 'video_generation',
  speech: 'speech',
  transcription: 'transcription',
};
