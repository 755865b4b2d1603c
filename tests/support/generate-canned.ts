/** A stand with a Google model and a chat model that send the answers of the test, without validation. */
import {
  type Canned,
  type CannedStand,
  openStandBesideCanned,
  plainAnswer,
  streamedAnswer,
} from './canned-upstream.ts';
import type { Json } from './generate-probe.ts';
import type { StandOptions } from './stand.ts';

/** At Google, so that its answers pass verbatim. */
export const CANNED = 'google/canned';
/** At Google, with audio output. */
export const CANNED_SPEAKER = 'google/canned-speaker';
/** Speaks chat, so that its answers are translated. */
export const CANNED_CHAT = 'canned/chat';

/** Speaks messages, likewise. */
export const CANNED_MESSAGES = 'canned/messages';

const MODEL = {
  contextLength: 128_000,
  maxOutputTokens: 16_384,
  capabilities: { thinking: { kind: 'budget', canDisable: true, min: 1, max: 24_576 } },
};

export const openCannedStand = (config?: StandOptions['config']): Promise<CannedStand> =>
  openStandBesideCanned((url) => ({
    ...(config !== undefined && { config }),
    alsoHosts: () => ({
      providers: {
        // Google itself: only seals of the provider's own host reach callers unchanged.
        google: { baseUrl: url, credential: 'sk-canned' },
        'canned-messages': { dialect: 'anthropic-messages', baseUrl: url, credential: 'sk-canned' },
        'canned-chat': { dialect: 'openai-chat', baseUrl: url, credential: 'sk-canned' },
      },
      models: [
        { id: CANNED, ...MODEL, endpoints: [{ provider: 'google', dialect: 'google-generate', upstreamModel: 'any' }] },
        {
          id: CANNED_SPEAKER,
          ...MODEL,
          outputModalities: ['text', 'audio'],
          endpoints: [{ provider: 'google', dialect: 'google-generate', upstreamModel: 'any' }],
        },
        { id: CANNED_MESSAGES, ...MODEL, endpoints: [{ provider: 'canned-messages', upstreamModel: 'any' }] },
        { id: CANNED_CHAT, ...MODEL, endpoints: [{ provider: 'canned-chat', upstreamModel: 'any' }] },
      ],
    }),
  }));

const USAGE = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };

/** An answer of Google with members merged over its only candidate. */
export const homeAnswer = (candidate: Json = {}, members: Json = {}): Canned =>
  plainAnswer({
    candidates: [
      { content: { role: 'model', parts: [{ text: 'hello' }] }, finishReason: 'STOP', index: 0, ...candidate },
    ],
    usageMetadata: USAGE,
    modelVersion: 'any',
    responseId: 'upstream',
    ...members,
  });

/** A stream of Google: each part a chunk, then one with the finish reason and these members. */
export const homeStream = (parts: readonly Json[], last: Json = {}, members: Json = {}): Canned =>
  streamedAnswer([
    ...parts.map((part) => ({
      candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }],
      responseId: 'upstream',
    })),
    {
      candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP', index: 0, ...last }],
      usageMetadata: USAGE,
      responseId: 'upstream',
      ...members,
    },
  ]);
