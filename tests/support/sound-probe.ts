/** Sound on both ends: models that speak and listen, at a host that counts tokens and at one that counts nothing. */
import { AZURE_KEY } from './cloud-hosts.ts';
import { KEY, type Stand, type StandOptions, UPSTREAM_SECRET } from './stand.ts';

export const SPEAKER = 'openai/tts-1';
export const TOKEN_SPEAKER = 'openai/gpt-4o-mini-tts';
export const LISTENER = 'openai/whisper-1';
export const TOKEN_LISTENER = 'openai/gpt-4o-transcribe';
export const DIARIZER = 'openai/gpt-4o-transcribe-diarize';
export const OWN_SPEAKER = 'compatible/kokoro';
export const OWN_LISTENER = 'compatible/whisper';

const speaks = { inputModalities: ['text'], outputModalities: ['speech'] };
const listens = { inputModalities: ['audio'], outputModalities: ['transcription'] };
const audio = (value: string, unit: string) => ({ audio: [{ value, unit, currency: 'USD' }] });
const tokens = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];

const PER_CHARACTER = '0.000015';
const PER_SECOND = '0.0001';

export const soundModels = [
  { id: SPEAKER, ...speaks, endpoints: [{ provider: 'openai', pricings: audio(PER_CHARACTER, 'perCount') }] },
  {
    id: TOKEN_SPEAKER,
    ...speaks,
    endpoints: [{ provider: 'openai', pricings: { prompt: tokens('2.5'), ...audio('12', 'perMTokens') } }],
  },
  { id: LISTENER, ...listens, endpoints: [{ provider: 'openai', pricings: audio(PER_SECOND, 'perSecond') }] },
  {
    id: TOKEN_LISTENER,
    ...listens,
    endpoints: [
      {
        provider: 'openai',
        pricings: { prompt: tokens('2.5'), completion: tokens('10'), ...audio('6', 'perMTokens') },
      },
    ],
  },
  {
    id: DIARIZER,
    ...listens,
    endpoints: [
      {
        provider: 'openai',
        pricings: { prompt: tokens('2.5'), completion: tokens('10'), ...audio('6', 'perMTokens') },
      },
    ],
  },
  { id: OWN_SPEAKER, ...speaks, endpoints: [{ provider: 'compatible' }] },
  {
    id: OWN_LISTENER,
    ...listens,
    endpoints: [{ provider: 'compatible', pricings: audio(PER_SECOND, 'perSecond') }],
  },
];

export const soundHosts: NonNullable<StandOptions['alsoHosts']> = () => ({ providers: {}, models: soundModels });

/** The same calls at clouds: deployments in the path, another prefix, no subtitles. */
export const cloudSounds: NonNullable<StandOptions['alsoHosts']> = (url) => {
  const at = (provider: string, upstreamModel: string, dialect: string, pricings: object) => [
    { provider, upstreamModel, dialect, pricings },
  ];
  const [second, character] = [audio(PER_SECOND, 'perSecond'), audio(PER_CHARACTER, 'perCount')];
  const byToken = { prompt: tokens('2.5'), ...audio('12', 'perMTokens') };
  return {
    providers: {
      azure: { credential: AZURE_KEY, baseUrl: `${url}/azure/openai/v1` },
      'azure-deployments': { credential: AZURE_KEY, baseUrl: `${url}/azure/openai` },
      groq: { credential: UPSTREAM_SECRET, baseUrl: `${url}/groq/openai/v1` },
    },
    models: [
      { id: 'azure/ear', ...listens, endpoints: at('azure', 'whisper-1', 'openai-transcription', second) },
      { id: 'azure/voice', ...speaks, endpoints: at('azure', 'gpt-4o-mini-tts', 'openai-speech', byToken) },
      {
        id: 'azure-deployments/ear',
        ...listens,
        endpoints: at('azure-deployments', 'whisper-1', 'openai-transcription', second),
      },
      {
        id: 'azure-deployments/voice',
        ...speaks,
        endpoints: at('azure-deployments', 'gpt-4o-mini-tts', 'openai-speech', byToken),
      },
      { id: 'groq/ear', ...listens, endpoints: at('groq', 'whisper-large-v3', 'openai-transcription', second) },
      { id: 'groq/voice', ...speaks, endpoints: at('groq', 'playai-tts', 'openai-speech', character) },
    ],
  };
};

export const speak = (stand: Stand, body: object, init: RequestInit = {}): Promise<Response> =>
  fetch(`${stand.chatUrl}/audio/speech`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: JSON.stringify(body),
    ...init,
  });

type Fields = Readonly<Record<string, string | readonly string[]>>;

/** The file first and the model after it, as the documented example of the most used client has it. */
export function formOf(sound: Uint8Array, fields: Fields, name = 'talk.wav'): FormData {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(sound)]), name);
  for (const [field, value] of Object.entries(fields))
    for (const each of typeof value === 'string' ? [value] : value) form.append(field, each);
  return form;
}

export const listen = (
  stand: Stand,
  sound: Uint8Array,
  fields: Fields,
  path = 'transcriptions',
  name?: string,
): Promise<Response> =>
  fetch(`${stand.chatUrl}/audio/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    body: formOf(sound, fields, name),
  });

const RATE = 8000;
const HEAD_BYTES = 44;

/** Silence of this many seconds, as 16 bits a sample. */
export function silence(seconds: number): Buffer {
  const length = Math.round(seconds * RATE) * 2;
  const head = Buffer.alloc(HEAD_BYTES);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(HEAD_BYTES - 8 + length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(length, 40);
  return Buffer.concat([head, Buffer.alloc(length)]);
}
