/**
 * Samples of each format: recorded shapes of real hosts, fixtures, and what the simulator answers in the formats of which no
 * types are published. Neither holds content of anyone.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { SseReader } from '@trivium/protocol/framing';
import { type ScenarioName, scenarioNames, simulatedAccessKey, startSimulator } from '@trivium/simulator';
import { AwsEventStream } from '../../packages/gateway/src/upstream/aws-event-stream.ts';
import { type Shape, shapes } from '../../tests/recorded/shape-set.ts';
import { signedHeaders } from './sign-converse.ts';

export type Sample =
  | { readonly root: string; readonly value: unknown; readonly frames?: never }
  | {
      readonly root: 'stream';
      readonly frames: readonly SampleFrame[];
      readonly isWhole: boolean;
      readonly isPart?: true;
    };
export type SampleFrame = { readonly event?: string; readonly data: unknown; readonly repeated?: number };

const MAX_FRAME_LENGTH = 1 << 24;

export function framesOf(text: string): SampleFrame[] {
  const frames: SampleFrame[] = [];
  const reader = new SseReader(MAX_FRAME_LENGTH);
  const take = ({ event, data }: { readonly event?: string; readonly data: string }): void => {
    frames.push({ ...(event !== undefined && { event }), data: data.startsWith('{') ? JSON.parse(data) : data });
  };
  reader.push(text, take);
  reader.end(take);
  return frames;
}

const COUNTS: Readonly<Record<string, string>> = {
  'anthropic-count': 'anthropic-messages',
  'google-count': 'google-generate',
};
const ROOTS: Readonly<Record<string, 'answer' | 'error'>> = { response: 'answer', error: 'error' };

/** Asked for with words as numbers, which none of our calls asks for. */
const NUMBERED: ReadonlySet<string> = new Set(['generate-091']);

export function recordedSamples(dialect: string, from: readonly Shape[] = shapes): Sample[] {
  return from.flatMap(({ id, dialect: of, kind, shape }): Sample[] => {
    if (NUMBERED.has(id)) return [];
    if (COUNTS[of] === dialect && kind === 'response') return [{ root: 'count', value: shape }];
    if (of !== dialect) return [];
    // Recordings of streams are often cut short.
    if (kind === 'stream')
      return Array.isArray(shape)
        ? [{ root: 'stream', frames: shape as unknown as SampleFrame[], isWhole: false }]
        : [];
    const root = ROOTS[kind];
    return root === undefined ? [] : [{ root, value: shape }];
  });
}

const FIXTURES = new URL('../../packages/protocol/fixtures/wire/', import.meta.url);

export function fixtureSamples(dialect: string): Sample[] {
  const folder = new URL(`${dialect}/`, FIXTURES);
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch {
    return [];
  }
  const read = (name: string, file: string): string | undefined => {
    try {
      return readFileSync(new URL(`${name}/${file}`, folder), 'utf8');
    } catch {
      return undefined;
    }
  };
  return names.flatMap((name): Sample[] => {
    const [answer, stream] = [read(name, 'answer.json'), read(name, 'stream.sse')];
    return [
      ...(answer === undefined ? [] : [{ root: 'answer' as const, value: JSON.parse(answer) as unknown }]),
      ...(stream === undefined ? [] : [{ root: 'stream' as const, frames: framesOf(stream), isWhole: true }]),
    ];
  });
}

const CONVERSE_STOPS = [
  'end_turn',
  'tool_use',
  'max_tokens',
  'stop_sequence',
  'guardrail_intervened',
  'content_filtered',
  'malformed_model_output',
  'malformed_tool_use',
  'model_context_window_exceeded',
];
const SPAN = { documentIndex: 0, start: 0, end: 1 };
const LOCATIONS = {
  documentChar: SPAN,
  documentPage: SPAN,
  documentChunk: SPAN,
  searchResultLocation: { searchResultIndex: 0, start: 0, end: 1 },
  web: {},
};

/** From the service's own description: the words of a stop, what stands only in some answers, and the least of each. */
export function describedSamples(dialect: string): Sample[] {
  if (dialect === 'openai-responses')
    return [{ root: 'count', value: { object: 'response.input_tokens', input_tokens: 1 } }];
  if (dialect !== 'amazon-converse') return [];
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const latency = { metrics: { latencyMs: 1 } };
  const cited = { citationsContent: { content: [], citations: [{}, { location: {} }, { location: LOCATIONS }] } };
  const thought = { reasoningContent: { reasoningText: { text: '' } } };
  const rest = {
    trace: { guardrail: {} },
    performanceConfig: { latency: 'standard' },
    serviceTier: { type: 'default' },
  };
  const streamed = (event: string, data: object): Sample => ({
    root: 'stream',
    frames: [{ event, data }],
    isWhole: false,
    isPart: true,
  });
  return [
    ...CONVERSE_STOPS.map((stopReason): Sample => {
      const message = { role: 'assistant', content: [{ text: '' }, thought, cited] };
      return { root: 'answer', value: { output: { message }, stopReason, usage, ...latency } };
    }),
    {
      root: 'answer',
      value: {
        output: { message: { role: 'assistant', content: [] } },
        stopReason: 'end_turn',
        usage,
        ...latency,
        ...rest,
        additionalModelResponseFields: null,
      },
    },
    ...CONVERSE_STOPS.map((stopReason) => streamed('messageStop', { stopReason })),
    streamed('messageStop', { stopReason: 'end_turn', additionalModelResponseFields: null }),
    streamed('messageStart', { role: 'assistant' }),
    streamed('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: '', name: '' } } }),
    streamed('contentBlockDelta', { contentBlockIndex: 0, delta: { text: '' } }),
    streamed('contentBlockStop', { contentBlockIndex: 0 }),
    streamed('metadata', { usage, ...latency }),
    streamed('metadata', { usage, ...latency, ...rest }),
    { root: 'count', value: { inputTokens: 1 } },
    { root: 'error', value: { message: '' } },
  ];
}

type Road = {
  readonly path: (stream: boolean) => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: (stream: boolean) => object;
};

const TOOL = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const PROMPT = 'What is it?';
const GOOGLE_BODY = {
  contents: [{ role: 'user', parts: [{ text: PROMPT }] }],
  tools: [{ functionDeclarations: [{ name: 'look', description: 'looks', parameters: TOOL }] }],
  generationConfig: { thinkingConfig: { includeThoughts: true } },
};
const generatePath = (stream: boolean): string =>
  `gemini-2.5-flash:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;

const CHAT = (model: string) => (stream: boolean) => ({
  model,
  stream,
  ...(stream && { stream_options: { include_usage: true } }),
  messages: [{ role: 'user', content: PROMPT }],
  tools: [{ type: 'function', function: { name: 'look', description: 'looks', parameters: TOOL } }],
});

/** A request of each format that allows as many kinds of answers as one request can. */
const ROADS: Readonly<Record<string, readonly Road[]>> = {
  'openai-chat': [
    { path: () => '/openai/v1/chat/completions', headers: { authorization: 'Bearer k' }, body: CHAT('gpt-4o') },
    { path: () => '/compatible/v1/chat/completions', headers: { authorization: 'Bearer k' }, body: CHAT('any') },
  ],
  'openai-responses': [
    {
      path: () => '/openai/v1/responses',
      headers: { authorization: 'Bearer k' },
      body: (stream) => ({
        model: 'gpt-5',
        stream,
        store: false,
        include: ['reasoning.encrypted_content'],
        reasoning: { summary: 'auto' },
        input: PROMPT,
        tools: [{ type: 'function', name: 'look', description: 'looks', parameters: TOOL, strict: false }],
      }),
    },
  ],
  'anthropic-messages': [
    {
      path: () => '/anthropic/v1/messages',
      headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      body: (stream) => ({
        model: 'claude-sonnet-4-5',
        stream,
        max_tokens: 4096,
        thinking: { type: 'enabled', budget_tokens: 1024 },
        messages: [{ role: 'user', content: PROMPT }],
        tools: [{ name: 'look', description: 'looks', input_schema: TOOL }],
      }),
    },
  ],
  'google-generate': [
    {
      path: (stream) => `/google/v1beta/models/${generatePath(stream)}`,
      headers: { 'x-goog-api-key': 'k' },
      body: () => GOOGLE_BODY,
    },
  ],
  'amazon-converse': [
    {
      path: (stream) =>
        `/bedrock/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/${stream ? 'converse-stream' : 'converse'}`,
      headers: {},
      body: () => ({
        messages: [{ role: 'user', content: [{ text: PROMPT }] }],
        inferenceConfig: { maxTokens: 4096 },
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } },
        toolConfig: { tools: [{ toolSpec: { name: 'look', description: 'looks', inputSchema: { json: TOOL } } }] },
      }),
    },
  ],
};

/** Habits of strange hosts and usage that is wrong on purpose: not what is known of a format. */
const STRANGE =
  /^(usage-(negative|odd|absent|every-chunk|in-choice|x-groq|finish)|tools-(index|same|finish)|tool-(late|id)|function-call)/;
const STATUSES = [400, 401, 403, 404, 413, 429, 500, 503, 529];

export async function simulatedSamples(dialect: string): Promise<Sample[]> {
  const roads = ROADS[dialect] ?? [];
  const simulator = await startSimulator();
  try {
    const samples: Sample[] = [];
    for (const road of roads) {
      const ask = async (stream: boolean, instruction: string): Promise<void> => {
        const path = road.path(stream);
        const body = JSON.stringify(road.body(stream));
        simulator.arm(instruction);
        const signed =
          dialect === 'amazon-converse'
            ? await signedHeaders(new URL(simulator.url + path), body, simulatedAccessKey)
            : {};
        const headers = { 'content-type': 'application/json', ...road.headers, ...signed };
        const reply = await fetch(simulator.url + path, { method: 'POST', headers, body });
        const bytes = Buffer.from(await reply.arrayBuffer());
        const text = bytes.toString('utf8');
        const type = reply.headers.get('content-type') ?? '';
        if (type.includes('eventstream'))
          samples.push({ root: 'stream', frames: framesOf(new AwsEventStream().write(bytes)), isWhole: true });
        else if (type.includes('event-stream')) samples.push({ root: 'stream', frames: framesOf(text), isWhole: true });
        else if (text.startsWith('{')) samples.push({ root: reply.ok ? 'answer' : 'error', value: JSON.parse(text) });
      };
      for (const scenario of scenarioNames().filter((name: ScenarioName) => name !== 'task' && !STRANGE.test(name)))
        for (const stream of [false, true]) await ask(stream, `scenario=${scenario}`);
      for (const status of STATUSES) await ask(false, `status=${status}`);
    }
    return samples;
  } finally {
    await simulator.close();
  }
}
