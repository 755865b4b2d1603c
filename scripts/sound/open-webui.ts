/** Open WebUI itself, with the gateway as its only host: what it lists, speaks, hears and answers, and what is charged for it. */
import { isDeepStrictEqual } from 'node:util';
import { CLIENTS } from '../../packages/cli/src/connect/clients.ts';
import { waitFor } from '../../tests/rt/parts/wait.ts';
import { KEY, type Stand } from '../../tests/support/stand.ts';
import { decoded, encode, probed, secondsOf, withFile } from './media.ts';
import { EAR, TALKER } from './models.ts';
import { type OpenWebUi, startOpenWebUi } from './open-webui-server.ts';
import { SENTENCES, wordErrors, wordsOf } from './sentences.ts';

const SENTENCE = SENTENCES[0];
const CHATTER = 'anthropic/claude-sonnet-4.6';
/** One that Open WebUI does not offer by itself, as it does where it finds no list. */
const LISTED_VOICE = 'sage';
const MOST_WORD_ERRORS = 0.2;
const LEAST_SPOKEN_SECONDS = 1.5;
const RECORD_LIMIT_MS = 10_000;
const NANO_USD_PER_CHARACTER = 10_000n;
const NANO_USD_PER_SECOND = 100_000n;
const NANO_USD_PER_INPUT_TOKEN = 3_000n;
const NANO_USD_PER_OUTPUT_TOKEN = 15_000n;

/** What is asked for (its own pages ask for none), how the answer is typed, and what ffprobe reads in it. */
type Form = readonly [asked: string | undefined, type: string, read: string];
const FORMS: readonly Form[] = [
  [undefined, 'audio/mpeg', 'mp3'],
  ['wav', 'audio/wav', 'wav'],
  ['flac', 'audio/flac', 'flac'],
  ['opus', 'audio/ogg', 'ogg'],
];

type Check = (isRight: boolean, what: string) => void;
type Call = (path: string, body?: object) => Promise<Response>;
type Ids = readonly { readonly id: string }[];

/** For chats, what `trivium connect open-webui` prints. */
const settingsOf = (gateway: string, base = `${gateway}/v1`): Readonly<Record<string, string>> => ({
  ...CLIENTS.find(({ id }) => id === 'open-webui')!.environment!({ gateway, key: KEY, model: CHATTER }),
  AUDIO_TTS_ENGINE: 'openai',
  AUDIO_TTS_OPENAI_API_BASE_URL: base,
  AUDIO_TTS_OPENAI_API_KEY: KEY,
  AUDIO_TTS_MODEL: TALKER,
  AUDIO_STT_ENGINE: 'openai',
  AUDIO_STT_OPENAI_API_BASE_URL: base,
  AUDIO_STT_OPENAI_API_KEY: KEY,
  AUDIO_STT_MODEL: EAR,
});

async function ask(url: string, body?: object, token?: string): Promise<Response> {
  const isForm = body instanceof FormData;
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
  };
  const sent = body !== undefined && { method: 'POST', body: isForm ? body : JSON.stringify(body) };
  const answer = await fetch(url, { headers, ...sent });
  if (answer.status !== 200) throw new Error(`${url}: status ${answer.status}: ${await answer.text()}`);
  return answer;
}

/** As its one user, whom it makes where it is told to ask for no names. */
async function signedIn({ url }: OpenWebUi): Promise<Call> {
  const answer = await ask(`${url}/api/v1/auths/signin`, { email: '', password: '' });
  const { token } = (await answer.json()) as { token: string };
  return (path, body) => ask(`${url}${path}`, body, token);
}

async function checkLists(stand: Stand, call: Call, check: Check): Promise<void> {
  for (const [what, known] of [
    ['voices', LISTED_VOICE],
    ['models', TALKER],
  ] as const) {
    const listed = (await (await ask(`${stand.url}/v1/audio/${what}`)).json()) as Record<string, Ids>;
    const shown = (await (await call(`/api/v1/audio/${what}`)).json()) as Record<string, Ids>;
    const isKnown = shown[what]?.some(({ id }) => id === known) === true;
    check(
      isKnown && isDeepStrictEqual(shown, listed),
      `Open WebUI shows the ${shown[what]?.length} ${what} of the gateway`,
    );
  }
}

/** Makes one call, which must leave one record. Returns its charge. */
async function charged(stand: Stand, run: () => Promise<unknown>): Promise<bigint> {
  const before = stand.records.length;
  await run();
  await waitFor('a record', () => stand.records.length > before, RECORD_LIMIT_MS);
  const records = stand.records.slice(before);
  if (records.length > 1) throw new Error(`${records.length} records of one call`);
  return records[0]!.bill?.cost.nanoUsd ?? 0n;
}

async function spoken(stand: Stand, call: Call, check: Check, [asked, type, read]: Form): Promise<Buffer> {
  let sound = Buffer.alloc(0);
  let typed: string | null = null;
  const nanoUsd = await charged(stand, async () => {
    const answer = await call('/api/v1/audio/speech', { input: SENTENCE, voice: LISTED_VOICE, response_format: asked });
    typed = answer.headers.get('content-type');
    sound = Buffer.from(await answer.arrayBuffer());
  });
  const { format, seconds } = await probed(sound);
  const isCharged = nanoUsd === BigInt(SENTENCE.length) * NANO_USD_PER_CHARACTER;
  const isSound = typed === type && format === read && seconds > LEAST_SPOKEN_SECONDS;
  check(isSound && isCharged, `Open WebUI speaks ${typed}, ffprobe reads ${format}, ${seconds} s: ${nanoUsd}`);
  return sound;
}

/** Words wrong. */
async function misheard(stand: Stand, call: Call, check: Check, sound: Buffer, name: string): Promise<number> {
  const form = new FormData();
  form.append('file', new File([new Uint8Array(sound)], `talk.${name}`, { type: `audio/${name}` }));
  form.append('language', 'en');
  let text = '';
  const nanoUsd = await charged(stand, async () => {
    ({ text } = (await (await call('/api/v1/audio/transcriptions', form)).json()) as { text: string });
  });
  const seconds = BigInt(Math.ceil(secondsOf(await decoded(sound))));
  check(nanoUsd === seconds * NANO_USD_PER_SECOND, `Open WebUI hears ${seconds} s of ${name}, "${text}": ${nanoUsd}`);
  return wordErrors(wordsOf(SENTENCE), wordsOf(text));
}

async function checkSound(stand: Stand, call: Call, check: Check): Promise<number> {
  const sounds = new Map<string, Buffer>();
  for (const form of FORMS) sounds.set(form[2], await spoken(stand, call, check, form));
  // As browsers record: a stream, whose length is nowhere stated.
  sounds.set('webm', await withFile(sounds.get('wav')!, (path) => encode(path, ['-f', 'webm'], true)));
  let wrong = 0;
  for (const [name, sound] of sounds) wrong += await misheard(stand, call, check, sound, name);
  const said = wordsOf(SENTENCE).length * sounds.size;
  check(wrong / said <= MOST_WORD_ERRORS, `Open WebUI: ${wrong} of ${said} words wrong`);
  return Number((wrong / said).toFixed(3));
}

type Piece = {
  readonly choices: readonly { readonly delta?: { content?: string | null }; readonly message?: { content: string } }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
};

const piecesOf = (text: string): readonly Piece[] =>
  (text.startsWith('{') ? [text] : (text.match(/(?<=^data: )\{.*$/gmu) ?? [])).map((json) => JSON.parse(json) as Piece);

/** With a maker whose format is another, as an answer and as a stream. */
async function checkChat(stand: Stand, call: Call, check: Check): Promise<void> {
  const listed = (await (await ask(`${stand.url}/v1/models`, undefined, KEY)).json()) as { data: Ids };
  const shown = (await (await call('/api/models')).json()) as { data: Ids };
  const idsOf = ({ data }: { data: Ids }): readonly string[] => data.map(({ id }) => id).toSorted();
  check(isDeepStrictEqual(idsOf(shown), idsOf(listed)), `Open WebUI shows ${shown.data.length} models for chats`);
  for (const how of [{ stream: false }, { stream: true, stream_options: { include_usage: true } }]) {
    const messages = [{ role: 'user', content: SENTENCE }];
    let pieces: readonly Piece[] = [];
    const nanoUsd = await charged(stand, async () => {
      pieces = piecesOf(await (await call('/api/chat/completions', { model: CHATTER, messages, ...how })).text());
    });
    const text = pieces.map(({ choices: [first] }) => first?.message?.content ?? first?.delta?.content ?? '').join('');
    const { prompt_tokens: input = 0, completion_tokens: output = 0 } =
      pieces.findLast(({ usage }) => usage)?.usage ?? {};
    const byHand = BigInt(input) * NANO_USD_PER_INPUT_TOKEN + BigInt(output) * NANO_USD_PER_OUTPUT_TOKEN;
    const isCharged = nanoUsd > 0n && nanoUsd === byHand;
    check(isCharged && text.includes(SENTENCE), `Open WebUI chats, "${text}": ${input} + ${output} tokens, ${nanoUsd}`);
  }
}

export async function checkOpenWebUi(stand: Stand, judges: string, check: Check): Promise<object> {
  const server = await startOpenWebUi(judges, settingsOf(stand.url));
  try {
    const call = await signedIn(server);
    await checkLists(stand, call, check);
    const wer = await checkSound(stand, call, check);
    await checkChat(stand, call, check);
    return { wer };
  } finally {
    await server.stop();
  }
}
