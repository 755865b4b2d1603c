// ElevenLabs: speech and the words of recordings.
import { parseObject } from '../../json-text.ts';
import { asText } from '../../json-value.ts';
import { readForm } from '../../pictures/form.ts';
import type { VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import { makeSound, secondsOf } from '../openai-audio/sound.ts';
import { json } from '../replies.ts';
import { Shapes } from '../shape-check.ts';
import { type AudioHost, type Served, soundReply, talkOf, type Wrong } from './host.ts';

const shapes = new Shapes(
  `Speech = { text: text(1..), model_id?: text(1..), language_code?: text(2..3), seed?: int(0..),
    voice_settings?: { stability?: num(0..1), similarity_boost?: num(0..1), style?: num(0..1),
      use_speaker_boost?: flag, speed?: num(0.7..1.2) } }`,
);

const TYPES: Readonly<Record<string, readonly [type: string, format: string]>> = {
  mp3_44100_128: ['audio/mpeg', 'mp3'],
  mp3_22050_32: ['audio/mpeg', 'mp3'],
  opus_48000_64: ['audio/ogg', 'opus'],
  pcm_16000: ['audio/pcm', 'pcm'],
  pcm_24000: ['audio/pcm', 'pcm'],
};
const SPEECH_PATH = /^\/v1\/text-to-speech\/([^/]+)(?:\/stream)?$/u;
const MODELS = /^eleven_/u;
const VOICE_LENGTH = 20;

const base = {
  vendor: 'elevenlabs',
  isKey: (headers: VendorRequest['headers']) => headerText(headers['xi-api-key']) !== '',
  error: (status: number, message: string) =>
    status === 422
      ? { detail: [{ loc: ['body'], msg: message, type: 'value_error' }] }
      : { detail: { status: status === 404 ? 'voice_not_found' : 'invalid_request', message } },
};

function speak(request: VendorRequest): Served | Wrong {
  const voice = SPEECH_PATH.exec(request.path)?.[1] ?? '';
  const body = parseObject(request.body);
  if (body === undefined) return [422, 'The body is not JSON.'];
  const seen = { ...body, path: request.path, query: request.query };
  const problem = shapes.first('Speech', body);
  if (problem !== undefined) return [422, `${problem.path.join('.')}: ${problem.kind}`, seen];
  if (voice.length !== VOICE_LENGTH) return [404, `A voice with the voice_id ${voice} was not found.`, seen];
  const model = asText(body['model_id']) || 'eleven_multilingual_v2';
  if (!MODELS.test(model)) return [400, `A model with model ID ${model} does not exist.`, seen];
  const format = TYPES[new URLSearchParams(request.query).get('output_format') ?? 'mp3_44100_128'];
  if (format === undefined) return [422, 'output_format is not known', seen];
  return { reply: soundReply(format[0], makeSound(asText(body['text']), format[1])), body: seen, model };
}

const FIELDS = new Set([
  'model_id',
  'language_code',
  'tag_audio_events',
  'num_speakers',
  'timestamps_granularity',
  'diarize',
  'temperature',
  'seed',
  'file_format',
]);

function listen(request: VendorRequest): Served | Wrong {
  const form = readForm(headerText(request.headers['content-type']), request.body);
  if (form === undefined) return [422, 'The form cannot be read.'];
  const { fields, files } = form;
  const seen = { ...fields, files: files.map(({ name, filename, type }) => ({ name, filename, type })) };
  const [file] = files;
  if (file?.name !== 'file' || files.length !== 1) return [422, 'file is required', seen];
  const odd = Object.keys(fields).find((name) => !FIELDS.has(name));
  if (odd !== undefined) return [422, `${odd} is not known`, seen];
  const model = fields['model_id'] ?? '';
  if (!model.startsWith('scribe_')) return [400, `'${model}' is not a valid model_id.`, seen];
  const sound = Buffer.from(file.base64, 'base64');
  const seconds = secondsOf(sound);
  const { text, words } = talkOf(sound.length, seconds);
  const tellsSpeakers = fields['diarize'] === 'true';
  const spoken = words.flatMap(({ word, start, end, speaker }, at) => {
    const own = tellsSpeakers ? { speaker_id: `speaker_${speaker}` } : {};
    const piece = { text: word, start, end, type: 'word', logprob: -0.01, ...own };
    return at === 0 ? [piece] : [{ text: ' ', start, end: start, type: 'spacing', logprob: 0, ...own }, piece];
  });
  const answer = {
    language_code: 'eng',
    language_probability: 0.98,
    text,
    ...(fields['timestamps_granularity'] !== 'none' && { words: spoken }),
    audio_duration_secs: seconds,
  };
  return { reply: json(200, answer), body: seen, model };
}

export const elevenlabs: readonly AudioHost[] = [
  { ...base, name: 'elevenlabs-speech', path: SPEECH_PATH, serve: speak },
  { ...base, name: 'elevenlabs-transcription', path: /^\/v1\/speech-to-text$/u, serve: listen },
];
