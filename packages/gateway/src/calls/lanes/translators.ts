/** Chooses the translator of an answer: by the caller's format, the target's format, and the lane of the request. */
import type { Produced, Usage } from '@trivium/protocol/canonical';
import { type AnswerContext, estimateOutputTokens } from '@trivium/protocol/dialects';
import { StopWatch } from '@trivium/protocol/stream';
import type { MediaFetcher } from '../../kernel/media.ts';
import type { RedactUpstream } from '../../kernel/redact.ts';
import type { SealMemory } from '../../kernel/seals.ts';
import { answersWithText, type Target } from '../../kernel/target.ts';
import { estimateInput } from '../admit/bill.ts';
import { isHeavyAnswer, LIGHT_CHARACTERS } from '../heavy-work.ts';
import type { Lane, WholeAnswer } from '../lane.ts';
import type { Planned } from '../request.ts';
import { ArrayStream } from './array.ts';
import { imageAnswer, imageStream } from './images.ts';
import { SealTap } from './recall-seals.ts';
import { soundStream, transcriptAnswer } from './sound.ts';
import { type AnswerPasses, TranslatedStream } from './translated.ts';
import { StreamTranslator, type Translator, type TranslatorLimits } from './translator.ts';
import { VerbatimStream } from './verbatim.ts';
import { textAnswer, WholeTranslator } from './whole.ts';

export type TranslatorPorts = {
  readonly limits: TranslatorLimits;
  readonly redact: RedactUpstream;
  readonly seals?: SealMemory;
  /** For images that upstreams return as a URL. */
  readonly results?: MediaFetcher;
};

/** Parses a large answer on another thread. */
type ReadOnThread = (body: string, seals: SealMemory | undefined) => Promise<WholeAnswer>;

export type AnswerOf = {
  readonly planned: Planned;
  readonly target: Target;
  readonly lane: Lane;
  readonly context: AnswerContext;
  /** Absent: large answers are parsed on this thread. */
  readonly onThread?: ReadOnThread | undefined;
};

/** `costUsd` is called only if the caller asked for the cost. */
export function answerContext(
  planned: Planned,
  target: Target,
  { kind, toolNames }: Lane,
  costUsd: (usage: Usage) => number | undefined,
): AnswerContext {
  const { understanding, head, id, receivedAtMs } = planned;
  const { responseOptions, stream } = understanding;
  return {
    requestId: id,
    model: target.modelId,
    createdAtSeconds: Math.floor(receivedAtMs / 1000),
    responseOptions,
    ...(head.sealing !== undefined && { sealing: head.sealing }),
    ...(kind === 'translated' && stream && { estimateInput: () => estimateInput(planned) }),
    ...(toolNames !== undefined && { toolNames }),
    ...(responseOptions.withCost && { costUsd }),
  };
}

export function translatorFor(answer: AnswerOf, ports: TranslatorPorts): Translator {
  const { planned, lane } = answer;
  const passes = passesOf(planned, lane, ports.seals);
  const stream = planned.understanding.stream ? streamOf(answer, passes, ports) : undefined;
  if (stream === undefined) return wholeTranslator(answer, passes, ports);
  return planned.head.asArray === true && stream instanceof StreamTranslator ? new ArrayStream(stream) : stream;
}

function streamOf(
  { planned, target, lane, context }: AnswerOf,
  passes: AnswerPasses | undefined,
  { limits }: TranslatorPorts,
): Translator | undefined {
  const sound = soundStream(planned, target, context, limits);
  if (sound !== undefined) return sound;
  const { dialect } = planned;
  if (dialect.operation === 'image') return imageStream(dialect.server, target, context, limits.answerLength);
  if (dialect.operation !== 'text' || !answersWithText(target)) return undefined;
  return lane.kind === 'verbatim'
    ? new VerbatimStream(dialect, context, target, limits)
    : new TranslatedStream(dialect, context, target, limits, passes);
}

/** Also for answers that were requested as a stream and come whole: a refusal that withholds an image. */
export function wholeTranslator(
  { planned, target, lane, context, onThread }: AnswerOf,
  passes: AnswerPasses | undefined,
  { limits, redact, results, seals }: TranslatorPorts,
): Translator {
  const { dialect, understanding } = planned;
  const { answerLength, jsonDepth } = limits;
  if (dialect.operation === 'image') {
    const { stream } = understanding;
    const read = (body: string) => imageAnswer(dialect.server, target, context, body, { stream, results, redact });
    return new WholeTranslator(target, answerLength, read);
  }
  if (dialect.operation === 'transcription')
    return new WholeTranslator(target, answerLength, (body) =>
      transcriptAnswer(dialect.server, target, context, body, understanding.stream),
    );
  const tap = passes?.tap;
  const whole = new WholeTranslator(target, answerLength, (body) =>
    onThread !== undefined && body.length > LIGHT_CHARACTERS && isHeavyAnswer(body)
      ? onThread(body, tap === undefined ? undefined : seals)
      : textAnswer(dialect, target, lane, context, body, jsonDepth, tap, (parsed) => {
          whole.parsed = parsed;
        }),
  );
  return whole;
}

/** Undefined for most answers. */
function passesOf(planned: Planned, lane: Lane, memory: SealMemory | undefined): AnswerPasses | undefined {
  const { watchFor = [] } = lane;
  const tap =
    lane.keepsSeals === true && memory !== undefined ? new SealTap(memory, planned.caller.accountId) : undefined;
  if (tap === undefined && watchFor.length === 0) return undefined;
  const estimate = (shown: Produced): Usage => ({
    prompt: estimateInput(planned),
    completion: estimateOutputTokens(shown),
  });
  return {
    ...(tap !== undefined && { tap }),
    ...(watchFor.length > 0 && { stops: new StopWatch(watchFor, estimate) }),
  };
}
