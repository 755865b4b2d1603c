/** Callers' own programs, each with a sentence: it is spoken and heard through the gateway, and few words are wrong. */
import { execFile } from 'node:child_process';
import { createReadStream, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createOpenAI } from '@ai-sdk/openai';
import { generateSpeech, transcribe } from 'ai';
import OpenAI from 'openai';
import { KEY } from '../../tests/support/stand.ts';
import { withFile } from './media.ts';
import { EAR, TALKER } from './models.ts';
import { SENTENCES, wordErrors, wordsOf } from './sentences.ts';

const SENTENCE = SENTENCES[0];
const MOST_WRONG = 2;
const PYTHON = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url));
const CLIENT = fileURLToPath(new URL('client.py', import.meta.url));
const LIMIT_MS = 60_000;

type Client = (url: string, judges: string) => Promise<string>;
type Axios = { post(url: string, body: unknown, options: object): Promise<{ data: { text: string } }> };
type Form = { append(name: string, value: unknown, options?: object): void; getHeaders(): object };

const CLIENTS: Readonly<Record<string, Client>> = {
  'openai for JavaScript, a file that is read while it is sent': (baseURL) => {
    const client = new OpenAI({ apiKey: KEY, baseURL, maxRetries: 0 });
    return withFile(Buffer.alloc(0), async (path) => {
      const sound = await client.audio.speech.create({ model: TALKER, voice: 'rms', input: SENTENCE });
      writeFileSync(path, Buffer.from(await sound.arrayBuffer()));
      return (await client.audio.transcriptions.create({ file: createReadStream(path), model: EAR })).text;
    });
  },
  'openai for Python': async (url) => {
    const env = { URL: url, KEY, TALKER, LISTENER: EAR, SENTENCE };
    const { stdout } = await promisify(execFile)(PYTHON, ['-B', CLIENT], { env, timeout: LIMIT_MS });
    return stdout;
  },
  'AI SDK': async (baseURL) => {
    const openai = createOpenAI({ apiKey: KEY, baseURL });
    const { audio } = await generateSpeech({ model: openai.speech(TALKER), text: SENTENCE, voice: 'rms' });
    return (await transcribe({ model: openai.transcription(EAR), audio: audio.uint8Array })).text;
  },
  'axios with form-data, as LibreChat has it': async (url, judges) => {
    const load = createRequire(join(judges, 'package.json'));
    const axios = load('axios') as Axios;
    const FormData = load('form-data') as new () => Form;
    const headers = { authorization: `Bearer ${KEY}` };
    // Without a voice.
    const body = { input: SENTENCE, model: TALKER, response_format: 'opus' };
    const { data } = await axios.post(`${url}/audio/speech`, body, { headers, responseType: 'arraybuffer' });
    return withFile(data as unknown as Buffer, async (path) => {
      const form = new FormData();
      form.append('file', createReadStream(path), { filename: 'audio.webm', contentType: 'video/webm' });
      form.append('model', EAR);
      const all = { headers: { ...headers, ...form.getHeaders() } };
      return (await axios.post(`${url}/audio/transcriptions`, form, all)).data.text;
    });
  },
};

export async function checkClients(
  url: string,
  judges: string,
  check: (isRight: boolean, what: string) => void,
): Promise<number> {
  for (const [name, client] of Object.entries(CLIENTS)) {
    const text = await client(url, judges).catch((error: unknown) => `failed: ${String(error)}`);
    const wrong = wordErrors(wordsOf(SENTENCE), wordsOf(text));
    check(wrong <= MOST_WRONG, `${name}: "${text.trim()}"`);
  }
  return Object.keys(CLIENTS).length;
}
