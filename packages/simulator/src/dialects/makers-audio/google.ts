// Gemini: speech as base64 in events, and the words of recordings as text. Models of sound only.
import { parseObject } from '../../json-text.ts';
import { asRecord, asRecords, asText } from '../../json-value.ts';
import type { VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import { makeSound, secondsOf } from '../openai-audio/sound.ts';
import { json } from '../replies.ts';
import { Shapes } from '../shape-check.ts';
import { type AudioHost, type Served, talkOf, type Wrong } from './host.ts';

const shapes = new Shapes(
  `Speech = { contents: [{ role?: 'user', parts: [{ text: text(1..) }](1..1) }](1..1),
    generationConfig: { responseModalities: ['AUDIO'](1..1), speechConfig?: Voices,
      maxOutputTokens?: int(1..), temperature?: num(0..2) } }
   Voices = { voiceConfig?: Voice, languageCode?: text(2..),
     multiSpeakerVoiceConfig?: { speakerVoiceConfigs: [{ speaker: text(1..), voiceConfig: Voice }](2..2) } }
   Voice = { prebuiltVoiceConfig?: { voiceName: text(/^[A-Z][a-z]+$/) },
     replicatedVoiceConfig?: { mimeType: 'audio/wav', voiceSample: text(1..) } }
   Listen = { contents: [{ role?: 'user', parts: [open {}](2..2) }](1..1), generationConfig?: { temperature?: num(0..2) } }`,
);

const base = {
  vendor: 'google',
  isKey: (headers: VendorRequest['headers']) => headerText(headers['x-goog-api-key']) !== '',
  error: (status: number, message: string) => ({ error: { code: status, message, status: 'INVALID_ARGUMENT' } }),
};

const MODEL = /\/models\/([^/:]+):/u;
const PIECE = 3000;
const TOKENS_A_CHARACTER = 2;
const TOKENS_A_SECOND = 32;

const promptOf = (body: unknown): readonly Record<string, unknown>[] =>
  asRecords(asRecords(asRecord(body)['contents'])[0]?.['parts']).map((part) => ({ ...part }));

function speak(request: VendorRequest): Served | Wrong {
  const body = parseObject(request.body);
  if (body === undefined) return [400, 'Invalid JSON payload received.'];
  const problem = shapes.first('Speech', body);
  if (problem !== undefined) return [400, `Invalid value at '${problem.path.join('.')}'`, body];
  const model = MODEL.exec(request.path)?.[1] ?? '';
  const text = asText(promptOf(body)[0]?.['text']);
  const sound = makeSound(text, 'pcm');
  const [prompt, spoken] = [Math.ceil(text.length / 4), text.length * TOKENS_A_CHARACTER];
  const usage = {
    promptTokenCount: prompt,
    candidatesTokenCount: spoken,
    totalTokenCount: prompt + spoken,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
    candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: spoken }],
  };
  const said = (bytes: Buffer) => ({
    content: {
      role: 'model',
      parts: [{ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: bytes.toString('base64') } }],
    },
    index: 0,
  });
  if (request.path.endsWith(':generateContent'))
    return {
      reply: json(200, {
        candidates: [{ ...said(sound), finishReason: 'STOP' }],
        usageMetadata: usage,
        modelVersion: model,
      }),
      body,
      model,
    };
  const events: object[] = [];
  for (let at = 0; at < sound.length; at += PIECE)
    events.push({ candidates: [said(sound.subarray(at, at + PIECE))], modelVersion: model });
  events.push({ candidates: [{ finishReason: 'STOP', index: 0 }], usageMetadata: usage, modelVersion: model });
  const stream = events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join('');
  return { reply: { status: 200, headers: { 'content-type': 'text/event-stream' }, body: stream }, body, model };
}

function listen(request: VendorRequest): Served | Wrong {
  const body = parseObject(request.body);
  if (body === undefined) return [400, 'Invalid JSON payload received.'];
  const problem = shapes.first('Listen', body);
  if (problem !== undefined) return [400, `Invalid value at '${problem.path.join('.')}'`, body];
  const [recording, question] = promptOf(body);
  const { mimeType, data } = asRecord(recording?.['inlineData']);
  if (!asText(mimeType).startsWith('audio/') || asText(question?.['text']) === '')
    return [400, 'Unsupported MIME type.', body];
  const sound = Buffer.from(asText(data), 'base64');
  const seconds = secondsOf(sound);
  const { text, words } = talkOf(sound.length, seconds);
  const [heard, asked] = [Math.ceil(seconds * TOKENS_A_SECOND), 12];
  const model = MODEL.exec(request.path)?.[1] ?? '';
  const answer = {
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: heard + asked,
      candidatesTokenCount: words.length,
      totalTokenCount: heard + asked + words.length,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: asked },
        { modality: 'AUDIO', tokenCount: heard },
      ],
    },
    modelVersion: model,
  };
  return { reply: json(200, answer), body, model };
}

const at = (kind: string): RegExp =>
  new RegExp(`^/v1beta/models/gemini-[\\w.-]+-${kind}:(?:streamG|g)enerateContent$`, 'u');

export const google: readonly AudioHost[] = [
  { ...base, name: 'google-speech', path: at('tts'), serve: speak },
  { ...base, name: 'google-transcription', path: at('transcribe'), serve: listen },
];
