/** What a host is asked, by format: a list of questions, or the reason why there is none. */
import type { Block, DialectId, TextAnswer, TextCall, Turn } from '@trivium/protocol/canonical';
import type { Target } from '../../kernel/target.ts';

const PROBE_IDS = [
  'plain',
  'streamed',
  'stop',
  'tools',
  'tools-second-turn',
  'structured',
  'thinking',
  'image',
  'caching',
  'caching-again',
  'count',
  'error',
] as const;
export type ProbeId = (typeof PROBE_IDS)[number];

export type Probe = {
  readonly id: ProbeId;
  readonly stream: boolean;
  /** Undefined: the model cannot do this. `before`: the answers so far. */
  readonly call: (target: Target, before: ReadonlyMap<ProbeId, TextAnswer>) => TextCall | undefined;
  /** What is wrong with what the answer means; undefined if nothing is. */
  readonly problem?: (answer: TextAnswer) => string | undefined;
};

/** Of a host that makes no text: how it is asked follows from its format. */
export type MediaProbe = { readonly id: ProbeId; readonly media: 'cheapest' | 'no model' };
export type AnyProbe = Probe | MediaProbe;
export const isOfMedia = (probe: AnyProbe): probe is MediaProbe => 'media' in probe;

const SHORT_OUTPUT = 64;
/** For models that reason unless it is switched off: that output counts, too. */
const MUSED_OUTPUT = 512;
const THOUGHT_OUTPUT = 1536;
/** Models that reason only when they are asked to. */
const QUIET: ReadonlySet<string> = new Set(['none', 'budget']);
const THOUGHT_BUDGET = 1024;
/** A prompt that every host with a cache would keep; the shortest prompts they keep have 1,024 to 2,048 tokens. */
const CACHED_SENTENCES = 260;
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC';

const said = (text: string): Turn => ({ role: 'user', blocks: [{ kind: 'text', text }] });

function textCall(target: Target, stream: boolean, turns: readonly Turn[], more: Partial<TextCall> = {}): TextCall {
  const isQuiet = QUIET.has(target.facts.model.thinking.kind);
  return {
    operation: 'text',
    model: target.modelId,
    stream,
    system: [],
    turns,
    tools: [],
    sampling: { maxOutputTokens: isQuiet ? SHORT_OUTPUT : MUSED_OUTPUT },
    usageWanted: { inStream: true, withCost: false },
    extras: {},
    ...more,
  };
}

const blocksOf = (answer: TextAnswer): readonly Block[] => answer.candidates[0]?.blocks ?? [];
const textOf = (answer: TextAnswer): string =>
  blocksOf(answer)
    .map((block) => (block.kind === 'text' ? block.text : ''))
    .join('');

const saysSomething = (answer: TextAnswer): string | undefined =>
  textOf(answer) === '' ? 'an answer without text' : undefined;

const TOOL = {
  kind: 'function',
  name: 'look_up',
  description: 'Looks up the temperature in a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
} as const;
const TOOL_QUESTION = said('How warm is it in Oslo? Use the tool.');

const toolCallsOf = (answer: TextAnswer | undefined): readonly Extract<Block, { kind: 'tool-call' }>[] =>
  answer === undefined ? [] : blocksOf(answer).filter((block) => block.kind === 'tool-call');

function secondTurn(target: Target, before: ReadonlyMap<ProbeId, TextAnswer>): TextCall | undefined {
  const first = before.get('tools');
  const calls = toolCallsOf(first);
  if (first === undefined || calls.length === 0) return undefined;
  const results = calls.map(
    ({ id, name }): Block => ({
      kind: 'tool-result',
      callId: id,
      name,
      content: [{ kind: 'text', text: '3 degrees' }],
      isError: false,
    }),
  );
  const turns: readonly Turn[] = [
    TOOL_QUESTION,
    { role: 'assistant', blocks: blocksOf(first) },
    { role: 'user', blocks: results },
  ];
  return textCall(target, true, turns, { tools: [TOOL] });
}

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;

function isCity(answer: TextAnswer): string | undefined {
  try {
    const value: unknown = JSON.parse(textOf(answer));
    const city = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['city'] : undefined;
    return typeof city === 'string' ? undefined : 'an object without the member that the schema requires';
  } catch {
    return 'text that is not JSON, though a schema was asked for';
  }
}

const SENTENCES = Array.from({ length: CACHED_SENTENCES }, (_, at) => `Line ${at} of the text.`).join('\n');

function cachedCall(target: Target): TextCall {
  const system: Block = { kind: 'text', text: SENTENCES, cache: {} };
  return textCall(target, false, [said('How does the text begin? Two words.')], { system: [system] });
}

const TEXT: readonly Probe[] = [
  {
    id: 'plain',
    stream: false,
    call: (target) => textCall(target, false, [said('Say hello.')]),
    problem: saysSomething,
  },
  {
    id: 'streamed',
    stream: true,
    call: (target) => textCall(target, true, [said('Say hello.')]),
    problem: saysSomething,
  },
  { id: 'count', stream: false, call: (target) => textCall(target, false, [said('Say hello.')]) },
  {
    id: 'error',
    stream: false,
    call: (target) => textCall(target, false, [said('Say hello.')], { sampling: { maxOutputTokens: SHORT_OUTPUT } }),
  },
  {
    id: 'stop',
    stream: false,
    call: (target) => {
      const call = textCall(target, false, [said('Count from 1 to 9, with spaces.')]);
      return { ...call, sampling: { ...call.sampling, stopSequences: ['5'] } };
    },
    problem: (answer) => (textOf(answer).includes('5') ? 'text beyond the stop sequence' : undefined),
  },
  {
    id: 'tools',
    stream: false,
    call: (target) =>
      target.facts.model.tools
        ? textCall(target, false, [TOOL_QUESTION], { tools: [TOOL], toolChoice: { mode: 'any' } })
        : undefined,
    problem: (answer) =>
      toolCallsOf(answer).length === 0 ? 'no call of the tool, though one was required' : undefined,
  },
  { id: 'tools-second-turn', stream: true, call: secondTurn, problem: saysSomething },
  {
    id: 'structured',
    stream: false,
    call: (target) =>
      target.facts.model.structuredOutput
        ? textCall(target, false, [said('Name a city.')], {
            output: { kind: 'schema', schema: SCHEMA, name: 'city', strict: true },
          })
        : undefined,
    problem: isCity,
  },
  {
    id: 'thinking',
    stream: true,
    call: (target) => {
      const { kind } = target.facts.model.thinking;
      if (kind === 'none') return undefined;
      const reasoning =
        kind === 'budget'
          ? { enabled: true, budgetTokens: THOUGHT_BUDGET, show: 'full' as const }
          : { enabled: true, show: 'full' as const };
      const sampling = { maxOutputTokens: THOUGHT_OUTPUT };
      return textCall(target, true, [said('Is 91 a prime? Answer yes or no.')], { reasoning, sampling });
    },
  },
  {
    id: 'image',
    stream: false,
    call: (target) =>
      target.inputModalities.has('image')
        ? textCall(target, false, [
            {
              role: 'user',
              blocks: [
                { kind: 'media', media: 'image', mimeType: 'image/png', source: { via: 'inline', base64: IMAGE } },
                { kind: 'text', text: 'Which colour is this? One word.' },
              ],
            },
          ])
        : undefined,
    problem: saysSomething,
  },
  { id: 'caching', stream: false, call: cachedCall },
  { id: 'caching-again', stream: false, call: cachedCall },
];

/** What each host of media is asked: the cheapest that it makes, and a model that it does not have. */
const MEDIA: readonly MediaProbe[] = [
  { id: 'plain', media: 'cheapest' },
  { id: 'error', media: 'no model' },
];
/** A job is submitted once: a refusal that is none would cost a clip. */
const CLIPS: readonly MediaProbe[] = [{ id: 'plain', media: 'cheapest' }];

/** The reason where there are no questions. */
const PROBES: Readonly<Record<DialectId, readonly Probe[] | readonly MediaProbe[] | string>> = {
  'openai-chat': TEXT,
  'openai-completions': 'no host is asked in it: only callers speak it',
  'openai-responses': TEXT,
  'anthropic-messages': TEXT,
  'google-generate': TEXT,
  'amazon-converse': TEXT,
  'openai-embeddings': MEDIA,
  'google-embed': MEDIA,
  'cohere-rerank': MEDIA,
  'voyage-rerank': MEDIA,
  'tei-rerank': MEDIA,
  'bedrock-rerank': MEDIA,
  'openai-moderations': MEDIA,
  'openai-images': MEDIA,
  'google-predict': MEDIA,
  'google-image': MEDIA,
  'ark-images': MEDIA,
  'bfl-images': MEDIA,
  'dashscope-images': MEDIA,
  'fal-queue': MEDIA,
  'fal-video': CLIPS,
  'google-operations': CLIPS,
  'ark-video': CLIPS,
  'dashscope-video': CLIPS,
  'kling-video': CLIPS,
  'minimax-video': CLIPS,
  'xai-video': CLIPS,
  'openai-videos': CLIPS,
  'openai-speech': MEDIA,
  'openai-transcription': MEDIA,
  'elevenlabs-speech': MEDIA,
  'elevenlabs-transcription': MEDIA,
  'deepgram-speech': MEDIA,
  'deepgram-transcription': MEDIA,
  'mistral-speech': MEDIA,
  'mistral-transcription': MEDIA,
  'google-speech': MEDIA,
  'google-transcription': MEDIA,
  'cartesia-speech': MEDIA,
  'cartesia-transcription': MEDIA,
  'assemblyai-transcription': MEDIA,
};

export const probesOf = (format: DialectId): readonly AnyProbe[] | string => PROBES[format];
