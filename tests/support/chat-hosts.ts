/** Hosts with one quirk each, so that a test can name the one it needs. All are played by the simulator. */
import type { ChatQuirks } from '@trivium/protocol/dialects';
import { UPSTREAM_SECRET } from './stand.ts';

const QUIRKS = {
  'cool-host': { temperatureMax: 1 },
  'nameless-host': { messageNames: false },
  'object-host': { jsonMode: 'object' },
  'plain-host': { jsonMode: 'none' },
  'bias-free-host': { logitBias: false, logprobs: false, verbosity: false },
  'one-stop-host': { stopMax: 1 },
  'single-call-host': { parallelToolCallsField: false },
  'unforced-host': { toolChoiceAny: 'none', toolChoiceNamed: false },
  'loose-host': { strictTools: false },
  'penalty-free-host': { penalties: false },
  'budget-host': { reasoningWrite: 'enable-thinking' },
  'switch-host': { reasoningWrite: 'thinking-type' },
  'detail-host': { reasoningRead: ['reasoning_details', 'reasoning_content'] },
  'forgetful-host': { reasoningReplay: 'forbidden' },
  'short-id-host': { toolCallIdLength: 9 },
  'instruction-host': { systemRole: 'system', multipleSystem: false },
} as const satisfies Record<string, Partial<ChatQuirks>>;

export type PeculiarHost = keyof typeof QUIRKS;

/** The model of a host with this quirk. */
export const modelAt = (host: PeculiarHost): string => `${host}/model`;

const THINKING: readonly string[] = ['budget-host', 'switch-host', 'detail-host', 'forgetful-host'];

export const peculiarHosts = (
  simulatorUrl: string,
): { providers: Record<string, unknown>; models: readonly unknown[] } => ({
  providers: Object.fromEntries(
    Object.entries(QUIRKS).map(([host, quirks]) => [
      host,
      { dialect: 'openai-chat', baseUrl: `${simulatorUrl}/compatible@${host}/v1`, credential: UPSTREAM_SECRET, quirks },
    ]),
  ),
  models: Object.keys(QUIRKS).map((host) => ({
    id: `${host}/model`,
    contextLength: 128_000,
    maxOutputTokens: 16_384,
    ...(THINKING.includes(host) && {
      capabilities: { thinking: { kind: 'effort', canDisable: true, levels: ['low', 'medium', 'high'] } },
    }),
    endpoints: [{ provider: host, upstreamModel: 'model' }],
  })),
});
