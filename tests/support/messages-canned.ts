/** A stand with hosts of all four dialects that send the answers of the test byte for byte. */
import { type CannedStand, cannedHosts, openStandBesideCanned } from './canned-upstream.ts';

export const CANNED_MESSAGES = 'canned-messages/any';
export const CANNED_CHAT = 'canned-chat/any';
export const CANNED_GOOGLE = 'canned-google/any';
export const CANNED_RESPONSES = 'canned-responses/any';

const HOSTS = {
  'canned-messages': { dialect: 'anthropic-messages' },
  'canned-chat': { dialect: 'openai-chat' },
  'canned-google': { dialect: 'google-generate' },
  'canned-responses': { dialect: 'openai-responses' },
} as const;

export const openMessagesCannedStand = (): Promise<CannedStand> =>
  openStandBesideCanned((url) => ({ alsoHosts: () => cannedHosts(url, HOSTS) }));

/** A whole messages answer. */
export const message = (content: readonly object[], members: object = {}): object => ({
  id: 'msg_upstream',
  type: 'message',
  role: 'assistant',
  model: 'any',
  content,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
  ...members,
});

/** A whole chat answer with one choice. */
export const completion = (message: object, finish_reason: string, members: object = {}): object => ({
  id: 'chatcmpl-upstream',
  object: 'chat.completion',
  created: 1,
  model: 'any',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  ...members,
});

/** A whole generateContent answer with one candidate. */
export const generated = (parts: readonly object[], finishReason: string): object => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, finishReason }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
});

export const callOf = (id: string, name: string, args: string): object => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
