// Mistral: the words of recordings, in segments where they are asked for; and speech, in events or in one piece.
import { parseObject } from '../../json-text.ts';
import { asText } from '../../json-value.ts';
import { readForm } from '../../pictures/form.ts';
import type { VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import { makeSound, secondsOf } from '../openai-audio/sound.ts';
import { json } from '../replies.ts';
import { Shapes } from '../shape-check.ts';
import { type AudioHost, type Served, soundReply, talkOf, type Wrong } from './host.ts';

const shapes = new Shapes(`
  Speech = {
    model: text(1..), input: text(1..), voice_id?: text(1..), response_format?: 'pcm' | 'wav' | 'mp3' | 'flac' | 'opus', stream?: flag
  }
`);
/** Of sound in one event. */
const PIECE_BYTES = 4096;

function speak(request: VendorRequest): Served | Wrong {
  const body = parseObject(request.body);
  if (body === undefined) return [422, 'The body is not JSON.'];
  const problem = shapes.first('Speech', body);
  if (problem !== undefined) return [422, `${problem.path.join('.')}: ${problem.kind}`, body];
  const model = asText(body['model']);
  if (!model.startsWith('voxtral-') || !model.includes('tts')) return [400, `Invalid model: ${model}`, body];
  const sound = makeSound(asText(body['input']), asText(body['response_format']) || 'mp3');
  if (body['stream'] !== true) return { reply: json(200, { audio_data: sound.toString('base64') }), body, model };
  const pieces = Array.from({ length: Math.ceil(sound.length / PIECE_BYTES) }, (_, at) => ({
    type: 'speech.audio.delta',
    audio_data: sound.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES).toString('base64'),
  }));
  const done = { type: 'speech.audio.done', usage: { prompt_tokens: 7, completion_tokens: 40, total_tokens: 47 } };
  const text = [...pieces, done].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  return { reply: soundReply('text/event-stream', Buffer.from(text)), body, model };
}

const FIELDS = new Set([
  'model',
  'language',
  'temperature',
  'stream',
  'diarize',
  'context_bias',
  'timestamp_granularities',
]);
const TOKENS_A_SECOND = 12.5;

function listen(request: VendorRequest): Served | Wrong {
  const form = readForm(headerText(request.headers['content-type']), request.body);
  if (form === undefined) return [422, 'The form cannot be read.'];
  const { fields, files } = form;
  const seen = { ...fields, files: files.map(({ name, filename, type }) => ({ name, filename, type })) };
  const [file] = files;
  if (file?.name !== 'file' || files.length !== 1) return [422, 'Either file, file_url or file_id is required', seen];
  const odd = Object.keys(fields).find((name) => !FIELDS.has(name));
  if (odd !== undefined) return [422, `${odd}: Extra inputs are not permitted`, seen];
  const model = fields['model'] ?? '';
  if (!model.startsWith('voxtral-')) return [400, `Invalid model: ${model}`, seen];
  const granularity = fields['timestamp_granularities'];
  if (granularity !== undefined && fields['language'] !== undefined)
    return [400, 'language and timestamp_granularities are not compatible', seen];
  const sound = Buffer.from(file.base64, 'base64');
  const seconds = secondsOf(sound);
  const { text, words } = talkOf(sound.length, seconds);
  const segments = [0, 1].map((speaker) => {
    const own = words.filter((word) => word.speaker === speaker);
    return {
      type: 'transcription_segment',
      text: ` ${own.map(({ word }) => word).join(' ')}`,
      start: own[0]?.start,
      end: own.at(-1)?.end,
      ...(fields['diarize'] === 'true' && { speaker_id: `speaker_${speaker + 1}` }),
    };
  });
  const written = words.length * 2;
  const usage = {
    prompt_audio_seconds: Math.ceil(seconds),
    prompt_tokens: 4,
    completion_tokens: written,
    total_tokens: 4 + written + Math.ceil(seconds * TOKENS_A_SECOND),
  };
  const answer = { model, text, language: null, segments: granularity === 'segment' ? segments : [], usage };
  if (fields['stream'] !== 'true') return { reply: json(200, answer), body: seen, model };
  const events = [
    ['transcription.language', { audio_language: 'en' }],
    ...segments.map((segment) => ['transcription.text.delta', { text: segment.text }] as const),
    ['transcription.done', answer],
  ] as const;
  const stream = events.map(([type, own]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...own })}\n\n`).join('');
  return {
    reply: { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body: stream },
    body: seen,
    model,
  };
}

const base: Pick<AudioHost, 'vendor' | 'isKey' | 'error'> = {
  vendor: 'mistral',
  isKey: ({ authorization = '' }) => authorization.startsWith('Bearer '),
  error: (status, message) =>
    status === 422
      ? { detail: [{ loc: ['body'], msg: message, type: 'value_error' }] }
      : { object: 'error', message, type: 'invalid_request_error', param: null, code: null },
};

export const mistral: readonly AudioHost[] = [
  { ...base, name: 'mistral-speech', path: /^\/v1\/audio\/speech$/u, serve: speak },
  { ...base, name: 'mistral-transcription', path: /^\/v1\/audio\/transcriptions$/u, serve: listen },
];
