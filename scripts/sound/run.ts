/**
 * `npm run sound`: speech and recordings, with programs as judges that are not ours. flite speaks through the gateway and
 * ffprobe reads what arrives, pocketsphinx hears it through the gateway; ffmpeg makes recordings in 16 containers and with forged headers, and what its decoder
 * finds in them is what the host charges; whisper.cpp is built and answers for itself. The last line is JSON; exits with 1 unless all is as it must be.
 */
import { fileURLToPath } from 'node:url';
import { listen } from '../../tests/support/sound-probe.ts';
import { KEY, openStand, type Stand } from '../../tests/support/stand.ts';
import { installJudges } from '../tools/judges.ts';
import { checkClients } from './clients.ts';
import { type Container, containers } from './containers.ts';
import { openEar } from './ear.ts';
import { ABSURD, openHost } from './host.ts';
import { checkLimits } from './limits.ts';
import { encode, isReadable, probed, withFile } from './media.ts';
import { EAR, hostsOf, LISTENER, TALKER } from './models.ts';
import { checkOpenWebUi } from './open-webui.ts';
import { SENTENCES, wordErrors, wordsOf } from './sentences.ts';
import { checkWhisper } from './whisper.ts';

const FORMS = ['json', 'verbose_json', 'text', 'srt', 'vtt'];
const SUBTITLES: ReadonlySet<string> = new Set(['srt', 'vtt']);
const READ_AS: Readonly<Record<string, string>> = {
  mp3: 'mp3',
  opus: 'ogg',
  aac: 'aac',
  flac: 'flac',
  wav: 'wav',
  pcm: 's16le',
};
const RAW = ['-f', 's16le', '-ar', '24000'];
/** Of a sentence: shorter is cut off. */
const LEAST_SPOKEN_SECONDS = 1.5;
/** Words that are wrong, for each that is said. */
const MOST_WORD_ERRORS = 0.2;
/** More than this beyond what is charged is a hold that keeps callers from working. */
const MOST_HELD = 1.2;

const failures: string[] = [];
const check = (isRight: boolean, what: string): void => {
  if (!isRight) failures.push(what);
  console.log(`${isRight ? 'ok  ' : 'FAIL'}  ${what}`);
};

type Charge = { readonly seconds: number; readonly nanoUsd: bigint; readonly isCut: boolean; readonly text: string };

type Fields = Readonly<Record<string, string>>;

async function listenTo(stand: Stand, sound: Buffer, fields: Fields): Promise<Response> {
  const answer = await listen(stand, sound, fields);
  if (answer.status !== 200) throw new Error(`status ${answer.status}: ${await answer.text()}`);
  return answer;
}

async function charged(stand: Stand, sound: Buffer, fields: Fields): Promise<Charge> {
  const text = await (await listenTo(stand, sound, { model: LISTENER, ...fields })).text();
  const bill = stand.records.at(-1)?.bill;
  return {
    seconds: bill?.usage.audioSeconds ?? 0,
    nanoUsd: bill?.cost.nanoUsd ?? 0n,
    isCut: bill?.suspect !== undefined,
    text,
  };
}

async function checkForms(stand: Stand, { bytes }: Container): Promise<number> {
  const charges = new Set<bigint>();
  for (const form of FORMS) {
    const { nanoUsd, text } = await charged(stand, bytes, { response_format: form });
    charges.add(nanoUsd);
    if (SUBTITLES.has(form)) check(await isReadable(form, text, 'Roads.'), `ffmpeg reads ${form}`);
  }
  check(charges.size === 1 && !charges.has(0n), `five forms of one recording: ${[...charges].join(', ')} nano-dollars`);
  return charges.size;
}

async function checkHold(stand: Stand, { name, bytes, isForged }: Container): Promise<void> {
  const { seconds: stated } = await probed(bytes);
  const charge = await charged(stand, bytes, {});
  const { seconds: held } = await charged(stand, bytes, { prompt: ABSURD });
  const isEnough = !charge.isCut && held >= charge.seconds && held >= stated;
  const figures = `held ${held} s, charged ${charge.seconds} s, ffprobe reads ${stated} s`;
  check(isEnough && (isForged || held <= MOST_HELD * charge.seconds), `${name}: ${figures}`);
}

async function spoken(stand: Stand, input: string, format: string): Promise<Buffer> {
  const answer = await fetch(`${stand.chatUrl}/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: TALKER, input, voice: 'rms', response_format: format }),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) throw new Error(`status ${answer.status}: ${bytes.toString()}`);
  const { format: read, seconds } = await probed(bytes, format === 'pcm' ? RAW : []);
  const isRight = read === READ_AS[format] && (seconds === 0 || seconds > LEAST_SPOKEN_SECONDS);
  const characters = stand.records.at(-1)?.bill?.usage.characters;
  if (!isRight || characters !== input.length)
    throw new Error(`ffprobe reads ${read}, ${seconds} s; ${characters} characters are charged`);
  return bytes;
}

/** Samples without a head are no file: a caller writes one before it sends them on. */
const asFile = (bytes: Buffer, format: string): Promise<Buffer> =>
  format === 'pcm' ? withFile(bytes, (path) => encode(path, ['-f', 'wav'], false, RAW)) : Promise.resolve(bytes);

/** Words wrong of words said, of one sentence in one format. */
async function misheard(stand: Stand, sentence: string, format: string): Promise<number> {
  const file = await asFile(await spoken(stand, sentence, format), format);
  const { text } = (await (await listenTo(stand, file, { model: EAR })).json()) as { text: string };
  return wordErrors(wordsOf(sentence), wordsOf(text));
}

async function checkWords(stand: Stand): Promise<Readonly<Record<string, number>>> {
  const said = SENTENCES.reduce((sum, sentence) => sum + wordsOf(sentence).length, 0);
  const rates: Record<string, number> = {};
  for (const format of Object.keys(READ_AS)) {
    let errors = 0;
    for (const sentence of SENTENCES) errors += await misheard(stand, sentence, format);
    rates[format] = Number((errors / said).toFixed(3));
    check(rates[format] <= MOST_WORD_ERRORS, `spoken and heard as ${format}: ${errors} of ${said} words wrong`);
  }
  return rates;
}

const judges = installJudges(fileURLToPath(new URL('.', import.meta.url)), 'sound');
const ear = openEar(judges);
const host = await openHost(ear);
const stand = await openStand({ alsoHosts: () => hostsOf(host.url) });

/** What is checked, or the named parts of it: `npm run sound -- words clients`. */
const PARTS: Readonly<Record<string, () => Promise<object>>> = {
  forms: async () => ({ forms: FORMS.length, charges: await checkForms(stand, (await containers())[0]!) }),
  containers: async () => {
    const recordings = await containers();
    for (const recording of recordings) await checkHold(stand, recording);
    return { containers: recordings.length };
  },
  limits: async () => ({ peakMiB: await checkLimits(host, check) }),
  clients: async () => ({ clients: await checkClients(stand.chatUrl, judges, check) }),
  words: async () => ({ wer: await checkWords(stand) }),
  whisper: async () => ({ whisper: await checkWhisper(judges, check) }),
  'open-webui': async () => ({ openWebUi: await checkOpenWebUi(stand, judges, check) }),
};
/** Too large for all that is checked: only if it is named. */
const LARGE = 'open-webui';
const figures: object[] = [];
try {
  const asked = process.argv.slice(2);
  for (const [name, part] of Object.entries(PARTS))
    if (asked.length === 0 ? name !== LARGE : asked.includes(name)) figures.push(await part());
} finally {
  await stand.close();
  host.close();
  ear.close();
}
const ok = failures.length === 0;
console.log(JSON.stringify({ ok, ...Object.assign({}, ...figures), failures }));
process.exitCode = ok ? 0 : 1;
