/** A host that really speaks (flite), decodes (ffmpeg) and hears (pocketsphinx): what it charges is what it hears. */
import { execFile } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Ear, Word } from './ear.ts';
import { decoded, encode, SAMPLES, secondsOf, withFile } from './media.ts';

const run = promisify(execFile);
const MS = 1000;

/** A prompt that makes the host report far more than there is: what the gateway charges then is what it held. */
export const ABSURD = 'absurd';
const ABSURD_SECONDS = 10_000_000;

/** The model that understands; any other knows how long a recording is, and no more. */
export const HEARER = 'pocketsphinx';

/** A voice that stops in the middle, until it may go on or has no listener. */
export const HALTING = 'halting';

export type Host = {
  readonly url: string;
  /** So far. */
  requests(): number;
  goOn(): void;
  /** Resolves when a halting voice has lost its listener. */
  readonly left: Promise<void>;
  close(): void;
};

export async function openHost(ear: Ear): Promise<Host> {
  let requests = 0;
  const voice = new EventEmitter();
  const mayGoOn = once(voice, 'go on');
  const left = once(voice, 'left').then(() => {});
  const server = createServer((request, response) => {
    requests++;
    answer(request, ear).then(
      async ([type, body, halts]) => {
        response.writeHead(200, { 'content-type': type });
        if (halts === true) {
          response.write(body.slice(0, body.length >> 1));
          const gone = once(response, 'close').then(() => voice.emit('left'));
          await Promise.race([mayGoOn, gone]);
        }
        response.end(halts === true ? body.slice(body.length >> 1) : body);
      },
      (error: unknown) => response.writeHead(400, { 'content-type': 'application/json' }).end(refusal(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: () => requests,
    goOn: () => void voice.emit('go on'),
    left,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const refusal = (error: unknown): string =>
  JSON.stringify({ error: { message: String(error), type: 'invalid_request_error', param: 'file', code: null } });

async function answer(request: IncomingMessage, ear: Ear): Promise<[string, string | Buffer, boolean?]> {
  const body = await new Response(request as unknown as ReadableStream, {
    headers: { 'content-type': request.headers['content-type'] ?? '' },
  }).arrayBuffer();
  if (request.url === '/v1/audio/speech') {
    const {
      input,
      voice,
      response_format: format = 'mp3',
    } = JSON.parse(Buffer.from(body).toString('utf8')) as {
      input: string;
      voice?: string;
      response_format?: string;
    };
    return [TYPES[format] ?? 'application/octet-stream', await spoken(input, format), voice === HALTING];
  }
  const form = await new Response(body, {
    headers: { 'content-type': request.headers['content-type'] ?? '' },
  }).formData();
  const file = form.get('file') as File;
  const bytes = Buffer.from(await file.arrayBuffer());
  const heard = secondsOf(await decoded(bytes));
  const seconds = form.get('prompt') === ABSURD ? ABSURD_SECONDS : Math.ceil(heard);
  const words = form.get('model') === HEARER ? await understood(bytes, ear) : UNHEARD;
  const text = words.map(({ word }) => word).join(' ');
  const segments = [{ id: 0, start: 0, end: heard, text }];
  const transcript = { task: 'transcribe', language: 'english', duration: heard, text, segments, words };
  return ['application/json', JSON.stringify({ ...transcript, usage: { type: 'duration', seconds } })];
}

const UNHEARD = [{ word: 'Roads.', start: 0, end: 1 }];
/** A recogniser needs silence around what is said. */
const SILENCE_SECONDS = 0.5;
const SURROUND = ['-af', `adelay=${SILENCE_SECONDS * MS}:all=1,apad=pad_dur=${SILENCE_SECONDS}`];

async function understood(bytes: Buffer, ear: Ear): Promise<readonly Word[]> {
  const samples = await withFile(bytes, (path) => encode(path, [...SURROUND, ...SAMPLES], true));
  const timed = (seconds: number): number => Math.max(0, seconds - SILENCE_SECONDS);
  return (await ear.hear(samples)).map(({ word, start, end }) => ({ word, start: timed(start), end: timed(end) }));
}

const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

const spoken = (text: string, format: string): Promise<Buffer> =>
  withFile(Buffer.alloc(0), async (path) => {
    await run('flite', ['-voice', 'rms', '-t', text, '-o', path], { timeout: 60 * MS });
    return encode(path, SPOKEN[format] ?? []);
  });

const SPOKEN: Readonly<Record<string, readonly string[]>> = {
  mp3: ['-f', 'mp3'],
  opus: ['-c:a', 'libopus', '-f', 'ogg'],
  aac: ['-f', 'adts'],
  flac: ['-f', 'flac'],
  wav: ['-f', 'wav'],
  pcm: ['-ar', '24000', '-ac', '1', '-f', 's16le'],
};
