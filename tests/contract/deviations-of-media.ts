/** Deviations of what is no text: sound, ranks, moderations, older completions, videos. */
import type { Deviation } from './deviations.ts';

const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };
const NULL = { type: 'null' };
const object = (properties: Readonly<Record<string, object>>, required: readonly string[]): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const DURATION = object({ type: { const: 'duration' }, seconds: NUMBER }, ['type', 'seconds']);
const TOKENS = object(
  {
    type: { const: 'tokens' },
    input_tokens: NUMBER,
    input_token_details: object({ text_tokens: NUMBER, audio_tokens: NUMBER }, []),
    output_tokens: NUMBER,
    total_tokens: NUMBER,
  },
  ['type', 'input_tokens', 'output_tokens', 'total_tokens'],
);

const THE_TASK = 'the home states it, and the type lacks it';
const CHARGED = 'what was charged, in the forms that another answer of the same format has';
const RANKING = 'hosts that took over the format state it, and their clients read it; the type of its home lacks it';

export const MEDIA_DEVIATIONS: readonly Deviation[] = [
  { maker: 'OpenAI', type: 'TranscriptionVerbose', members: ['task'], is: 'extra', as: TEXT, why: THE_TASK },
  { maker: 'OpenAI', type: 'TranslationVerbose', members: ['task'], is: 'extra', as: TEXT, why: THE_TASK },
  ...['TranscriptionVerbose', 'TranslationVerbose'].map(
    (type): Deviation => ({
      maker: 'OpenAI',
      type,
      members: ['x_groq'],
      is: 'extra',
      why: 'answers of Groq carry it, and its clients fail without it',
    }),
  ),
  {
    maker: 'OpenAI',
    type: 'TranscriptionVerbose',
    members: ['language', 'duration'],
    is: 'absent',
    why: 'not every host names the language, or says how long a recording is',
  },
  {
    maker: 'OpenAI',
    type: 'TranscriptionSegment',
    members: ['avg_logprob', 'compression_ratio', 'no_speech_prob', 'seek', 'temperature', 'tokens'],
    is: 'absent',
    why: 'hosts of other formats state times and text; nothing is made up beside them',
  },
  { maker: 'OpenAI', type: 'TranscriptionVerbose', members: ['usage'], is: 'also', as: TOKENS, why: CHARGED },
  { maker: 'OpenAI', type: 'TranscriptionTextDoneEvent', members: ['usage'], is: 'also', as: DURATION, why: CHARGED },
  {
    maker: 'OpenAI',
    type: 'TranscriptionDiarized',
    members: ['language', 'words'],
    is: 'extra',
    why: 'hosts of other formats have them beside the speakers',
  },
  ...['Translation', 'TranslationVerbose'].map(
    (type): Deviation => ({
      maker: 'OpenAI',
      type,
      members: ['usage'],
      is: 'extra',
      as: { anyOf: [DURATION, TOKENS] },
      why: CHARGED,
    }),
  ),
  {
    maker: 'OpenAI',
    type: 'Video',
    members: ['size'],
    is: 'also',
    as: { type: 'string', pattern: '^[0-9]+x[0-9]+$' },
    why: 'models of other makers have other sizes',
  },
  {
    maker: 'OpenAI',
    type: 'ModerationCreateParams',
    members: ['threshold'],
    is: 'extra',
    why: 'a member of the caller, which is passed through as it came',
  },
  {
    maker: 'OpenAI',
    type: 'CompletionChoice',
    members: ['finish_reason'],
    is: 'also',
    as: NULL,
    why: 'null until the last event of a stream, as at the home',
  },
  {
    maker: 'OpenAI',
    type: 'CompletionChoice',
    members: ['prompt_logprobs'],
    is: 'extra',
    why: 'a member of the host, which passes where it has this format itself',
  },
  { maker: 'Cohere', type: 'RerankAnswer', members: ['model'], is: 'extra', as: TEXT, why: RANKING },
  {
    maker: 'Cohere',
    type: 'RerankAnswer',
    members: ['usage'],
    is: 'extra',
    as: object({ prompt_tokens: NUMBER, total_tokens: NUMBER }, ['total_tokens']),
    why: RANKING,
  },
  {
    maker: 'Cohere',
    type: 'V2RerankResponseResultsItem.Raw',
    members: ['document'],
    is: 'extra',
    as: object({ text: TEXT }, ['text']),
    why: RANKING,
  },
];
