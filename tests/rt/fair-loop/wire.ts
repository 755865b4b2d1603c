/** The bytes that attackers send: heads, bodies of all four protocols, and chunks of any size. */

export const KEYS = {
  attacker: 'sk-trivium-attacker-0123456789abcdefghijklmnopqrst',
  victim: 'sk-trivium-victim-0123456789abcdefghijklmnopqrstuvw',
} as const;

export type Protocol = 'chat' | 'responses' | 'messages' | 'generate';

/** The first letter of a model names the upstream's format, the rest what the upstream does: `c/tiny.300000.1`. */
export type Model = `${'c' | 'a' | 'g' | 'r' | 'v'}/${string}`;

const PATHS: Readonly<Record<Protocol, (model: Model, isStreamed: boolean) => string>> = {
  chat: () => '/api/v1/chat/completions',
  responses: () => '/api/v1/responses',
  messages: () => '/api/anthropic/v1/messages',
  generate: (model, isStreamed) =>
    `/api/genai/v1beta/models/${model}:${isStreamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
};

const MOST_TOKENS = 60_000_000;

export type Ask = {
  readonly protocol?: Protocol;
  readonly model: Model;
  readonly stream?: boolean;
  /** The content of the only message as JSON; without it one letter. */
  readonly content?: Buffer;
  /** Further members, each after a comma. */
  readonly more?: string;
};

/** A call as the path it goes to and its body. */
export function call({ protocol = 'chat', model, stream = false, content = Buffer.from('"x"'), more = '' }: Ask): {
  readonly path: string;
  readonly body: Buffer;
} {
  const streams = stream ? ',"stream":true' : '';
  const frames: Readonly<Record<Protocol, readonly [string, string]>> = {
    chat: [`{"model":"${model}","max_tokens":${MOST_TOKENS},"messages":[{"role":"user","content":`, `}]${streams}`],
    messages: [`{"model":"${model}","max_tokens":${MOST_TOKENS},"messages":[{"role":"user","content":`, `}]${streams}`],
    responses: [
      `{"model":"${model}","max_output_tokens":${MOST_TOKENS},"input":[{"role":"user","content":`,
      `}]${streams}`,
    ],
    generate: ['{"contents":[{"role":"user","parts":[{"text":', '}]}]'],
  };
  const [before, after] = frames[protocol];
  return {
    path: PATHS[protocol](model, stream),
    body: Buffer.concat([Buffer.from(before), content, Buffer.from(`${after}${more}}`)]),
  };
}

const MB = 1024 * 1024;

/** A JSON string of this many MB that repeats `unit`. */
export function text(mb: number, unit = 'x'): Buffer {
  const one = Buffer.from(unit);
  const inside = Buffer.alloc(Math.floor((mb * MB) / one.length) * one.length, one);
  return Buffer.concat([Buffer.from('"'), inside, Buffer.from('"')]);
}

/** A history of this many tool calls and as many results. */
export function toolCalls(model: Model, count: number): { readonly path: string; readonly body: Buffer } {
  const ids = Array.from({ length: count }, (_, at) => `call_${at}`);
  const calls = ids.map((id) => `{"id":"${id}","type":"function","function":{"name":"f","arguments":"{}"}}`);
  const results = ids.map((id) => `{"role":"tool","tool_call_id":"${id}","content":"r"}`);
  const body = `{"model":"${model}","max_tokens":5,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[${calls.join()}]},${results.join()}]}`;
  return { path: PATHS.chat(model, false), body: Buffer.from(body) };
}

export type HeadOptions = {
  /** Absent: no key at all. */
  readonly key?: string;
  readonly method?: string;
  /** Header lines, each with its line end. */
  readonly lines?: string;
  readonly type?: string;
  /** The connection ends with the answer. */
  readonly last?: boolean;
};

export const head = (
  path: string,
  { key, method = 'POST', lines = '', type = 'application/json', last = true }: HeadOptions,
): Buffer =>
  Buffer.from(
    [
      `${method} ${path} HTTP/1.1\r\nhost: gateway\r\n`,
      key === undefined ? '' : `authorization: Bearer ${key}\r\n`,
      method === 'POST' ? `content-type: ${type}\r\nanthropic-version: 2023-06-01\r\n` : '',
      last ? 'connection: close\r\n' : '',
      `${lines}\r\n`,
    ].join(''),
  );

/** With a content-length. */
export const whole = (path: string, body: Buffer, options: HeadOptions): Buffer =>
  Buffer.concat([head(path, { ...options, lines: `content-length: ${body.length}\r\n${options.lines ?? ''}` }), body]);

export type Chunks = {
  readonly bytes: number;
  /** Length of an extension of every chunk. */
  readonly extension?: number;
  /** Lines of trailers after the last chunk. */
  readonly trailers?: string;
};

/** One buffer: millions of small ones would measure the sender. */
export function inChunks(
  path: string,
  body: Buffer,
  { bytes, extension = 0, trailers = '' }: Chunks,
  options: HeadOptions,
): Buffer {
  const opening = (length: number): Buffer =>
    Buffer.from(`${length.toString(16)}${extension > 0 ? `;a=${'b'.repeat(extension)}` : ''}\r\n`);
  const full = opening(bytes);
  const count = Math.floor(body.length / bytes);
  const rest = body.subarray(count * bytes);
  const framed = Buffer.allocUnsafe(count * (full.length + bytes + 2));
  let to = 0;
  for (let from = 0; from < count * bytes; from += bytes) {
    to += full.copy(framed, to);
    to += body.copy(framed, to, from, from + bytes);
    framed[to++] = 13;
    framed[to++] = 10;
  }
  const ending = rest.length === 0 ? [] : [opening(rest.length), rest, Buffer.from('\r\n')];
  return Buffer.concat([
    head(path, { ...options, lines: `transfer-encoding: chunked\r\n${options.lines ?? ''}` }),
    framed,
    ...ending,
    Buffer.from(`0\r\n${trailers}\r\n`),
  ]);
}

/** The same requests one after the other on a connection, without waiting for answers. */
export const pipelined = (path: string, times: number, key?: string): Buffer =>
  Buffer.from(
    head(path, { method: 'GET', last: false, ...(key !== undefined && { key }) })
      .toString()
      .repeat(times),
  );
