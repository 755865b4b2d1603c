/** A stand on whose hosts of all four dialects a test puts every byte of the answer into the upstream's mouth. */
import { type Canned, openCannedUpstream } from './canned-upstream.ts';
import { openStand, type Stand } from './stand.ts';

export type ResponsesCannedStand = Stand & { say(answer: Canned): void };

const DIALECTS = {
  'canned-responses': 'openai-responses',
  'canned-chat': 'openai-chat',
  'canned-messages': 'anthropic-messages',
  'canned-google': 'google-generate',
} as const;
export type CannedHost = keyof typeof DIALECTS;

export const cannedModel = (host: CannedHost): string => `${host}/any`;

export async function openResponsesCannedStand(): Promise<ResponsesCannedStand> {
  const upstream = await openCannedUpstream();
  const hosts = Object.entries(DIALECTS);
  const stand = await openStand({
    alsoHosts: () => ({
      providers: Object.fromEntries(
        hosts.map(([host, dialect]) => [
          host,
          {
            dialect,
            baseUrl: upstream.url,
            credential: 'sk-canned',
            ...(dialect === 'openai-chat' && { quirks: { customTools: true } }),
          },
        ]),
      ),
      models: hosts.map(([host]) => ({
        id: `${host}/any`,
        contextLength: 128_000,
        maxOutputTokens: 16_384,
        endpoints: [{ provider: host, upstreamModel: 'any' }],
      })),
    }),
  });
  return {
    ...stand,
    say: upstream.say,
    close: async () => {
      await stand.close();
      await upstream.close();
    },
  };
}

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
