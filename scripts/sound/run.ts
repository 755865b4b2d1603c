/**
 * `npm run sound`: speech and recordings, with programs as judges that are not ours. flite speaks through the gateway and
 * ffprobe reads what arrives; ffmpeg makes recordings in 16 containers and with forged headers, and what its decoder
 * finds in them is what the host charges. The last line is JSON; exits with 1 unless all is as it must be.
 */
import { formOf } from '../../tests/support/sound-probe.ts';
import { KEY, openStand, type Stand } from '../../tests/support/stand.ts';
import { type Container, containers } from './containers.ts';
import { ABSURD, openHost } from './host.ts';
import { probed } from './media.ts';

const LISTENER = 'real/listener';
const TALKER = 'real/talker';
const FORMS = ['json', 'verbose_json', 'text', 'srt', 'vtt'];
const SPOKEN = 'Two roads diverged in a yellow wood, and sorry I could not travel both.';
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
const LEAST_SPOKEN_SECONDS = 2;
/** More than this beyond what is charged is a hold that keeps callers from working. */
const MOST_HELD = 1.2;

const failures: string[] = [];
const check = (isRight: boolean, what: string): void => {
  if (!isRight) failures.push(what);
  console.log(`${isRight ? 'ok  ' : 'FAIL'}  ${what}`);
};

type Charge = { readonly seconds: number; readonly nanoUsd: bigint; readonly isCut: boolean };

async function charged(stand: Stand, sound: Buffer, fields: Readonly<Record<string, string>>): Promise<Charge> {
  const answer = await fetch(`${stand.chatUrl}/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    body: formOf(sound, { model: LISTENER, ...fields }),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`status ${answer.status}: ${text}`);
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

async function checkSpeech(stand: Stand, format: string): Promise<void> {
  const answer = await fetch(`${stand.chatUrl}/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: TALKER, input: SPOKEN, voice: 'rms', response_format: format }),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const { format: read, seconds } = await probed(bytes, format === 'pcm' ? RAW : []);
  const { usage } = stand.records.at(-1)?.bill ?? {};
  const isRight = read === READ_AS[format] && (seconds === 0 || seconds > LEAST_SPOKEN_SECONDS);
  const type = answer.headers.get('content-type');
  check(
    isRight && usage?.characters === SPOKEN.length,
    `speech as ${format}: ${type}, ffprobe reads ${read}, ${seconds} s`,
  );
}

const host = await openHost();
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
        endpoints: [
          { provider: 'real', pricings: { audio: [{ value: '0.0001', unit: 'perSecond', currency: 'USD' }] } },
        ],
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
let recordings: readonly Container[] = [];
try {
  recordings = await containers();
  charges = await checkForms(stand, recordings[0]!);
  for (const recording of recordings) await checkHold(stand, recording);
  for (const format of Object.keys(READ_AS)) await checkSpeech(stand, format);
} finally {
  await stand.close();
  host.close();
}
const ok = failures.length === 0;
console.log(
  JSON.stringify({
    ok,
    forms: FORMS.length,
    charges,
    containers: recordings.length,
    formats: Object.keys(READ_AS).length,
    failures,
  }),
);
process.exitCode = ok ? 0 : 1;
