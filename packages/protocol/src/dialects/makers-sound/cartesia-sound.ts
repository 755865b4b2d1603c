/** A voice is an object of an id, the format an object of three members, and recordings are a form. */
import { arrayAt, isJsonObject, type JsonObject, numberAt, stringAt } from '../../canonical/json.ts';
import type { SpeechFormat } from '../../canonical/sound.ts';
import { speechDialect } from './speech.ts';
import { filePart, textPart, transcriptionDialect } from './transcription.ts';

const SAMPLES = { encoding: 'pcm_s16le', sample_rate: 24_000 };

const FORMATS: Readonly<Partial<Record<SpeechFormat, JsonObject>>> = {
  mp3: { container: 'mp3', sample_rate: 44_100, bit_rate: 128_000 },
  wav: { container: 'wav', ...SAMPLES },
  pcm: { container: 'raw', ...SAMPLES },
};

export const cartesiaSpeech = speechDialect({
  id: 'cartesia-speech',
  formats: ['mp3', 'wav', 'pcm'],
  voices: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  voice: 'required',
  speed: [0.6, 1.5],
  write: ({ input, model, format, voice = '', speed }) => ({
    body: {
      model_id: model,
      transcript: input,
      voice: { id: voice },
      output_format: FORMATS[format] ?? {},
      ...(speed !== undefined && { generation_config: { speed } }),
    },
  }),
});

export const cartesiaTranscription = transcriptionDialect({
  id: 'cartesia-transcription',
  carries: ['language'],
  times: true,
  speakers: false,
  write: ({ recording, model, language, needsTimes }) => ({
    body: {},
    form: [
      ...textPart('model', model),
      ...textPart('language', language),
      ...textPart('timestamp_granularities[]', needsTimes ? 'word' : undefined),
      filePart('file', recording),
    ],
  }),
  read: (body) => {
    const text = stringAt(body, 'text');
    if (text === undefined) return undefined;
    const words = arrayAt(body, 'words').filter(isJsonObject);
    return {
      text,
      language: stringAt(body, 'language'),
      seconds: numberAt(body, 'duration'),
      ...(words.length > 0 && {
        words: words.map((word) => ({
          word: stringAt(word, 'word') ?? '',
          start: numberAt(word, 'start') ?? 0,
          end: numberAt(word, 'end') ?? 0,
        })),
      }),
    };
  },
});
