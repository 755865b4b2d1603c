/** Nearly the forms that callers send: other names of members and events, and segments only on request. */
import type { Fault } from '../../canonical/fault.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';
import type { Usage } from '../../canonical/usage.ts';
import { numberedSegments } from '../../passes/spoken-segments.ts';
import type { Frame } from '../dialect.ts';
import type { TranscriptEvent } from '../sound-dialects.ts';
import { objectIn } from '../upstream-answers.ts';
import { speechDialect } from './speech.ts';
import { filePart, type Heard, textPart, transcriptionDialect, transcriptOf } from './transcription.ts';

export const mistralSpeech = speechDialect({
  id: 'mistral-speech',
  // Its bare samples are no 16-bit ones.
  formats: ['mp3', 'opus', 'flac', 'wav'],
  voices: /^[\w-]{1,64}$/,
  voice: 'optional',
  write: ({ input, model, voice, format }) => ({
    body: { model, input, ...(voice !== undefined && { voice_id: voice }), response_format: format, stream: true },
  }),
  readEvents: ({ data }) => {
    if (data === '[DONE]') return [];
    const wire = objectIn(data);
    const type = stringAt(wire, 'type');
    const base64 = stringAt(wire, 'audio_data');
    if (type === 'speech.audio.delta' && base64 !== undefined) return [{ type: 'sound', base64 }];
    if (type === 'speech.audio.done') return [{ type: 'sound-end', usage: {} }];
    return wire === undefined || type === 'error' || wire['error'] !== undefined
      ? [{ type: 'fault', fault: UNSPOKEN }]
      : [];
  },
});

export const mistralTranscription = transcriptionDialect({
  id: 'mistral-transcription',
  carries: ['language', 'temperature'],
  times: true,
  speakers: true,
  segmentsOnly: true,
  languageOrTimes: true,
  write: ({ recording, model, language, temperature, stream, needsTimes, needsSpeakers }) => ({
    body: {},
    form: [
      ...textPart('model', model),
      ...textPart('language', language),
      ...textPart('temperature', temperature),
      ...textPart('timestamp_granularities', needsTimes ? 'segment' : undefined),
      ...textPart('diarize', needsSpeakers ? true : undefined),
      ...textPart('stream', stream),
      filePart('file', recording),
    ],
  }),
  read,
  readEvent,
});

function read(body: JsonObject): Heard | undefined {
  const text = stringAt(body, 'text');
  if (text === undefined) return undefined;
  const usage = objectAt(body, 'usage');
  const segments = arrayAt(body, 'segments').filter(isJsonObject);
  return {
    text,
    language: stringAt(body, 'language'),
    ...(segments.length > 0 && { segments: numberedSegments(segments.map(segmentOf)) }),
    seconds: numberAt(usage, 'prompt_audio_seconds'),
    usage: tokensOf(usage),
  };
}

const segmentOf = (segment: JsonObject) => ({
  start: numberAt(segment, 'start') ?? 0,
  end: numberAt(segment, 'end') ?? 0,
  text: (stringAt(segment, 'text') ?? '').trim(),
  speaker: stringAt(segment, 'speaker_id'),
});

/** The tokens of the sound are in the total alone. */
function tokensOf(usage: JsonObject | undefined): Usage {
  const [prompt, completion, total] = ['prompt_tokens', 'completion_tokens', 'total_tokens'].map((name) =>
    numberAt(usage, name),
  );
  if (prompt === undefined || completion === undefined || total === undefined) return {};
  return { prompt, completion, inputAudio: Math.max(0, total - prompt - completion) };
}

const UNSPOKEN: Fault = { kind: 'upstream-broken', message: 'The upstream provider failed while it spoke.' };
const BROKEN: Fault = { kind: 'upstream-broken', message: 'The upstream provider failed while it listened.' };

function readEvent({ data }: Frame): TranscriptEvent | undefined {
  if (data === '[DONE]') return undefined;
  const wire = objectIn(data);
  const type = stringAt(wire, 'type');
  if (wire === undefined || type === 'error' || wire['error'] !== undefined) return { type: 'fault', fault: BROKEN };
  if (type === 'transcription.text.delta') return { type: 'words', text: stringAt(wire, 'text') ?? '' };
  return type === 'transcription.done' ? { type: 'end', transcript: transcriptOf({ read }, wire) } : undefined;
}
