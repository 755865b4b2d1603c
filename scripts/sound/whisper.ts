/**
 * A real whisper.cpp behind the gateway. Its model hears nonsense, and not twice the same, so shapes, times, charges and
 * errors are judged, not words.
 */
import { isDeepStrictEqual } from 'node:util';
import { formOf, listen, silence } from '../../tests/support/sound-probe.ts';
import { openStand, type Stand } from '../../tests/support/stand.ts';
import { encode, isReadable, withFile } from './media.ts';
import { type WhisperServer, whisperServer } from './whisper-server.ts';

const MODEL = 'own/whisper';
const SECONDS = 12;
const NANO_USD_PER_SECOND = 100_000n;
const MIB = 1024 * 1024;
const TOO_LARGE_MIB = 26;
const AT_ONCE = 4;
/** Encoders add silence at the end, and decoders leave some of it out. */
const PADDING_SECONDS = 0.1;

/** What it decodes itself, without ffmpeg beside it. */
const DECODED: Readonly<Record<string, readonly string[]>> = {
  mp3: ['-f', 'mp3'],
  flac: ['-f', 'flac'],
  'ogg, vorbis': ['-c:a', 'libvorbis', '-f', 'ogg'],
};
const FORMS: Readonly<Record<string, string>> = {
  json: 'application/json',
  verbose_json: 'application/json',
  text: 'text/plain',
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
};
const SUBTITLES: ReadonlySet<string> = new Set(['srt', 'vtt']);

type Check = (isRight: boolean, what: string) => void;
type Fields = Readonly<Record<string, string | readonly string[]>>;
type Word = { readonly word: string; readonly start: number; readonly end: number };
type Verbose = {
  readonly task: string;
  readonly language: string;
  readonly duration: number;
  readonly text: string;
  readonly segments?: readonly { start: number; end: number; text: string; words?: unknown }[];
  readonly words?: readonly Word[];
};

const hosts = (url: string) => ({
  providers: {
    whisper: { dialect: 'openai-transcription', baseUrl: `${url}/v1`, auth: 'none', quirks: { translateField: true } },
  },
  models: [
    {
      id: MODEL,
      inputModalities: ['audio'],
      outputModalities: ['transcription'],
      endpoints: [
        { provider: 'whisper', pricings: { audio: [{ value: '0.0001', unit: 'perSecond', currency: 'USD' }] } },
      ],
    },
  ],
});

const ask = (stand: Stand, sound: Buffer, fields: Fields = {}, path?: string): Promise<Response> =>
  listen(stand, sound, { model: MODEL, ...fields }, path);

async function inFull(stand: Stand, sound: Buffer, fields: Fields = {}, path?: string): Promise<Verbose> {
  const answer = await ask(stand, sound, { response_format: 'verbose_json', ...fields }, path);
  return (await answer.json()) as Verbose;
}

const chargedSeconds = (stand: Stand): number => stand.records.at(-1)?.bill?.usage.audioSeconds ?? 0;

async function checkForms(stand: Stand, talk: Buffer, check: Check): Promise<void> {
  const charges = new Set<bigint>();
  for (const [form, type] of Object.entries(FORMS)) {
    const answer = await ask(stand, talk, { response_format: form });
    const text = await answer.text();
    const isTyped = answer.headers.get('content-type')?.startsWith(type) === true;
    const isRead = !SUBTITLES.has(form) || (await isReadable(form, text, ' --> '));
    check(
      answer.status === 200 && text.trim() !== '' && isTyped && isRead,
      `whisper.cpp, ${form}: ${text.length} characters`,
    );
    charges.add(stand.records.at(-1)?.bill?.cost.nanoUsd ?? 0n);
  }
  const plain = await (await ask(stand, talk)).json();
  check(
    isDeepStrictEqual(Object.keys(plain as object), ['text', 'usage']),
    `whisper.cpp, json: ${Object.keys(plain as object)}`,
  );
  const isRight = isDeepStrictEqual([...charges], [BigInt(SECONDS) * NANO_USD_PER_SECOND]);
  check(isRight && chargedSeconds(stand) === SECONDS, `whisper.cpp, five charges: ${[...charges].join(', ')}`);
}

async function checkTimes(stand: Stand, talk: Buffer, check: Check): Promise<void> {
  const { task, language, duration, text, segments = [] } = await inFull(stand, talk);
  const areTimed = segments.every((each) => each.end >= each.start && each.text !== '' && each.words === undefined);
  const isPlain = text !== '' && text === text.trim();
  const isWhole = task === 'transcribe' && language === 'english' && duration === SECONDS && isPlain;
  check(isWhole && segments.length > 0 && areTimed, `whisper.cpp, ${segments.length} segments of ${duration} s`);
  const timed = await inFull(stand, talk, { 'timestamp_granularities[]': 'word' });
  const words = timed.words ?? [];
  const areWords = words.every(({ word, start, end }) => /^\S+$/u.test(word) && end >= start);
  const isSame = isDeepStrictEqual(
    words.map(({ word }) => word),
    timed.text.split(/\s+/u),
  );
  check(words.length > 0 && areWords && isSame, `whisper.cpp, ${words.length} words with times are those of the text`);
  const english = await inFull(stand, talk, {}, 'translations');
  check(english.task === 'translate' && chargedSeconds(stand) === SECONDS, `whisper.cpp, task ${english.task}`);
}

async function checkFiles(stand: Stand, talk: Buffer, check: Check): Promise<void> {
  for (const [name, how] of Object.entries(DECODED)) {
    const bytes = await withFile(talk, (path) => encode(path, how));
    const { status } = await ask(stand, bytes);
    const isNear = Math.abs(chargedSeconds(stand) - SECONDS) < PADDING_SECONDS;
    check(status === 200 && isNear, `whisper.cpp, ${name}: status ${status}, ${chargedSeconds(stand)} s`);
  }
}

async function refusal(stand: Stand, sound: Buffer, fields: Fields = {}): Promise<string> {
  const before = stand.records.length;
  const answer = await ask(stand, sound, fields);
  const { error } = (await answer.json()) as { error?: { type: string; code: string | null } };
  const charges = stand.records.slice(before).map(({ bill }) => bill?.cost.nanoUsd ?? 0n);
  return [answer.status, error?.type, error?.code, ...charges.filter((nanoUsd) => nanoUsd > 0n)].join(' ');
}

async function checkErrors(stand: Stand, talk: Buffer, server: WhisperServer, check: Check): Promise<void> {
  const webm = await withFile(talk, (path) => encode(path, ['-c:a', 'libopus', '-f', 'webm']));
  const bare = await fetch(`${server.url}/v1/audio/transcriptions`, { method: 'POST', body: formOf(webm, {}) });
  check(bare.status === 400, `whisper.cpp itself refuses WebM with ${bare.status}: ${await bare.text()}`);
  const expected = async (what: string, wanted: string, got: Promise<string>): Promise<void> => {
    const is = await got;
    check(is === wanted, `whisper.cpp, ${what}: ${is}`);
  };
  const refused = '400 invalid_request_error invalid_value';
  await expected('a container that it does not decode', refused, refusal(stand, webm));
  await expected('a file that is no sound', refused, refusal(stand, Buffer.from('Two roads diverged.\n'.repeat(99))));
  const tooLarge = silence((TOO_LARGE_MIB * MIB) / silence(1).length);
  await expected('a file too large', '413 invalid_request_error request_too_large', refusal(stand, tooLarge));
  const unknown = refusal(stand, talk, { model: 'own/absent' });
  await expected('a model that is unknown', '404 invalid_request_error model_not_found', unknown);
  await server.stop();
  await expected('away', '503 server_error overloaded', refusal(stand, talk));
  await server.start();
  const { status } = await ask(stand, talk);
  check(status === 200, `whisper.cpp, back again: status ${status}`);
}

/** Calls that were charged. */
export async function checkWhisper(judges: string, check: Check): Promise<number> {
  const server = await whisperServer(judges);
  const stand = await openStand({ alsoHosts: () => hosts(server.url) });
  const talk = silence(SECONDS);
  try {
    await server.start();
    await checkForms(stand, talk, check);
    await checkTimes(stand, talk, check);
    await checkFiles(stand, talk, check);
    const all = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(stand, talk)));
    check(
      all.every(({ status }) => status === 200),
      `whisper.cpp, ${AT_ONCE} at once, which it hears one by one`,
    );
    await checkErrors(stand, talk, server, check);
    return stand.records.filter(({ bill }) => (bill?.cost.nanoUsd ?? 0n) > 0n).length;
  } finally {
    await server.stop();
    await stand.close();
  }
}
