/** Sound through the calls for text: a modality asked for, and a recording as a part of the question. */
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';
import type { SpeechEvent } from '../../canonical/sound.ts';
import type { Usage } from '../../canonical/usage.ts';
import { typeOfRecording } from '../../passes/sound-type.ts';
import type { Frame } from '../dialect.ts';
import type { SpeechDialect } from '../sound-dialects.ts';
import { objectIn } from '../upstream-answers.ts';
import { speechDialect } from './speech.ts';
import { transcriptionDialect } from './transcription.ts';

const RATE = 24_000;
const USUAL_SPEAKER = 'Kore';

export const googleSpeech = speechDialect({
  id: 'google-speech',
  formats: ['wav', 'pcm'],
  voices: /^[A-Z][a-z]{2,24}$/,
  voice: 'optional',
  instructions: true,
  bareWav: RATE,
  write: ({ input, voice = USUAL_SPEAKER, instructions }) => ({
    body: {
      contents: [
        { role: 'user', parts: [{ text: instructions === undefined ? input : `${instructions}\n\n${input}` }] },
      ],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } },
      },
    },
  }),
  readEvents,
});

type Read = ReturnType<SpeechDialect['client']['readEvents']>;

function readEvents({ data }: Frame): Read {
  const wire = objectIn(data);
  if (wire === undefined || wire['error'] !== undefined)
    return [
      { type: 'fault', fault: { kind: 'upstream-broken', message: 'The upstream provider failed while it spoke.' } },
    ];
  const [candidate] = arrayAt(wire, 'candidates');
  const own = isJsonObject(candidate) ? candidate : {};
  const sounds = partsOf(own).flatMap((part): SpeechEvent[] => {
    const base64 = stringAt(objectAt(part, 'inlineData'), 'data');
    return base64 === undefined ? [] : [{ type: 'sound', base64 }];
  });
  if (stringAt(own, 'finishReason') === undefined) return sounds;
  return [...sounds, { type: 'sound-end', usage: spokenUsage(objectAt(wire, 'usageMetadata')) }];
}

const partsOf = (candidate: JsonObject): readonly JsonObject[] =>
  arrayAt(objectAt(candidate, 'content') ?? {}, 'parts').filter(isJsonObject);

function spokenUsage(usage: JsonObject | undefined): Usage {
  const [prompt, outputAudio] = [numberAt(usage, 'promptTokenCount'), numberAt(usage, 'candidatesTokenCount')];
  return outputAudio === undefined ? {} : { prompt: prompt ?? 0, outputAudio };
}

const WRITE_DOWN = 'Write down every word that is said in this recording, and nothing else.';
const IN_ENGLISH = 'Write down in English what is said in this recording, and nothing else.';

export const googleTranscription = transcriptionDialect({
  id: 'google-transcription',
  carries: ['language', 'prompt', 'temperature'],
  times: false,
  speakers: false,
  translates: true,
  write: ({ recording, language, prompt, temperature, translate }) => ({
    body: {
      contents: [
        {
          role: 'user',
          parts: [
            {
              inlineData: {
                mimeType: typeOfRecording(recording.pieces)?.mimeType ?? recording.mimeType ?? 'audio/wav',
                data: recording.toBase64(),
              },
            },
            { text: askedWords(translate, language, prompt) },
          ],
        },
      ],
      ...(temperature !== undefined && { generationConfig: { temperature } }),
    },
  }),
  read: (body) => {
    const [candidate] = arrayAt(body, 'candidates');
    if (!isJsonObject(candidate)) return undefined;
    const texts = partsOf(candidate).flatMap((part) =>
      part['thought'] === true ? [] : (stringAt(part, 'text') ?? []),
    );
    // Nothing is said in it, and it is paid for all the same.
    const isSilent = stringAt(candidate, 'finishReason') === 'STOP';
    if (texts.length === 0 && !isSilent) return undefined;
    return { text: texts.join('').trim(), usage: heardUsage(objectAt(body, 'usageMetadata')) };
  },
});

function askedWords(translate: boolean, language: string | undefined, prompt: string | undefined): string {
  const lines = [translate ? IN_ENGLISH : WRITE_DOWN];
  if (language !== undefined && !translate) lines.push(`The language is ${language}.`);
  if (prompt !== undefined) lines.push(`What is known about it: ${prompt}`);
  return lines.join('\n');
}

function heardUsage(usage: JsonObject | undefined): Usage {
  const total = numberAt(usage, 'promptTokenCount');
  if (total === undefined) return {};
  const heard = arrayAt(usage ?? {}, 'promptTokensDetails')
    .filter(isJsonObject)
    .filter((part) => stringAt(part, 'modality') === 'AUDIO')
    .reduce((sum, part) => sum + (numberAt(part, 'tokenCount') ?? 0), 0);
  const inputAudio = Math.min(total, heard);
  const completion = (numberAt(usage, 'candidatesTokenCount') ?? 0) + (numberAt(usage, 'thoughtsTokenCount') ?? 0);
  return { prompt: total - inputAudio, inputAudio, completion };
}
