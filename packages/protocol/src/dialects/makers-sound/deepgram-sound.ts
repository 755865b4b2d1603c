/** Everything but the text or the recording is in the query, and a voice is part of the name of a model. */
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';
import type { SpeechFormat } from '../../canonical/sound.ts';
import type { HeardWord } from '../../passes/spoken-segments.ts';
import { speechDialect } from './speech.ts';
import { filePart, transcriptionDialect } from './transcription.ts';

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

const queryOf = (members: Query): string =>
  `?${Object.entries(members)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${encodeURIComponent(value)}`))
    .join('&')}`;

const SAMPLES = { encoding: 'linear16', sample_rate: 24_000 };

const FORMATS: Readonly<Record<SpeechFormat, Query>> = {
  mp3: { encoding: 'mp3' },
  opus: { encoding: 'opus', container: 'ogg' },
  aac: { encoding: 'aac' },
  flac: { encoding: 'flac' },
  wav: { ...SAMPLES, container: 'wav' },
  pcm: { ...SAMPLES, container: 'none' },
};

/** A name and, for others than English, its language: `thalia`, `celeste-es`. */
const VOICE = /^[a-z]{2,24}(?:-[a-z]{2})?$/;
/** A model that is a voice already. */
const WITH_VOICE = /-[a-z]+-[a-z]{2}$/;

function modelOf(model: string, voice: string | undefined): string {
  if (voice === undefined) return model;
  return `${model}-${voice.includes('-') ? voice : `${voice}-en`}`;
}

export const deepgramSpeech = speechDialect({
  id: 'deepgram-speech',
  formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
  voices: VOICE,
  voice: 'required',
  isVoice: (model) => WITH_VOICE.test(model),
  speed: [0.7, 1.5],
  write: ({ input, model, format, voice, speed }) => ({
    body: { text: input },
    suffix: queryOf({ model: modelOf(model, voice), ...FORMATS[format], speed }),
  }),
});

export const deepgramTranscription = transcriptionDialect({
  id: 'deepgram-transcription',
  carries: ['language'],
  times: true,
  speakers: true,
  write: ({ recording, model, language, needsSpeakers }) => ({
    body: {},
    form: [filePart('', recording)],
    suffix: queryOf({
      model,
      smart_format: true,
      language,
      // Without either it hears English only.
      detect_language: language === undefined ? true : undefined,
      diarize: needsSpeakers ? true : undefined,
    }),
  }),
  read: (body) => {
    const [channel] = arrayAt(objectAt(body, 'results') ?? {}, 'channels');
    const [best] = isJsonObject(channel) ? arrayAt(channel, 'alternatives') : [];
    const text = isJsonObject(best) ? stringAt(best, 'transcript') : undefined;
    if (!isJsonObject(channel) || !isJsonObject(best) || text === undefined) return undefined;
    return {
      text,
      language: stringAt(channel, 'detected_language'),
      words: arrayAt(best, 'words').filter(isJsonObject).map(wordOf),
      seconds: numberAt(objectAt(body, 'metadata'), 'duration'),
    };
  },
});

function wordOf(word: JsonObject): HeardWord {
  const speaker = numberAt(word, 'speaker');
  return {
    word: stringAt(word, 'punctuated_word') ?? stringAt(word, 'word') ?? '',
    start: numberAt(word, 'start') ?? 0,
    end: numberAt(word, 'end') ?? 0,
    ...(speaker !== undefined && { speaker: String(speaker) }),
  };
}
