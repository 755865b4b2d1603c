// The measured routes through the gateway: the caller's protocol, the upstream's protocol, the request, and the check of the
// answer. The prompt and the answer text are the same on every route.
import { readFileSync } from 'node:fs';
import { faultOfAnswer, faultOfStream, faultOfTexts } from '../answer-check.ts';
import type { ContenderName } from '../options.ts';
import { BENCH_KEY, type Measure, requestBody } from './contender.ts';

export interface Road {
  readonly upstreamDialect: 'openai-chat' | 'anthropic-messages';
  readonly headers: Readonly<Record<string, string>>;
  readonly path: (measure: Measure, model: string) => string;
  readonly body: (measure: Measure, model: string) => string;
  /** Says what is wrong with an answer, or nothing. */
  readonly faultOf: Readonly<Record<Measure, (text: string) => string | undefined>>;
}

const requestFile = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../requests/${name}.json`, import.meta.url), 'utf8'));

const chat: Road = {
  upstreamDialect: 'openai-chat',
  headers: { Authorization: `Bearer ${BENCH_KEY}` },
  path: () => '/api/v1/chat/completions',
  body: requestBody,
  faultOf: { json: faultOfAnswer, stream: faultOfStream },
};

const messagesToChat: Road = {
  upstreamDialect: 'openai-chat',
  headers: { 'x-api-key': BENCH_KEY, 'anthropic-version': '2023-06-01' },
  path: () => '/api/anthropic/v1/messages',
  body: (measure, model) =>
    JSON.stringify({ ...requestFile(measure === 'json' ? 'messages' : 'messages-stream'), model }),
  faultOf: faultOfTexts('"text":"', '"output_tokens":', '"stop_reason":"end_turn"'),
};

const genaiToMessages: Road = {
  upstreamDialect: 'anthropic-messages',
  headers: { 'x-goog-api-key': BENCH_KEY },
  path: (measure, model) =>
    `/api/genai/v1beta/models/${model}:${measure === 'json' ? 'generateContent' : 'streamGenerateContent?alt=sse'}`,
  body: () => JSON.stringify(requestFile('generate')),
  faultOf: faultOfTexts('"text":"', '"candidatesTokenCount":', '"finishReason":'),
};

export const ROADS = {
  trivium: chat,
  'trivium-before': chat,
  'trivium-money': chat,
  'trivium-money-before': chat,
  'trivium-observed': chat,
  'trivium-groups': chat,
  'messages-to-chat': messagesToChat,
  'genai-to-messages': genaiToMessages,
} as const satisfies Partial<Record<ContenderName, Road>>;
