// How OpenAI differs from the common subset of its format; Azure differs in nothing but padding.

import type { ChatQuirks, ImagesQuirks, SpeechQuirks } from '@trivium/protocol/dialects';

export const OPENAI_CHAT: Partial<ChatQuirks> = {
  maxTokensField: 'max_completion_tokens',
  systemRole: 'as-given',
  logitBias: true,
  verbosity: true,
  webSearchOptions: true,
  customTools: true,
  thinkingModelsRefuse: [
    'temperature',
    'top_p',
    'frequency_penalty',
    'presence_penalty',
    'stop',
    'logit_bias',
    'logprobs',
  ],
  reasoningRead: [],
  reasoningReplay: 'forbidden',
  obfuscationOff: true,
};

export const OPENAI_IMAGES: Partial<ImagesQuirks> = { streamsImages: true, responseFormat: false, imageSettings: true };

export const OPENAI_SPEECH: Partial<SpeechQuirks> = {
  events: true,
  voices: ['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer'],
};
