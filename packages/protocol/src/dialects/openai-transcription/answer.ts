/** The words of a recording as hosts state them, and in every form a caller may ask for. */
import type { Fault } from '../../canonical/fault.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import {
  arrayAt,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import type { SpokenSegment, SpokenWord, Transcript } from '../../canonical/sound.ts';
import type { Usage } from '../../canonical/usage.ts';
import { subtitles } from '../../passes/subtitles.ts';
import type { Frame } from '../dialect.ts';
import type { TranscriptOptions } from '../response-options.ts';
import type { TranscriptEvent, WrittenTranscript } from '../sound-dialects.ts';
import { objectIn } from '../upstream-answers.ts';

const BROKEN: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent an answer without the words of the recording.',
};

export function decodeAnswer(body: Json): Transcript {
  if (!isJsonObject(body)) throw new GatewayError(BROKEN);
  const { text, language, duration, words, segments, usage, task: _task, ...rest } = body;
  if (typeof text !== 'string') throw new GatewayError(BROKEN);
  const seconds = typeof duration === 'string' ? Number(duration) : duration;
  const isLong = typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0;
  const spoken = isJsonArray(words) ? words.filter(isJsonObject).map(wordOf) : wordsInside(body);
  return {
    text: text.trim(),
    ...(typeof language === 'string' && { language }),
    ...(isLong && { seconds }),
    ...(spoken !== undefined && { words: spoken }),
    ...(segments !== undefined && { segments: arrayAt(body, 'segments').filter(isJsonObject).map(segmentOf) }),
    ...(Object.keys(rest).length > 0 && { rest }),
    usage: usageOf(isJsonObject(usage) ? usage : undefined, isLong ? seconds : undefined),
  };
}

const wordOf = (word: JsonObject): SpokenWord => ({
  word: stringAt(word, 'word') ?? '',
  start: numberAt(word, 'start') ?? 0,
  end: numberAt(word, 'end') ?? 0,
});

/** A piece that goes on with the word before it: it begins without white space, in a script that has spaces. */
const GOES_ON = /^[^\s\p{Lo}]/u;

/** whisper.cpp has pieces of words inside of segments. */
function wordsInside(body: JsonObject): readonly SpokenWord[] | undefined {
  const pieces = arrayAt(body, 'segments')
    .flatMap((segment) => (isJsonObject(segment) ? arrayAt(segment, 'words') : []))
    .filter((piece): piece is JsonObject => isJsonObject(piece) && numberAt(piece, 'start') !== undefined);
  if (pieces.length === 0) return undefined;
  const words: SpokenWord[] = [];
  for (const piece of pieces.map(wordOf)) {
    const last = words.at(-1);
    if (last !== undefined && GOES_ON.test(piece.word))
      words[words.length - 1] = { ...last, word: last.word + piece.word, end: piece.end };
    else words.push({ ...piece, word: piece.word.trimStart() });
  }
  return words;
}

function segmentOf({ start, end, text, speaker, words: _words, ...rest }: JsonObject): SpokenSegment {
  return {
    start: typeof start === 'number' ? start : 0,
    end: typeof end === 'number' ? end : 0,
    text: typeof text === 'string' ? text : '',
    ...(typeof speaker === 'string' && { speaker }),
    rest,
  };
}

/** Tokens where the host counts them; else the seconds it counts, or says the recording has. */
function usageOf(usage: JsonObject | undefined, duration?: number): Usage {
  const [input, output] = [numberAt(usage, 'input_tokens') ?? 0, numberAt(usage, 'output_tokens') ?? 0];
  if (input + output > 0) {
    const details = objectAt(usage, 'input_token_details');
    const prompt = Math.min(input, numberAt(details, 'text_tokens') ?? 0);
    return { prompt, inputAudio: input - prompt, completion: output };
  }
  const seconds = numberAt(usage, 'seconds') ?? duration;
  return seconds === undefined ? {} : { audioSeconds: seconds };
}

function writeUsage({ prompt = 0, inputAudio = 0, completion = 0, audioSeconds }: Usage): JsonObject | undefined {
  if (prompt + inputAudio + completion > 0)
    return {
      type: 'tokens',
      input_tokens: prompt + inputAudio,
      input_token_details: { text_tokens: prompt, audio_tokens: inputAudio },
      output_tokens: completion,
      total_tokens: prompt + inputAudio + completion,
    };
  return audioSeconds === undefined ? undefined : { type: 'duration', seconds: Math.ceil(audioSeconds) };
}

const JSON_TYPE = 'application/json';

const WITHOUT_TIMES: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider gave no times of what it heard, so there are no subtitles.',
};

export function encodeAnswer(
  transcript: Transcript,
  { form, times, translates }: TranscriptOptions,
): WrittenTranscript {
  const { text } = transcript;
  // Where nothing is said there is nothing to give a time of.
  const segments = transcript.segments ?? (text === '' ? [] : undefined);
  switch (form) {
    case 'text':
      return { text: `${text}\n`, contentType: 'text/plain; charset=utf-8' };
    case 'srt':
    case 'vtt':
      if (segments === undefined) throw new GatewayError(WITHOUT_TIMES);
      return {
        text: subtitles(segments, form),
        contentType: form === 'srt' ? 'application/x-subrip; charset=utf-8' : 'text/vtt; charset=utf-8',
      };
    case 'json':
      return {
        // With segments, it is the rest of another form than the one the caller asked for.
        text: JSON.stringify({
          text,
          ...(transcript.segments === undefined && transcript.rest),
          ...usageMember(transcript),
        }),
        contentType: JSON_TYPE,
      };
    case 'verbose_json':
    case 'diarized_json':
      return {
        text: JSON.stringify(inFull({ ...transcript, ...(segments && { segments }) }, times, translates)),
        contentType: JSON_TYPE,
      };
  }
}

function inFull(
  { text, language, seconds, segments, words, rest, usage }: Transcript,
  times: TranscriptOptions['times'],
  translates: boolean,
): JsonObject {
  // Words alone are asked for: the segments that every answer has stay away, as at the home of the format.
  const showsSegments = times.length === 0 || times.includes('segment');
  return {
    task: translates ? 'translate' : 'transcribe',
    ...(language !== undefined && { language }),
    ...(seconds !== undefined && { duration: seconds }),
    text,
    ...(showsSegments && segments !== undefined && { segments: segments.map(writeSegment) }),
    ...(times.includes('word') && words !== undefined && { words: words.map((word) => ({ ...word })) }),
    ...rest,
    ...usageMember({ usage }),
  };
}

const writeSegment = ({ rest, ...segment }: SpokenSegment): JsonObject => ({ ...rest, ...segment });

const usageMember = ({ usage }: Pick<Transcript, 'usage'>): JsonObject => {
  const written = writeUsage(usage);
  return written === undefined ? {} : { usage: written };
};

// Events, in both directions.

export function readEvent({ data }: Frame): TranscriptEvent | undefined {
  if (data === '[DONE]') return undefined;
  const wire = objectIn(data);
  if (wire === undefined) return { type: 'fault', fault: BROKEN };
  const type = stringAt(wire, 'type');
  if (type === 'transcript.text.delta') return { type: 'words', text: stringAt(wire, 'delta') ?? '' };
  if (type === 'transcript.text.done') return { type: 'end', transcript: decodeAnswer(wire) };
  if (stringAt(wire, 'object') === CHUNK) return readChunk(wire);
  if (type === 'error' || wire['error'] !== undefined)
    return { type: 'fault', fault: { ...BROKEN, message: 'The upstream provider failed while it listened.' } };
  return undefined;
}

/** One of the local servers streams words as a chat's, and its usage after the last. */
const CHUNK = 'transcription.chunk';

function readChunk(wire: JsonObject): TranscriptEvent | undefined {
  const [choice] = arrayAt(wire, 'choices').filter(isJsonObject);
  const usage = objectAt(wire, 'usage');
  if (choice === undefined && usage !== undefined) {
    const { prompt_tokens: input = 0, completion_tokens: output = 0 } = usage;
    return { type: 'end', transcript: { text: '', usage: usageOf({ input_tokens: input, output_tokens: output }) } };
  }
  const text = stringAt(objectAt(choice, 'delta'), 'content') ?? '';
  return text === '' ? undefined : { type: 'words', text };
}

export function encodeEvent(event: Exclude<TranscriptEvent, { type: 'fault' }>): string {
  if (event.type === 'words') return sse({ type: 'transcript.text.delta', delta: event.text });
  const { text, usage } = event.transcript;
  return sse({ type: 'transcript.text.done', text, ...usageMember({ usage }) });
}

export const sse = (body: JsonObject): string => `data: ${JSON.stringify(body)}\n\n`;
