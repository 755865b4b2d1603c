/**
 * `npm run sound`: speech and recordings, with programs as judges that are not ours. flite speaks through the gateway and
 * ffprobe reads what arrives, pocketsphinx hears it through the gateway; ffmpeg makes recordings in 16 containers and with forged headers, and what its decoder
 * finds in them is what the host charges. The last line is JSON; exits with 1 unless all is as it must be.
 */
import { fileURLToPath } from 'node:url';
import { listen } from '../../tests/support/sound-probe.ts';
import { KEY, openStand, type Stand } from '../../tests/support/stand.ts';
import { installJudges } from '../tools/judges.ts';
import { type Container, containers } from './containers.ts';
import { openEar } from './ear.ts';
import { ABSURD, HEARER, openHost } from './host.ts';
import { encode, probed, withFile } from './media.ts';
import { SENTENCES, wordErrors, wordsOf } from './sentences.ts';

const LISTENER = 'real/listener';
const EAR = 'real/ear';
const TALKER = 'real/talker';
const FORMS = ['json', 'verbose_json', 'text', 'srt', 'vtt'];
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

const PER_SECOND = { audio: [{ value: '0.0001', unit: 'perSecond', currency: 'USD' }] };

const failures: string[] = [];
const check = (isRight: boolean, what: string): void => {
  if (!isRight) failures.push(what);
  console.log(`${isRight ? 'ok  ' : 'FAIL'}  ${what}`);
};

type Charge = { readonly seconds: number; readonly nanoUsd: bigint; readonly isCut: boolean };

type Fields = Readonly<Record<string, string>>;

async function listenTo(stand: Stand, sound: Buffer, fields: Fields): Promise<Response> {
  const answer = await listen(stand, sound, fields);
  if (answer.status !== 200) throw new Error(`status ${answer.status}: ${await answer.text()}`);
  return answer;
}

async function charged(stand: Stand, sound: Buffer, fields: Fields): Promise<Charge> {
  await (await listenTo(stand, sound, { model: LISTENER, ...fields })).text();
  const bill = stand.records.at(-1)?.bill;
  return {
    seconds: bill?.usage.audioSeconds ?? 0,
    nanoUsd: bill?.cost.nanoUsd ?? 0n,
    isCut: bill?.suspect !== undefined,
  };
}

async function checkForms(stand: Stand, { bytes }: Container): Promise<number> {
  const charges = new Set<bigint>();
  for (const form of FORMS) charges.add((await charged(stand, bytes, { response_format: form })).nanoUsd);
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

const ear = openEar(installJudges(fileURLToPath(new URL('.', import.meta.url)), 'sound'));
const host = await openHost(ear);
const stand = await openStand({
  alsoHosts: () => ({
    providers: {
      real: { dialect: 'openai-transcription', baseUrl: host.url },
      talking: { dialect: 'openai-speech', baseUrl: host.url },
    },
    models: [
      {
        id: LISTENER,
        inputModalities: ['audio'],
        outputModalities: ['transcription'],
        endpoints: [{ provider: 'real', pricings: PER_SECOND }],
      },
      {
        id: EAR,
        inputModalities: ['audio'],
        outputModalities: ['transcription'],
        endpoints: [{ provider: 'real', upstreamModel: HEARER, pricings: PER_SECOND }],
      },
      {
        id: TALKER,
        outputModalities: ['speech'],
        endpoints: [
          { provider: 'talking', pricings: { audio: [{ value: '0.00001', unit: 'perCount', currency: 'USD' }] } },
        ],
      },
    ],
  }),
});
let charges = 0;
let wer: Readonly<Record<string, number>> = {};
let recordings: readonly Container[] = [];
try {
  recordings = await containers();
  charges = await checkForms(stand, recordings[0]!);
  for (const recording of recordings) await checkHold(stand, recording);
  wer = await checkWords(stand);
} finally {
  await stand.close();
  host.close();
  ear.close();
}
const ok = failures.length === 0;
console.log(
  JSON.stringify({
    ok,
    forms: FORMS.length,
    charges,
    containers: recordings.length,
    wer,
    failures,
  }),
);
process.exitCode = ok ? 0 : 1;
