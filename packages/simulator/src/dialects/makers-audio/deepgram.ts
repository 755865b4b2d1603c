// Deepgram: what is asked for stands in the query.
import { parseObject } from '../../json-text.ts';
import { asText } from '../../json-value.ts';
import type { VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import { makeSound, secondsOf } from '../openai-audio/sound.ts';
import { json } from '../replies.ts';
import { Shapes } from '../shape-check.ts';
import { type AudioHost, type Served, soundReply, talkOf, type Wrong } from './host.ts';

const shapes = new Shapes('Speech = { text: text(1..2000) }');

const base = {
  vendor: 'deepgram',
  isKey: ({ authorization = '' }: VendorRequest['headers']) => authorization.startsWith('Token '),
  error: (status: number, message: string) =>
    status < 500
      ? { err_code: 'Bad Request', err_msg: message, request_id: 'req_1' }
      : { category: 'INTERNAL', message, details: '', request_id: 'req_1' },
};

const ENCODINGS: Readonly<Record<string, readonly [type: string, format: string]>> = {
  mp3: ['audio/mpeg', 'mp3'],
  opus: ['audio/ogg;codecs=opus', 'opus'],
  aac: ['audio/aac', 'aac'],
  flac: ['audio/flac', 'flac'],
};
const SPEAK_MEMBERS = new Set(['model', 'encoding', 'container', 'sample_rate', 'bit_rate', 'speed']);
const VOICES = /^aura(?:-2)?-[a-z]+-[a-z]{2}$/u;

function speak(request: VendorRequest): Served | Wrong {
  const asked = new URLSearchParams(request.query);
  const body = parseObject(request.body);
  if (body === undefined) return [400, 'The body is not JSON.'];
  const seen = { ...body, query: request.query };
  if (shapes.first('Speech', body) !== undefined) return [400, 'Failed to parse the text.', seen];
  const odd = [...asked.keys()].find((name) => !SPEAK_MEMBERS.has(name));
  if (odd !== undefined) return [400, `Unexpected parameter: ${odd}`, seen];
  const model = asked.get('model') ?? 'aura-asteria-en';
  if (!VOICES.test(model)) return [400, 'No such model/voice combination found.', seen];
  const container = asked.get('container') ?? 'wav';
  const encoding = asked.get('encoding') ?? 'mp3';
  const isLinear = encoding === 'linear16';
  const [type, format] = isLinear
    ? [`audio/${container === 'wav' ? 'wav' : 'l16'}`, container === 'wav' ? 'wav' : 'pcm']
    : (ENCODINGS[encoding] ?? ['', '']);
  if (type === '') return [400, 'Unsupported encoding.', seen];
  return { reply: soundReply(type, makeSound(asText(body['text']), format)), body: seen, model };
}

const LISTEN_MEMBERS = new Set([
  'model',
  'language',
  'detect_language',
  'smart_format',
  'punctuate',
  'diarize',
  'utterances',
  'keyterm',
]);

function listen(request: VendorRequest): Served | Wrong {
  const asked = new URLSearchParams(request.query);
  const type = headerText(request.headers['content-type']);
  const seen = { query: request.query, type, bytes: request.body.length };
  if (!/^(?:audio|video|application\/octet-stream)/u.test(type) || request.body.length === 0)
    return [400, 'Bad Request: failed to process audio: corrupt or unsupported data', seen];
  const odd = [...asked.keys()].find((name) => !LISTEN_MEMBERS.has(name));
  if (odd !== undefined) return [400, `Unexpected parameter: ${odd}`, seen];
  const model = asked.get('model') ?? 'base';
  if (!/^(?:nova|enhanced|base)/u.test(model)) return [400, 'No such model found.', seen];
  const seconds = secondsOf(Buffer.from(request.body));
  const { text, words } = talkOf(request.body.length, seconds);
  const spoken = words.map(({ word, start, end, speaker }) => ({
    word: word.toLowerCase().replace(/\.$/u, ''),
    start,
    end,
    confidence: 0.99,
    ...(asked.get('smart_format') === 'true' && { punctuated_word: word }),
    ...(asked.get('diarize') === 'true' && { speaker, speaker_confidence: 0.9 }),
  }));
  const channel = {
    alternatives: [{ transcript: text, confidence: 0.99, words: spoken }],
    ...(asked.get('detect_language') === 'true' && { detected_language: 'en', language_confidence: 0.99 }),
  };
  const metadata = {
    transaction_key: 'deprecated',
    request_id: 'req_1',
    sha256: '0',
    created: '2026-01-01T00:00:00.000Z',
    duration: seconds,
    channels: 1,
    models: ['m1'],
    model_info: {},
  };
  return { reply: json(200, { metadata, results: { channels: [channel] } }), body: seen, model };
}

export const deepgram: readonly AudioHost[] = [
  { ...base, name: 'deepgram-speech', path: /^\/v1\/speak$/u, serve: speak },
  { ...base, name: 'deepgram-transcription', path: /^\/v1\/listen$/u, serve: listen },
];
