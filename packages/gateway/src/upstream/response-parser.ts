/**
 * HTTP/1.1 response parser: llhttp, which Node and undici use, in the WebAssembly build that undici ships. The bytes of
 * one socket read are parsed in one call; its callbacks only record positions.
 */
import { maxHeaderSize } from 'node:http';
import { createRequire } from 'node:module';

/** All sockets read into this one buffer: its content is parsed before the next read. */
export const READ_BUFFER = Buffer.allocUnsafeSlow(16_384);

const RESPONSE = 2;
const OK = 0;
const PAUSED = 21;
const FAILED = -1;
const SWITCHING_PROTOCOLS = 101;
const NEVER_WITH_BODY: ReadonlySet<number> = new Set([204, 304]);

/** Node has it; the types of this package do not. */
declare const WebAssembly: {
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

type Llhttp = {
  readonly memory: { readonly buffer: ArrayBuffer };
  malloc(bytes: number): number;
  llhttp_alloc(type: number): number;
  llhttp_free(parser: number): void;
  llhttp_execute(parser: number, at: number, bytes: number): number;
  llhttp_finish(parser: number): number;
  llhttp_resume(parser: number): void;
  llhttp_should_keep_alive(parser: number): number;
  llhttp_get_error_pos(parser: number): number;
  llhttp_get_error_reason(parser: number): number;
  llhttp_errno_name(code: number): number;
};

export class ResponseError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ResponseError';
    this.code = code;
  }
}

/** The parser llhttp reports to: only one runs at a time. */
let current: ResponseParser;

const llhttp = load();
const inputAt = llhttp.malloc(READ_BUFFER.length);
let input = new Uint8Array(llhttp.memory.buffer, inputAt, READ_BUFFER.length);

function load(): Llhttp {
  const env = {
    wasm_on_url: () => OK,
    wasm_on_status: (_parser: number, _at: number, length: number) => current.onStatus(length),
    wasm_on_message_begin: () => OK,
    wasm_on_header_field: (_parser: number, at: number, length: number) => current.onField(at - inputAt, length),
    wasm_on_header_value: (_parser: number, at: number, length: number) => current.onValue(at - inputAt, length),
    wasm_on_headers_complete: (_parser: number, status: number, upgrade: number, keepAlive: number) =>
      current.onHeadersComplete(status, upgrade !== 0, keepAlive !== 0),
    wasm_on_body: (_parser: number, at: number, length: number) => current.onBody(at - inputAt, length),
    wasm_on_message_complete: () => current.onMessageComplete(),
  };
  return new WebAssembly.Instance(compile(), { env }).exports as Llhttp;
}

function compile(): object {
  const require = createRequire(import.meta.url);
  try {
    return new WebAssembly.Module(require('undici/lib/llhttp/llhttp_simd-wasm.js'));
  } catch {
    // The processor lacks SIMD instructions.
    return new WebAssembly.Module(require('undici/lib/llhttp/llhttp-wasm.js'));
  }
}

export class ResponseParser {
  /** The result of the last read. */
  head: ResponseHead | undefined;
  /** A view of the buffer. */
  body: Buffer | undefined;
  /** Heads with a status of 1xx. */
  interim = 0;
  isComplete = false;
  /** The connection can serve another request once this answer is complete. */
  keepsAlive = false;
  error: ResponseError | undefined;

  readonly #parser: number;
  #hasHead = false;
  /** An interim answer limited how long the connection stays open; the final one need not say it again. */
  #hasInterimLimit = false;
  #status = 0;
  #headBytes = 0;
  #text = '';
  #offsets: number[] = [];
  #isValue = true;
  /** Where the part of the head that is not yet in `#text` starts and ends in the buffer. */
  #from = -1;
  #to = 0;
  #bodyStart = 0;
  #bodyEnd = 0;

  constructor() {
    this.#parser = llhttp.llhttp_alloc(RESPONSE);
  }

  free(): void {
    llhttp.llhttp_free(this.#parser);
  }

  begin(): void {
    this.#hasHead = this.#hasInterimLimit = this.isComplete = this.keepsAlive = false;
    this.head = this.body = undefined;
    this.#startHead();
  }

  #startHead(): void {
    this.#status = 0;
    this.#headBytes = 0;
    this.#text = '';
    this.#offsets = [];
    this.#isValue = true;
    this.#from = -1;
  }

  /** Parses the first bytes of the buffer. */
  read(length: number): void {
    // Growing the memory replaces its buffer.
    if (input.length === 0) input = new Uint8Array(llhttp.memory.buffer, inputAt, READ_BUFFER.length);
    input.set(length === READ_BUFFER.length ? READ_BUFFER : READ_BUFFER.subarray(0, length));
    this.head = this.body = undefined;
    this.interim = 0;
    this.#bodyStart = this.#bodyEnd = 0;
    current = this;
    const code = llhttp.llhttp_execute(this.#parser, inputAt, length);
    if (this.#bodyEnd > this.#bodyStart) this.body = READ_BUFFER.subarray(this.#bodyStart, this.#bodyEnd);
    if (this.#from >= 0) this.#keepText();
    if (this.isComplete && code === PAUSED) {
      const hasMore = llhttp.llhttp_get_error_pos(this.#parser) !== inputAt + length;
      // Trailers can end a connection that the head kept alive.
      if (hasMore || llhttp.llhttp_should_keep_alive(this.#parser) === 0) this.keepsAlive = false;
      llhttp.llhttp_resume(this.#parser);
    } else if (code !== OK) this.#fail(code);
  }

  /** The upstream has closed its side. */
  finish(): void {
    this.head = this.body = undefined;
    this.interim = 0;
    current = this;
    llhttp.llhttp_finish(this.#parser);
    if (!this.isComplete) this.error ??= new ResponseError('HPE_INVALID_EOF_STATE', 'the response was cut short');
  }

  #fail(code: number): void {
    const reason = textAt(llhttp.llhttp_get_error_reason(this.#parser));
    this.error ??= new ResponseError(textAt(llhttp.llhttp_errno_name(code)), `invalid HTTP response: ${reason}`);
  }

  onStatus(length: number): number {
    this.#headBytes += length;
    return this.#headBytes < maxHeaderSize ? OK : this.#tooLong();
  }

  onField(at: number, length: number): number {
    if (!this.#hasHead) {
      if (this.#from < 0) this.#from = at;
      this.#to = at + length;
      const end = this.#text.length + at - this.#from + length;
      if (this.#isValue) this.#offsets.push(end - length, end);
      else this.#offsets[this.#offsets.length - 1] = end;
      this.#isValue = false;
    }
    this.#headBytes += length;
    return this.#headBytes < maxHeaderSize ? OK : this.#tooLong();
  }

  onValue(at: number, length: number): number {
    if (!this.#hasHead) {
      if (this.#from < 0) this.#from = at;
      this.#to = at + length;
      const end = this.#text.length + at - this.#from + length;
      if (!this.#isValue) this.#offsets.push(end - length, end);
      else this.#offsets[this.#offsets.length - 1] = end;
      this.#isValue = true;
    }
    this.#headBytes += length;
    return this.#headBytes < maxHeaderSize ? OK : this.#tooLong();
  }

  #tooLong(): number {
    this.error ??= new ResponseError('HPE_HEADER_OVERFLOW', 'the head of the response is too long');
    return FAILED;
  }

  #keepText(): void {
    this.#text += READ_BUFFER.toString('latin1', this.#from, this.#to);
    this.#from = -1;
  }

  onHeadersComplete(status: number, upgrade: boolean, keepsAlive: boolean): number {
    if (upgrade || status === SWITCHING_PROTOCOLS || status < 100) {
      this.error ??= new ResponseError('HPE_INVALID_STATUS', `status ${status} is not a valid answer to this request`);
      return FAILED;
    }
    if (this.#from >= 0) this.#keepText();
    if (status < 200) {
      this.interim++;
      const interim = new ResponseHead(status, this.#text, this.#offsets);
      this.#hasInterimLimit ||= interim.get('keep-alive') !== undefined;
      this.#startHead();
      return 1;
    }
    this.#hasHead = true;
    this.#status = status;
    this.#headBytes = 0;
    this.head = new ResponseHead(status, this.#text, this.#offsets);
    // A body that must not be there would be read as the next answer.
    this.keepsAlive = keepsAlive && !this.#hasInterimLimit && !(NEVER_WITH_BODY.has(status) && this.head.announcesBody);
    return OK;
  }

  /** The chunks of one read are moved together: the listener is called once, however many chunks there are. */
  onBody(at: number, length: number): number {
    if (this.#bodyEnd === 0) this.#bodyStart = this.#bodyEnd = at;
    if (at !== this.#bodyEnd) READ_BUFFER.copyWithin(this.#bodyEnd, at, at + length);
    this.#bodyEnd += length;
    return OK;
  }

  onMessageComplete(): number {
    if (this.#status < 200) return OK;
    this.isComplete = true;
    return PAUSED;
  }
}

function textAt(at: number): string {
  if (at === 0) return '';
  const bytes = Buffer.from(llhttp.memory.buffer, at);
  return bytes.toString('latin1', 0, bytes.indexOf(0));
}

const KEEP_ALIVE_TIMEOUT = /timeout=(\d+)/;

/** Status and headers of an answer. Headers are looked up in its text on demand: most are never read. */
export class ResponseHead {
  readonly status: number;
  readonly #text: string;
  /** Four offsets for each header: start and end of its name, start and end of its value. */
  readonly #offsets: readonly number[];

  constructor(status: number, text: string, offsets: readonly number[]) {
    this.status = status;
    this.#text = text;
    this.#offsets = offsets;
  }

  /** The first header of this name, which must be in lower case. */
  get(name: string): string | undefined {
    const text = this.#text;
    const offsets = this.#offsets;
    for (let at = 0; at < offsets.length; at += 4) {
      const start = offsets[at] ?? 0;
      const end = offsets[at + 1] ?? 0;
      if (end - start === name.length && text.slice(start, end).toLowerCase() === name)
        return text.slice(offsets[at + 2], offsets[at + 3]);
    }
    return undefined;
  }

  /** Name, value, name, value… */
  all(): readonly string[] {
    const texts: string[] = [];
    for (let at = 0; at < this.#offsets.length; at += 2)
      texts.push(this.#text.slice(this.#offsets[at], this.#offsets[at + 1]));
    return texts;
  }

  get announcesBody(): boolean {
    return this.get('transfer-encoding') !== undefined || Number(this.get('content-length') ?? 0) > 0;
  }

  /** In ms: how long the upstream keeps an idle connection open. */
  get keepAliveMs(): number | undefined {
    const seconds = this.get('keep-alive')?.match(KEEP_ALIVE_TIMEOUT)?.[1];
    return seconds === undefined ? undefined : Number(seconds) * 1000;
  }
}
