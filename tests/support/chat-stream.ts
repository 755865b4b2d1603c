/** A streamed chat answer read as raw bytes: whether it ended properly, its frames, and the assembled answer. */
import { type Agent, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { KEY, type Stand } from './stand.ts';

export type StreamReply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The whole body as it came, without the transfer coding. */
  readonly bytes: Buffer;
  readonly text: string;
  readonly trailers: NodeJS.Dict<string>;
  /** False when the connection was cut before the message ended. */
  readonly complete: boolean;
  /** The contents of `data:` lines. */
  readonly frames: readonly string[];
  /** Parsed frames, without `[DONE]`. */
  readonly chunks: readonly Chunk[];
};

type Logprob = { token: string; logprob: number; bytes: number[] | null };
type TokenLogprob = Logprob & { top_logprobs: Logprob[] };
export type Logprobs = { content: TokenLogprob[] | null; refusal?: TokenLogprob[] | null };
export type Fragment = {
  index?: number;
  id?: string;
  type?: string;
  function?: { name?: string; arguments?: string };
};
type Delta = {
  role?: string;
  content?: string | null;
  refusal?: string | null;
  reasoning?: string;
  reasoning_content?: string;
  reasoning_details?: Record<string, unknown>[];
  tool_calls?: Fragment[];
};
type Choice = { index: number; delta: Delta; finish_reason: string | null; logprobs?: Logprobs | null };
export type WireUsage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number };
  completion_tokens_details?: { reasoning_tokens?: number };
};
type WireError = { message: string; type: string; param: string | null; code: string | null };
export type Chunk = {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: Choice[];
  usage?: WireUsage | null;
  error?: WireError;
};

/** Sends a POST and returns the request, so that a test may disconnect or read slowly. */
export function openChat(
  stand: Stand,
  body: object,
  headers: Record<string, string> = {},
  agent: Agent | false = false,
): ClientRequest {
  const text = JSON.stringify(body);
  const sent = request(`${stand.chatUrl}/chat/completions`, {
    method: 'POST',
    agent,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
      authorization: `Bearer ${KEY}`,
      ...headers,
    },
  });
  sent.end(text);
  return sent;
}

export const headOf = (sent: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });

export async function streamChat(stand: Stand, body: object, headers?: Record<string, string>): Promise<StreamReply> {
  return readStream(await headOf(openChat(stand, { ...body, stream: true }, headers)));
}

export async function readStream(response: IncomingMessage): Promise<StreamReply> {
  const pieces: Buffer[] = [];
  await new Promise<void>((resolve) => {
    response.on('data', (piece: Buffer) => pieces.push(piece));
    response.once('error', () => undefined);
    response.once('close', resolve);
    // A response that was paused on purpose does not resume for a new listener.
    response.resume();
  });
  const bytes = Buffer.concat(pieces);
  const text = bytes.toString('utf8');
  const frames = framesOf(text);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    bytes,
    text,
    trailers: response.trailers,
    complete: response.complete,
    frames,
    chunks: frames.filter((frame) => frame !== '[DONE]').map((frame) => JSON.parse(frame) as Chunk),
  };
}

const framesOf = (text: string): string[] =>
  text
    .split('\n\n')
    .filter((record) => record.startsWith('data: '))
    .map((record) => record.slice('data: '.length));

export type Assembled = {
  readonly content: string;
  readonly refusal: string;
  readonly reasoning: string;
  readonly calls: readonly { id: string; name: string; arguments: string }[];
  readonly finishes: readonly string[];
  readonly usage: WireUsage | undefined;
};

/** Assembles a stream as official clients do: by index, nothing guessed. */
export function assemble(chunks: readonly Chunk[]): Assembled {
  const choices = chunks.flatMap((chunk) => chunk.choices);
  const join = (pick: (delta: Delta) => string | null | undefined): string =>
    choices.map(({ delta }) => pick(delta) ?? '').join('');
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const fragment of choices.flatMap(({ delta }) => delta.tool_calls ?? [])) {
    if (fragment.index === undefined) throw new Error('a fragment without an index');
    calls[fragment.index] ??= { id: fragment.id ?? '', name: fragment.function?.name ?? '', arguments: '' };
    const call = calls[fragment.index];
    if (call !== undefined) call.arguments += fragment.function?.arguments ?? '';
  }
  return {
    content: join((delta) => delta.content),
    refusal: join((delta) => delta.refusal),
    reasoning: join((delta) => delta.reasoning),
    calls,
    finishes: choices.flatMap(({ finish_reason }) => (finish_reason === null ? [] : [finish_reason])),
    usage: chunks.flatMap(({ usage }) => (usage == null ? [] : [usage])).at(-1),
  };
}
