/** The voice is in the path, and the answer has each word with its times. */
import { arrayAt, isJsonObject, type JsonObject, numberAt, stringAt } from '../../canonical/json.ts';
import type { SpeechFormat } from '../../canonical/sound.ts';
import type { HeardWord } from '../../passes/spoken-segments.ts';
import { speechDialect } from './speech.ts';
import { filePart, textPart, transcriptionDialect } from './transcription.ts';

const BARE_RATE = 24_000;

/** A wav is asked for as samples: heads of streams are not sent by this host. */
const FORMATS: Readonly<Partial<Record<SpeechFormat, string>>> = {
  mp3: 'mp3_44100_128',
  opus: 'opus_48000_64',
  pcm: `pcm_${BARE_RATE}`,
  wav: `pcm_${BARE_RATE}`,
};

export const elevenlabsSpeech = speechDialect({
  id: 'elevenlabs-speech',
  formats: ['mp3', 'opus', 'wav', 'pcm'],
  voices: /^[A-Za-z0-9]{20}$/,
  voice: 'required',
  speed: [0.7, 1.2],
  bareWav: BARE_RATE,
  write: ({ input, model, format, voice, speed }) => ({
    body: { text: input, model_id: model, ...(speed !== undefined && { voice_settings: { speed } }) },
    suffix: `/${voice}/stream?output_format=${FORMATS[format]}`,
  }),
});

export const elevenlabsTranscription = transcriptionDialect({
  id: 'elevenlabs-transcription',
  carries: ['language', 'temperature'],
  times: true,
  speakers: true,
  write: ({ recording, model, language, temperature, needsSpeakers }) => ({
    body: {},
    form: [
      ...textPart('model_id', model),
      ...textPart('language_code', language),
      // Laughter in brackets is not among the words that callers of this format expect.
      ...textPart('tag_audio_events', false),
      ...textPart('timestamps_granularity', 'word'),
      ...textPart('diarize', needsSpeakers ? true : undefined),
      ...textPart('temperature', temperature),
      filePart('file', recording),
    ],
  }),
  read: (body) => {
    const text = stringAt(body, 'text');
    if (text === undefined) return undefined;
    const words = arrayAt(body, 'words')
      .filter(isJsonObject)
      .filter((word) => stringAt(word, 'type') !== 'spacing')
      .map(wordOf);
    return { text, words, language: stringAt(body, 'language_code'), seconds: numberAt(body, 'audio_duration_secs') };
  },
});

function wordOf(word: JsonObject): HeardWord {
  const speaker = stringAt(word, 'speaker_id');
  return {
    word: stringAt(word, 'text') ?? '',
    start: numberAt(word, 'start') ?? 0,
    end: numberAt(word, 'end') ?? 0,
    ...(speaker !== undefined && { speaker }),
  };
}
