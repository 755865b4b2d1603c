/**
 * The calls of the warm-up: all four protocols with every kind of host, streamed and not; failures, refusals and a
 * caller who disconnects.
 */
import { DIALECTS, FAIL, STALL, TEXT } from './hosts.ts';

export type WarmUpCall = {
  readonly path: string;
  readonly body: string;
  /** The caller disconnects at the first bytes of the answer. */
  readonly isCut?: boolean;
};

type Asked = { readonly dialect: string; readonly text?: string; readonly stream?: boolean };

type Caller = (asked: Required<Asked>) => WarmUpCall;

const modelOf = (dialect: string): string => `warm-up/${dialect}`;

const CALLERS: Readonly<Record<string, Caller>> = {
  'openai-chat': ({ dialect, text, stream }) => ({
    path: '/v1/chat/completions',
    body: JSON.stringify({
      model: modelOf(dialect),
      messages: [
        { role: 'system', content: 'You are a helpful assistant.' },
        { role: 'user', content: text },
      ],
      max_tokens: 64,
      temperature: 0.5,
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
    }),
  }),
  'openai-responses': ({ dialect, text, stream }) => ({
    path: '/v1/responses',
    body: JSON.stringify({ model: modelOf(dialect), input: text, stream }),
  }),
  'anthropic-messages': ({ dialect, text, stream }) => ({
    path: '/v1/messages',
    body: JSON.stringify({
      model: modelOf(dialect),
      max_tokens: 64,
      system: 'You are a helpful assistant.',
      messages: [{ role: 'user', content: text }],
      stream,
    }),
  }),
  'google-generate': ({ dialect, text, stream }) => ({
    path: `/v1beta/models/${modelOf(dialect)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: JSON.stringify({
      contents: [{ role: 'user', parts: [{ text }] }],
      generationConfig: { maxOutputTokens: 64 },
    }),
  }),
};

const PROTOCOLS = Object.keys(CALLERS);

function ask(protocol: string, { dialect, text = TEXT, stream = false }: Asked): WarmUpCall {
  const caller = CALLERS[protocol];
  if (caller === undefined) throw new Error(`no caller for ${protocol}`);
  return caller({ dialect, text, stream });
}

/**
 * Most callers use a host's own format and most code is the same for all, so such calls are frequent; pairs of formats
 * are called once.
 */
export function warmUpRound(): readonly WarmUpCall[] {
  const own = DIALECTS.flatMap((dialect) => [ask(dialect, { dialect }), ask(dialect, { dialect, stream: true })]);
  const plain = Array.from({ length: 12 }, () => ask('openai-chat', { dialect: 'openai-chat' }));
  const pairs = PROTOCOLS.flatMap((protocol) =>
    DIALECTS.flatMap((dialect) => [ask(protocol, { dialect }), ask(protocol, { dialect, stream: true })]),
  );
  const failed = DIALECTS.map((dialect) => ask(dialect, { dialect, text: FAIL }));
  const cut = { ...ask('openai-chat', { dialect: 'openai-chat', text: STALL, stream: true }), isCut: true };
  const refused = [ask('openai-chat', { dialect: 'unknown' }), { path: '/v1/chat/completions', body: '{"model"' }];
  return [...own, ...pairs.flatMap((pair) => [pair, ...plain.slice(0, 3)]), ...failed, cut, ...refused];
}
