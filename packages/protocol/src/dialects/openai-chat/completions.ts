/**
 * The older form of this format, with a prompt instead of messages. The prompt becomes one message of a chat request, and
 * the answer is written as one text, but at hosts that have this form themselves. Refused is what would change the text and no chat host can do.
 */
import { type Static, Type } from 'typebox';
import type { TextAnswer } from '../../canonical/answer.ts';
import type { TokenLogprob } from '../../canonical/content.ts';
import type { Event, FinishReason } from '../../canonical/events.ts';
import type { Spelling } from '../../canonical/fields.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { type Loss, PathLosses } from '../../canonical/loss.ts';
import { mergeUsage, type Usage } from '../../canonical/usage.ts';
import { loseBlocked, loseFinish, loseNotes } from '../../passes/untold-notes.ts';
import type { Machine } from '../../stream/machine.ts';
import { checkWith, compile, isGiven, Maybe, malformed, unsupported } from '../checking.ts';
import type { AnswerContext, Dialect, EncodedAnswer, Frame, RequestHead, Understanding } from '../dialect.ts';
import { BAD_TOOL_CALL } from './encode-answer.ts';
import { DONE } from './encode-stream.ts';
import { encodeFault } from './faults.ts';
import { UNFIT, writeFinish } from './finish.ts';
import { openaiChat } from './index.ts';
import { nativeLane, nativeRequest } from './native-completions.ts';
import { quirksOf } from './quirks.ts';
import { spelling } from './stances.ts';
import { withCost, writeUsage } from './usage.ts';

export const CompletionsWire = Type.Object({
  model: Type.String({ minLength: 1 }),
  prompt: Type.Unknown(),
  suffix: Maybe(Type.String()),
  echo: Maybe(Type.Boolean()),
  best_of: Maybe(Type.Integer({ minimum: 1, maximum: 1 })),
  logprobs: Maybe(Type.Integer({ minimum: 0, maximum: 5 })),
  n: Maybe(Type.Integer({ minimum: 1, maximum: 1 })),
  max_tokens: Maybe(Type.Integer({ minimum: 1 })),
  temperature: Maybe(Type.Number()),
  top_p: Maybe(Type.Number()),
  frequency_penalty: Maybe(Type.Number({ minimum: -2, maximum: 2 })),
  presence_penalty: Maybe(Type.Number({ minimum: -2, maximum: 2 })),
  stop: Maybe(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 4 })])),
  logit_bias: Maybe(Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 }))),
  seed: Maybe(Type.Integer()),
  stream: Maybe(Type.Boolean()),
  stream_options: Maybe(Type.Object({ include_usage: Maybe(Type.Boolean()) })),
  user: Maybe(Type.String()),
});
type CompletionsWire = Static<typeof CompletionsWire>;

const request = compile(CompletionsWire);

/** Of chat requests: a text without messages has no place for what they lead to. */
const OF_CHAT = ['messages', 'tools', 'tool_choice', 'functions', 'function_call', 'modalities', 'audio'] as const;

/** A list of one is what many clients make of a single prompt. */
function promptIn({ prompt }: CompletionsWire): string {
  const one = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt;
  if (typeof one === 'string' && one !== '') return one;
  if (Array.isArray(one) || typeof one === 'number')
    throw unsupported('prompt', 'must be one text: send a request for each, and texts instead of tokens');
  throw malformed('prompt', 'must be a text');
}

function understand(body: JsonObject, head?: RequestHead): Understanding {
  const wire = checkWith(request, body, '');
  const text = promptIn(wire);
  for (const name of OF_CHAT) if (isGiven(body[name])) throw unsupported(name, 'is for chat completions');
  if (isGiven(wire.suffix) && wire.suffix !== '') throw unsupported('suffix', 'is not supported by chat models');
  const wantsLogprobs = isGiven(wire.logprobs);
  if (wire.echo === true && wantsLogprobs) throw unsupported('echo', 'cannot be combined with logprobs');
  const { prompt, suffix, echo, best_of, logprobs, ...others } = body;
  const understood = openaiChat.server.understand(
    {
      ...others,
      messages: [{ role: 'user', content: text }],
      ...(wantsLogprobs && { logprobs: true, top_logprobs: wire.logprobs as number }),
    },
    head,
  );
  const { responseOptions } = understood;
  return {
    ...understood,
    responseOptions: { ...responseOptions, ...(wire.echo === true && { echo: { prompt: text } }) },
    verbatim: (target) =>
      quirksOf(target).completions
        ? nativeRequest(understood.verbatim(target), body)
        : { why: 'a prompt becomes a message' },
  };
}

const promptOf = ({ responseOptions }: AnswerContext): string => String(responseOptions.echo?.['prompt'] ?? '');

const headOf = ({ requestId, createdAtSeconds, model }: AnswerContext): JsonObject => ({
  id: `cmpl-${requestId}`,
  object: 'text_completion',
  created: createdAtSeconds,
  model,
});

const choiceOf = (text: string, finish: string | null, logprobs: JsonObject | null): JsonObject => ({
  index: 0,
  text,
  logprobs,
  finish_reason: finish,
});

/** A call that was not asked for is no text: it is lost, and the text has ended. */
const finishOf = (reason: FinishReason, refused: boolean): string =>
  reason === 'tool-call' ? 'stop' : writeFinish(reason, refused);

/** Tokens with their places in the text. */
function logprobsOf(tokens: readonly TokenLogprob[], from: number): JsonObject | null {
  if (tokens.length === 0) return null;
  const offsets: number[] = [];
  let at = from;
  for (const { token } of tokens) {
    offsets.push(at);
    at += token.length;
  }
  return {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ alternatives }) =>
      Object.fromEntries(alternatives.map(({ token, logprob }) => [token, logprob])),
    ),
    text_offset: offsets,
  };
}

const isText = (kind: string): boolean => kind === 'text' || kind === 'refusal';

/** Only text has a place in a text; hidden thoughts are not missed. */
function loseBlock(kind: string, { responseOptions }: AnswerContext, losses: PathLosses): void {
  const isHidden = responseOptions.hideReasoning && (kind === 'thinking' || kind === 'redacted');
  if (!isText(kind) && !isHidden) losses.add(`choices[0].${kind}`);
}

const CITED = 'choices[0].citations';

function encodeAnswer(answer: TextAnswer, context: AnswerContext): EncodedAnswer {
  const candidate = answer.candidates[0];
  const losses = new PathLosses();
  loseNotes(candidate?.extras, losses);
  loseFinish(candidate?.finish, 'choices[0].finish_reason', UNFIT, losses);
  loseBlocked(answer.promptBlocked, losses);
  if (candidate?.finish.reason === 'bad-tool-call') throw new GatewayError(BAD_TOOL_CALL);
  const blocks = candidate?.blocks ?? [];
  for (const block of blocks) {
    loseBlock(block.kind, context, losses);
    if (block.kind === 'text' && (block.citations ?? []).length > 0) losses.add(CITED);
  }
  const refused = blocks.some(({ kind }) => kind === 'refusal');
  const texts = blocks.flatMap((block) => (block.kind === 'text' || block.kind === 'refusal' ? [block] : []));
  const tokens = context.responseOptions.logprobs ? texts.flatMap(({ logprobs = [] }) => logprobs) : [];
  const finish = candidate === undefined ? 'content_filter' : finishOf(candidate.finish.reason, refused);
  const written = promptOf(context) + texts.map(({ text }) => text).join('');
  return {
    body: {
      ...headOf(context),
      choices: [choiceOf(written, finish, logprobsOf(tokens, 0))],
      usage: withCost(writeUsage(answer.usage), answer.usage, context),
    },
    losses: losses.all,
  };
}

const NOTHING: readonly Frame[] = [];

class CompletionsEncoder implements Machine<Event, Frame> {
  readonly #context: AnswerContext;
  readonly #head: JsonObject;
  readonly #losses = new PathLosses();
  /** Indexes of blocks whose text is part of the answer. */
  readonly #texts = new Set<number>();
  #refused = false;
  #length = 0;
  /** Wait for their text. */
  #tokens: readonly TokenLogprob[] = [];
  #usage: Usage = {};

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#head = headOf(context);
  }

  losses(): readonly Loss[] {
    return this.#losses.all;
  }

  push(event: Event): readonly Frame[] {
    switch (event.type) {
      case 'answer-start':
        return [this.#chunk(promptOf(this.#context))];
      case 'block-start':
        loseBlock(event.block.kind, this.#context, this.#losses);
        if (isText(event.block.kind)) this.#texts.add(event.index);
        if (event.block.kind === 'refusal') this.#refused = true;
        return NOTHING;
      case 'block-delta':
        return this.#texts.has(event.index) ? [this.#chunk(event.text)] : NOTHING;
      case 'block-note':
        if (event.note.citation !== undefined) this.#losses.add(CITED);
        if (this.#context.responseOptions.logprobs && this.#texts.has(event.index))
          this.#tokens = [...this.#tokens, ...(event.note.logprobs ?? [])];
        return NOTHING;
      case 'block-seal':
      case 'block-end':
        return NOTHING;
      case 'usage-update':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return NOTHING;
      case 'answer-note':
        if (event.candidate === 0) loseNotes(event.extras, this.#losses);
        return NOTHING;
      case 'answer-end':
        if (event.finish.reason === 'bad-tool-call') return [this.#frame(encodeFault(BAD_TOOL_CALL).body)];
        loseFinish(event.finish, 'choices[0].finish_reason', UNFIT, this.#losses);
        return this.#finish(finishOf(event.finish.reason, this.#refused));
      case 'prompt-blocked':
        loseBlocked(event, this.#losses);
        return this.#finish('content_filter');
      case 'answer-fault':
        return [this.#frame(encodeFault(event.fault).body)];
    }
  }

  end(): readonly Frame[] {
    return NOTHING;
  }

  #finish(reason: string): readonly Frame[] {
    const last = this.#chunk('', reason);
    if (!this.#context.responseOptions.usageInStream) return [last, DONE];
    const usage = withCost(writeUsage(this.#usage), this.#usage, this.#context);
    return [last, this.#frame({ ...this.#head, choices: [], usage }), DONE];
  }

  #chunk(text: string, finish: string | null = null): Frame {
    const logprobs = logprobsOf(this.#tokens, this.#length);
    this.#tokens = [];
    this.#length += text.length;
    return this.#frame({ ...this.#head, choices: [choiceOf(text, finish, logprobs)] });
  }

  readonly #frame = (body: JsonObject): Frame => ({ data: JSON.stringify(body) });
}

/** Losses are named by members of this form: all of a message is in the prompt. */
const ownSpelling = Object.fromEntries(
  Object.entries<string>({
    ...spelling,
    'sampling.maxOutputTokens': 'max_tokens',
    'sampling.topLogprobs': 'logprobs',
  }).map(([field, name]) => [field, name.startsWith('messages') ? 'prompt' : name]),
) as Spelling;

const KNOWN: ReadonlySet<string> = new Set(Object.keys(CompletionsWire.properties));

/** Its client half is that of chat completions, beside which some hosts have it. */
export const openaiCompletions: Dialect = {
  ...openaiChat,
  id: 'openai-completions',
  beside: { dialect: 'openai-chat', action: 'completions' },
  verbatim: nativeLane(headOf),
  server: {
    ...openaiChat.server,
    understand,
    encodeAnswer,
    eventEncoder: (context) => new CompletionsEncoder(context),
    spelling: ownSpelling,
    knows: (member) => KNOWN.has(member) || openaiChat.server.knows(member),
    caching: { prompt: ['prompt'], groupMember: 'prompt_cache_key' },
  },
};
