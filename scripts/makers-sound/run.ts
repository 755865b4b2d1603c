/**
 * `npm run sound:makers`: makers' own clients and the gateway ask the same of the simulator, and all their requests are
 * equal: method, path, content type, and the body member by member. The clients are installed in a cache, since they are 200 MB. The last line is JSON.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { makersHosts } from '../../tests/support/makers-sound.ts';
import { listen, silence, speak } from '../../tests/support/sound-probe.ts';
import { openStand, UPSTREAM_SECRET } from '../../tests/support/stand.ts';

const CACHE = process.env['TRIVIUM_SOUND_MAKERS'] ?? join(homedir(), '.cache', 'trivium-sound-makers');
const INSTALL_LIMIT_MS = 600_000;
const CLIENTS = [
  '@elevenlabs/elevenlabs-js@2.73.0',
  '@deepgram/sdk@5.13.0',
  '@mistralai/mistralai@2.7.0',
  '@cartesia/cartesia-js@4.2.0',
  '@google/genai@3.1.0',
  'assemblyai@4.41.5',
  'groq-sdk@1.6.0',
];

async function install(): Promise<void> {
  const stamp = join(CACHE, 'installed');
  const wanted = CLIENTS.join('\n');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(join(CACHE, 'package.json'), '{ "private": true }');
  const options = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact'];
  await promisify(execFile)('npm', [...options, ...CLIENTS], { cwd: CACHE, timeout: INSTALL_LIMIT_MS });
  writeFileSync(stamp, wanted);
}

type Clients = {
  readonly makersCalls: (
    cache: string,
    url: string,
    wav: Buffer,
  ) => Promise<Readonly<Record<string, () => Promise<unknown>>>>;
};
/** Without types: the clients are not installed where types are checked. */
const clients: string = new URL('clients.mjs', import.meta.url).href;
const { makersCalls } = (await import(clients)) as Clients;

const wav = silence(2);
const say = { input: 'Good morning.', speed: 1.1 };
const inFull = { response_format: 'diarized_json' };

const alsoHosts: typeof makersHosts = (url) => {
  const { providers, models } = makersHosts(url);
  const price = (unit: string) => ({ audio: [{ value: '0.00005', unit, currency: 'USD' }] });
  const model = (name: string, sides: object, unit: string) => ({
    id: `groq/${name}`,
    ...sides,
    endpoints: [{ provider: 'groq', pricings: price(unit) }],
  });
  const listens = { inputModalities: ['audio'], outputModalities: ['transcription'] };
  return {
    providers: { ...providers, groq: { credential: UPSTREAM_SECRET, baseUrl: `${url}/compatible/v1` } },
    models: [
      ...models,
      model('playai-tts', { inputModalities: ['text'], outputModalities: ['speech'] }, 'perCount'),
      model('whisper-large-v3-turbo', listens, 'perSecond'),
      model('whisper-large-v3', listens, 'perSecond'),
    ],
  };
};

await install();
const stand = await openStand({ alsoHosts });
const asked: Readonly<Record<string, () => Promise<Response>>> = {
  'elevenlabs speech': () =>
    speak(stand, { ...say, model: 'elevenlabs/eleven_multilingual_v2', voice: 'JBFqnCBsd6RMkjVDRZzb' }),
  'elevenlabs transcription': () => listen(stand, wav, { ...inFull, model: 'elevenlabs/scribe_v2', language: 'en' }),
  'deepgram speech': () => speak(stand, { ...say, model: 'deepgram/aura-2', voice: 'thalia' }),
  'deepgram transcription': () => listen(stand, wav, { ...inFull, model: 'deepgram/nova-3', language: 'en' }),
  'mistral speech': () => speak(stand, { input: say.input, model: 'mistral/voxtral-mini-tts-3-0', voice: 'voice_478' }),
  'mistral transcription': () => listen(stand, wav, { ...inFull, model: 'mistral/voxtral-mini-latest' }),
  'cartesia speech': () =>
    speak(stand, { ...say, model: 'cartesia/sonic-3', voice: '6ccbfb76-1fc6-48f7-b71d-91ac6298247b' }),
  'cartesia transcription': () =>
    listen(stand, wav, { model: 'cartesia/ink-whisper', response_format: 'srt', language: 'en' }),
  'assemblyai transcription': () => listen(stand, wav, { ...inFull, model: 'assemblyai/universal-2', language: 'en' }),
  'groq speech': () =>
    speak(stand, { ...say, model: 'groq/playai-tts', voice: 'Fritz-PlayAI', response_format: 'wav' }),
  'groq transcription': () =>
    listen(stand, wav, {
      model: 'groq/whisper-large-v3-turbo',
      response_format: 'verbose_json',
      language: 'en',
      'timestamp_granularities[]': 'word',
    }),
  'groq translation': () => listen(stand, wav, { model: 'groq/whisper-large-v3' }, 'translations'),
  'google speech': () =>
    speak(stand, { input: say.input, model: 'google/gemini-2.5-flash-preview-tts', response_format: 'pcm' }),
  'google transcription': () => listen(stand, wav, { model: 'google/gemini-3.5-transcribe' }),
};

/**
 * What the simulator was asked since, polls once: how often one looks is one's own affair. Members of a query have one
 * order, and what a host named has no name.
 */
function requestsSince(before: number): readonly unknown[] {
  const requests = stand.simulator.truth
    .read()
    .slice(before)
    .map(({ method, path, headers, body }) => {
      const type = headers['content-type']?.replace(/;.*/, '').toLowerCase();
      const asked = body as Readonly<Record<string, unknown>> | undefined;
      const query = asked?.['query'];
      const members = typeof query === 'string' ? { ...asked, query: [...new URLSearchParams(query)].sort() } : asked;
      return { method, path: path.replace(/\/kept-\d+$/, '/{id}'), type, body: members };
    });
  return requests.filter(
    (one, at) => one.method !== 'GET' || !requests.slice(0, at).some((earlier) => isDeepStrictEqual(earlier, one)),
  );
}

async function readAll(answer: unknown): Promise<void> {
  if (answer instanceof Response) await answer.arrayBuffer();
  else if (typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer)
    for await (const _ of answer as AsyncIterable<unknown>);
}

const problems: string[] = [];
try {
  const calls = await makersCalls(CACHE, stand.simulator.url, wav);
  const asks = (): number => stand.simulator.truth.read().length;
  let requests = 0;
  for (const [name, call] of Object.entries(calls)) {
    let before = asks();
    try {
      await readAll(await call());
    } catch (error) {
      problems.push(`${name}: the client of the maker failed: ${String(error).slice(0, 300)}`);
      continue;
    }
    const theirs = requestsSince(before);
    before = asks();
    const answer = await asked[name]?.();
    await answer?.arrayBuffer();
    const ours = requestsSince(before);
    requests += theirs.length;
    if (answer?.status !== 200) problems.push(`${name}: status ${answer?.status}`);
    else if (!isDeepStrictEqual(ours, theirs))
      problems.push(`${name}: ${JSON.stringify(ours)} is not ${JSON.stringify(theirs)}`.slice(0, 1500));
  }
  for (const problem of problems) console.log(problem);
  const names = Object.keys(calls);
  const makers = new Set(names.map((name) => name.split(' ')[0])).size;
  const equal = names.length - problems.length;
  console.log(JSON.stringify({ ok: problems.length === 0, makers, calls: names.length, requests, equal }));
} finally {
  await stand.close();
}
process.exitCode = problems.length === 0 ? 0 : 1;
