// Cartesia: speech and the words of recordings, with the version of the interface in a header.
import { parseObject } from '../../json-text.ts';
import { asRecord, asText } from '../../json-value.ts';
import { readForm } from '../../pictures/form.ts';
import type { VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import { makeSound, secondsOf } from '../openai-audio/sound.ts';
import { json } from '../replies.ts';
import { Shapes } from '../shape-check.ts';
import { type AudioHost, type Served, soundReply, talkOf, type Wrong } from './host.ts';

const shapes = new Shapes(
  `Speech = { model_id: text(1..), transcript: text(1..), language?: text(2..),
    voice: { id: text(36..36), mode?: 'id' },
    output_format: { container: 'raw' | 'wav' | 'mp3', encoding?: 'pcm_s16le' | 'pcm_f32le', sample_rate: int(8000..48000),
      bit_rate?: int(32000..192000) },
    generation_config?: { speed?: num(0.6..1.5), volume?: num(0.5..2), emotion?: text(1..) } }`,
);

const TYPES: Readonly<Record<string, readonly [type: string, format: string]>> = {
  raw: ['audio/pcm', 'pcm'],
  wav: ['audio/wav', 'wav'],
  mp3: ['audio/mpeg', 'mp3'],
};

const base = {
  vendor: 'cartesia',
  isKey: (headers: VendorRequest['headers']) =>
    (headers.authorization ?? '').startsWith('Bearer ') && headerText(headers['cartesia-version']) !== '',
  error: (status: number, message: string) => ({
    error_code: 'invalid_request',
    title: 'Invalid request',
    message,
    request_id: 'req_1',
    status_code: status,
  }),
};

function speak(request: VendorRequest): Served | Wrong {
  const body = parseObject(request.body);
  if (body === undefined) return [400, 'The body is not JSON.'];
  const problem = shapes.first('Speech', body);
  if (problem !== undefined) return [400, `${problem.path.join('.')}: ${problem.kind}`, body];
  const model = asText(body['model_id']);
  if (!model.startsWith('sonic')) return [400, 'Invalid model.', body];
  const [type, format] = TYPES[asText(asRecord(body['output_format'])['container'])] ?? ['', ''];
  return { reply: soundReply(type, makeSound(asText(body['transcript']), format)), body, model };
}

const FIELDS = new Set(['model', 'language', 'timestamp_granularities[]']);

function listen(request: VendorRequest): Served | Wrong {
  const form = readForm(headerText(request.headers['content-type']), request.body);
  if (form === undefined) return [400, 'The form cannot be read.'];
  const { fields, files } = form;
  const seen = { ...fields, files: files.map(({ name, filename, type }) => ({ name, filename, type })) };
  const [file] = files;
  if (file?.name !== 'file' || files.length !== 1) return [400, 'file is required', seen];
  const odd = Object.keys(fields).find((name) => !FIELDS.has(name));
  if (odd !== undefined) return [400, `${odd} is not known`, seen];
  const model = fields['model'] ?? '';
  if (!model.startsWith('ink-')) return [400, 'Invalid model.', seen];
  const sound = Buffer.from(file.base64, 'base64');
  const seconds = secondsOf(sound);
  const { text, words } = talkOf(sound.length, seconds);
  const answer = {
    text,
    language: 'en',
    duration: seconds,
    ...(fields['timestamp_granularities[]'] === 'word' && {
      words: words.map(({ word, start, end }) => ({ word, start, end })),
    }),
  };
  return { reply: json(200, answer), body: seen, model };
}

export const cartesia: readonly AudioHost[] = [
  { ...base, name: 'cartesia-speech', path: /^\/tts\/bytes$/u, serve: speak },
  { ...base, name: 'cartesia-transcription', path: /^\/stt$/u, serve: listen },
];
