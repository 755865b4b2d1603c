// OpenAI's speech: bytes, or events that end with the usage.
import { parseObject } from '../../json-text.ts';
import { asText, type JsonRecord } from '../../json-value.ts';
import { countWords } from '../../vectors.ts';
import type { VendorRequest } from '../../wire.ts';
import type { DialectOptions, Reply, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { checkHead, unknownModel } from '../openai-chat/check.ts';
import { wordProblem } from '../openai-chat/problem.ts';
import type { ChatProfile } from '../openai-chat/profiles.ts';
import { badRequest, type ChatRefusal } from '../openai-chat/refusal.ts';
import { refused, statusReply } from '../openai-chat/status-replies.ts';
import { replyOnly } from '../replies.ts';
import { Shapes } from '../shape-check.ts';
import { findCall, SOUND_VENDORS, soundPaths, soundProfileOf } from './clouds.ts';
import { findSoundFamily } from './models.ts';
import { makeSound } from './sound.ts';

const MAX_INPUT = 4096;

const GROQ_FORMATS = new Set(['wav', 'mp3', 'flac']);

const shapes = new Shapes(
  `Speech = { model: text(1..), input: text(1..), voice: text(1..), instructions?: text, response_format?: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm', speed?: num(0.25..4), stream_format?: 'audio' | 'sse' }`,
);

export const openaiSpeech: SimulatedDialect = {
  name: 'openai-speech',
  vendors: SOUND_VENDORS,
  paths: soundPaths('speech'),
  understand,
};

function understand(given: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const profile = soundProfileOf(given.vendor);
  const { request, refusal: lost, deployment } = findCall(given);
  const early = lost ?? checkHead(request, profile, options);
  if (early !== undefined) return refused(early, profile);
  const sent = parseObject(request.body);
  if (sent === undefined)
    return refused(badRequest('We could not parse the JSON body of your request.', null), profile);
  const body = deployment === undefined ? sent : { ...sent, model: deployment };
  const refusal = options.lenient ? undefined : checkBody(body, profile);
  if (refusal !== undefined) return refused(refusal, profile, body);
  const input = asText(body['input']);
  const words = countWords(input);
  return {
    kind: 'reply',
    reply: replyOf(body, profile, words),
    renderer: replyOnly((fault) => statusReply(fault, profile)),
    body,
    model: asText(body['model']),
    promptTokens: words,
  };
}

function checkBody(body: JsonRecord, { ignoresUnknown, vendor }: ChatProfile): ChatRefusal | undefined {
  const problem = shapes.first('Speech', body, ignoresUnknown);
  if (problem !== undefined) return wordProblem(problem);
  const model = asText(body['model']);
  const family = findSoundFamily(model, vendor, 'speak');
  if (family === undefined) return unknownModel(model);
  if (asText(body['input']).length > MAX_INPUT)
    return badRequest(`[{'type': 'string_too_long', 'loc': ('body', 'input')}]`, 'input');
  if (body['stream_format'] === 'sse' && !family.byTokens)
    return badRequest('stream_format sse is not supported with this model.', 'stream_format');
  if (vendor === 'groq' && (body['instructions'] !== undefined || !GROQ_FORMATS.has(asText(body['response_format']))))
    return badRequest('response_format must be one of [wav mp3 flac]', 'response_format');
  return undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};
const PIECE = 3001;
const TOKENS_PER_WORD = 8;

function replyOf(body: JsonRecord, profile: ChatProfile, words: number): Reply {
  const format = asText(body['response_format']) || 'mp3';
  const sound = makeSound(asText(body['input']), format);
  if (body['stream_format'] !== 'sse')
    return { status: 200, headers: { ...profile.answerHeaders, 'content-type': TYPES[format] ?? '' }, body: sound };
  const events: object[] = [];
  for (let at = 0; at < sound.length; at += PIECE)
    events.push({ type: 'speech.audio.delta', audio: sound.subarray(at, at + PIECE).toString('base64') });
  const output = words * TOKENS_PER_WORD;
  const usage = { input_tokens: words, output_tokens: output, total_tokens: words + output };
  events.push({ type: 'speech.audio.done', usage });
  return {
    status: 200,
    headers: { ...profile.answerHeaders, 'content-type': 'text/event-stream; charset=utf-8' },
    body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
  };
}
