/** A stand with hosts of all four dialects that send the answers of the test byte for byte. */
import { type CannedStand, cannedHosts, openStandBesideCanned } from './canned-upstream.ts';

const HOSTS = {
  'canned-responses': { dialect: 'openai-responses' },
  'canned-chat': { dialect: 'openai-chat', quirks: { customTools: true } },
  'canned-messages': { dialect: 'anthropic-messages' },
  'canned-google': { dialect: 'google-generate' },
} as const;
export type CannedHost = keyof typeof HOSTS;

export const cannedModel = (host: CannedHost): string => `${host}/any`;

export const openResponsesCannedStand = (): Promise<CannedStand> =>
  openStandBesideCanned((url) => ({ alsoHosts: () => cannedHosts(url, HOSTS) }));

/** A whole response object, as an upstream of this dialect gives it. */
export const responseOf = (output: readonly object[], members: object = {}): Record<string, unknown> => ({
  id: 'resp_upstream',
  object: 'response',
  created_at: 1,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'any',
  output,
  usage: {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  },
  ...members,
});

export const spoken = (text: string, members: object = {}): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [], ...members }],
});
