// AssemblyAI: a recording is brought, its words are ordered, and asked for until they are there.
import { parseObject } from '../../json-text.ts';
import { asText } from '../../json-value.ts';
import type { VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import { secondsOf } from '../openai-audio/sound.ts';
import { json } from '../replies.ts';
import { Shapes } from '../shape-check.ts';
import { type AudioHost, type Served, talkOf, type Wrong } from './host.ts';

const shapes = new Shapes(`
  Order = {
    audio_url: text(1..), speech_models: [text(1..)](1..3), language_code?: text(2..), language_detection? speaker_labels?: flag
  }
`);
const MODELS = /^universal-(?:2|3-pro|3-5-pro)$/u;
const MAX_KEPT = 1_000;
/** Each poll but the last stands for this much of a recording. */
const SECONDS_A_POLL = 20;

interface Brought {
  readonly type: string;
  readonly bytes: number;
  readonly seconds: number;
}

interface Ordered extends Brought {
  readonly order: Readonly<Record<string, unknown>>;
  polls: number;
}

/** Bounded: the oldest goes first. */
class Shelf<T> {
  readonly #kept = new Map<string, T>();
  #made = 0;

  put(what: T): string {
    const id = `kept-${++this.#made}`;
    this.#kept.set(id, what);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return id;
  }

  get(id: string): T | undefined {
    return this.#kept.get(id);
  }
}

const uploads = new Shelf<Brought>();
const transcripts = new Shelf<Ordered>();
const UPLOAD = 'https://cdn.assemblyai.example/upload/';

function bring({ body, headers }: VendorRequest): Served | Wrong {
  if (body.length === 0)
    return [422, 'Upload failed, please try again. If you continue to have issues please reach out'];
  const sound = Buffer.from(body);
  const type = headerText(headers['content-type']);
  const id = uploads.put({ type, bytes: sound.length, seconds: secondsOf(sound) });
  return { reply: json(200, { upload_url: `${UPLOAD}${id}` }), body: { type, bytes: sound.length }, model: '' };
}

function order(request: VendorRequest): Served | Wrong {
  const body = parseObject(request.body);
  if (body === undefined) return [400, 'The body is not JSON.'];
  const { audio_url: url, ...asked } = body;
  const brought = uploads.get(asText(url).replace(UPLOAD, ''));
  const seen = { ...asked, brought: brought && { type: brought.type, bytes: brought.bytes } };
  const problem = shapes.first('Order', body);
  if (problem !== undefined) return [400, `${problem.path.join('.')}: ${problem.kind}`, seen];
  const models = body['speech_models'] as readonly string[];
  if (!models.every((model) => MODELS.test(model))) return [400, '"speech_models" must be of those there are', seen];
  if (body['language_code'] !== undefined && body['language_detection'] === true)
    return [400, 'language_detection is not available when language_code is specified.', seen];
  if (brought === undefined) return [400, 'audio_url cannot be read', seen];
  const id = transcripts.put({ ...brought, order: body, polls: Math.floor(brought.seconds / SECONDS_A_POLL) });
  return {
    reply: json(200, { id, ...body, status: 'queued', text: null, words: null }),
    body: seen,
    model: models[0] ?? '',
  };
}

function ask(id: string): Served | Wrong {
  const found = transcripts.get(id);
  if (found === undefined) return [404, 'Transcript not found'];
  const { order: asked, bytes, seconds } = found;
  const head = { id, ...asked, language_code: asked['language_code'] ?? 'en' };
  const reply = (more: object): Served => ({ reply: json(200, { ...head, ...more }), body: undefined, model: '' });
  if (found.polls-- > 0) return reply({ status: 'processing', text: null, words: null });
  if (seconds < 0.16) return reply({ status: 'error', error: 'Audio duration is too short.', text: null, words: null });
  const { text, words } = talkOf(bytes, seconds);
  const labelled = asked['speaker_labels'] === true;
  return reply({
    status: 'completed',
    text,
    words: words.map(({ word, start, end, speaker }) => ({
      text: word,
      start: Math.round(start * 1000),
      end: Math.round(end * 1000),
      confidence: 0.99,
      speaker: labelled ? 'AB'[speaker] : null,
    })),
    confidence: 0.99,
    audio_duration: Math.ceil(seconds),
    speech_model_used: (asked['speech_models'] as readonly string[])[0],
  });
}

const PATH = /^\/v2\/(?:upload|transcript(?:\/([\w-]+))?)$/u;

export const assemblyai: readonly AudioHost[] = [
  {
    name: 'assemblyai-transcription',
    vendor: 'assemblyai',
    path: PATH,
    isKey: ({ authorization = '' }) => authorization !== '' && !authorization.includes(' '),
    error: (_status, message) => ({ error: message }),
    serve: (request) => {
      const [, id] = PATH.exec(request.path) ?? [];
      if (id !== undefined) return request.method === 'GET' ? ask(id) : [405, 'Method Not Allowed'];
      if (request.method !== 'POST') return [405, 'Method Not Allowed'];
      return request.path === '/v2/upload' ? bring(request) : order(request);
    },
  },
];
