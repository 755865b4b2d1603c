/**
 * A gateway with a strict simulator, both over real HTTP, for all tests outside the packages.
 * Configured through the same loader as a deployment, so that a test can set up only what an operator can.
 */
import { type Config, type Gateway, type Log, loadConfig, type RequestRecord, startGateway } from '@trivium/gateway';
import { type Simulator, startSimulator } from '@trivium/simulator';
import { watchContract } from '../contract/watch.ts';

export const KEY = 'sk-trivium-test-0123456789abcdefghijklmnopqrstuvwxyz';
export const STRICT_KEY = 'sk-trivium-strict-0123456789abcdefghijklmnopqrstuv';
export const LIMITED_KEY = 'sk-trivium-limited-0123456789abcdefghijklmnopqrst';
export const UPSTREAM_SECRET = 'sk-upstream-canary-0123456789';

export type Stand = {
  readonly url: string;
  readonly chatUrl: string;
  readonly gateway: Gateway;
  readonly simulator: Simulator;
  /** Records of finished requests, newest last. */
  readonly records: RequestRecord[];
  close(): Promise<void>;
};

/**
 * `openai/*` reaches the simulator as strict OpenAI, `compatible/*` as a vLLM-like host, `nameless/*` as one
 * that takes no names on messages: a name there forces the translated lane.
 */
const CONFIG = (simulatorUrl: string): Record<string, unknown> => ({
  listen: { host: '127.0.0.1', port: 0 },
  admin: { host: '127.0.0.1', port: 0 },
  log: { level: 'silent' },
  // Hosts fail on purpose in these tests. Tests of health and budgets set their own limits.
  retries: { budgetPercent: 200, maxWaitMs: 1 },
  health: { failures: 1_000_000, stalls: 1_000_000 },
  // Gateway, upstream and callers share one event loop here, so its delay does not show an overload of the gateway.
  overload: { lagMs: 0 },
  keys: [
    { name: 'test', secret: KEY },
    { name: 'strict', secret: STRICT_KEY, strict: true },
    { name: 'limited', secret: LIMITED_KEY, models: ['openai/gpt-4o'] },
  ],
  providers: {
    openai: { credential: UPSTREAM_SECRET, baseUrl: `${simulatorUrl}/openai/v1` },
    compatible: { dialect: 'openai-chat', baseUrl: `${simulatorUrl}/compatible/v1`, credential: UPSTREAM_SECRET },
    anthropic: { credential: UPSTREAM_SECRET, baseUrl: `${simulatorUrl}/anthropic` },
    google: { credential: UPSTREAM_SECRET, baseUrl: `${simulatorUrl}/google/v1beta` },
    nameless: {
      dialect: 'openai-chat',
      baseUrl: `${simulatorUrl}/compatible@nameless/v1`,
      credential: UPSTREAM_SECRET,
      quirks: { messageNames: false },
    },
  },
  models: [
    {
      id: 'openai/gpt-4o',
      ...OWN_MODEL,
      inputModalities: ['text', 'image', 'audio', 'file'],
      endpoints: [{ provider: 'openai' }],
    },
    {
      // The same model by way of Responses.
      id: 'openai/gpt-4o-r',
      ...OWN_MODEL,
      inputModalities: ['text', 'image', 'file'],
      endpoints: [{ provider: 'openai', dialect: 'openai-responses', upstreamModel: 'gpt-4o' }],
    },
    { id: 'openai/gpt-5', ...OWN_MODEL, capabilities: THINKING, endpoints: [{ provider: 'openai' }] },
    {
      id: 'compatible/any',
      ...OWN_MODEL,
      inputModalities: ['text', 'image'],
      endpoints: [{ provider: 'compatible', upstreamModel: 'any' }],
    },
    {
      id: 'compatible/thinker',
      ...OWN_MODEL,
      capabilities: THINKING,
      endpoints: [{ provider: 'compatible', upstreamModel: 'thinker' }],
    },
    {
      id: 'anthropic/claude-sonnet-4-5',
      ...OWN_MODEL,
      inputModalities: ['text', 'image', 'file'],
      capabilities: BUDGETED,
      endpoints: [{ provider: 'anthropic', dialect: 'anthropic-messages' }],
    },
    {
      id: 'google/gemini-2.5-flash',
      ...OWN_MODEL,
      inputModalities: ['text', 'image', 'audio', 'video', 'file'],
      capabilities: { ...BUDGETED, thinking: { ...BUDGETED.thinking, min: 1, max: 24_576 } },
      endpoints: [{ provider: 'google', dialect: 'google-generate' }],
    },
    { id: 'nameless/any', ...OWN_MODEL, endpoints: [{ provider: 'nameless', upstreamModel: 'any' }] },
    {
      id: 'nameless/thinker',
      ...OWN_MODEL,
      capabilities: THINKING,
      endpoints: [{ provider: 'nameless', upstreamModel: 'thinker' }],
    },
  ],
});

const OWN_MODEL = { contextLength: 128_000, maxOutputTokens: 16_384 };
const THINKING = {
  tools: true,
  structuredOutput: true,
  temperature: true,
  thinking: { kind: 'effort', levels: ['low', 'medium', 'high'] },
};

const BUDGETED = {
  tools: true,
  structuredOutput: true,
  temperature: true,
  thinking: { kind: 'budget', canDisable: true, min: 1024, max: 16_000 },
};

export type StandOptions = {
  /** Takes the place of the silent log. */
  readonly log?: Log;
  /** Merged over the stand's own config, member by member. */
  readonly config?: (simulatorUrl: string) => Record<string, unknown>;
  /** Hosts and models beside the stand's own. */
  readonly alsoHosts?: (
    simulatorUrl: string,
    simulator?: Simulator,
  ) => {
    readonly providers: Record<string, unknown>;
    readonly models: readonly unknown[];
  };
};

/** The stand's config, loaded as a deployment's is; also what a test may reload a running stand with. */
export function standConfig(simulatorUrl: string, options: StandOptions = {}, simulator?: Simulator): Config {
  const own = CONFIG(simulatorUrl);
  const also = options.alsoHosts?.(simulatorUrl, simulator);
  const merged = {
    ...own,
    ...(also && {
      providers: { ...(own['providers'] as object), ...also.providers },
      models: [...(own['models'] as unknown[]), ...also.models],
    }),
    ...options.config?.(simulatorUrl),
  };
  const loaded = loadConfig({ text: JSON.stringify(merged), env: {} });
  if ('problems' in loaded)
    throw new Error(loaded.problems.map(({ place, message }) => `${place}: ${message}`).join('\n'));
  return loaded.config;
}

export async function openStand(options: StandOptions = {}): Promise<Stand> {
  const simulator = await startSimulator({});
  const records: RequestRecord[] = [];
  const gateway = await startGateway({
    config: standConfig(simulator.url, options, simulator),
    onRecord: (record) => records.push(record),
    ...(options.log !== undefined && { log: options.log }),
  });
  const contract = watchContract(Number(new URL(gateway.url).port), simulator);
  return {
    url: gateway.url,
    chatUrl: `${gateway.url}/api/v1`,
    gateway,
    simulator,
    records,
    close: async () => {
      await gateway.close();
      await simulator.close();
      contract.finish();
    },
  };
}

export type ChatReply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
};

/** One POST to the chat endpoint; the body is sent as given when it is text. */
export async function postChat(stand: Stand, body: unknown, headers: Record<string, string> = {}): Promise<ChatReply> {
  const response = await fetch(`${stand.chatUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parseOr(text) };
}

const parseOr = (text: string): Record<string, unknown> => {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};
