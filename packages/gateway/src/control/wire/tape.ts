/** A request while it is captured: references to existing texts, limited, with the time of each piece. */
import { type CallerPort, ForwardingReply } from '../../kernel/caller-port.ts';
import type { RequestRecord } from '../../kernel/record.ts';
import type { UpstreamRequest } from '../../kernel/upstream.ts';
import type { WireAttempt, WireStart, WireTape, WireTarget } from '../../kernel/wire.ts';
import type { ActiveRule } from './rules.ts';

export type TapeFrame = { readonly atMs: number; length: number };

export type TapePorts = {
  /** False: this many more characters do not fit. */
  readonly take: (characters: number) => boolean;
  readonly give: (characters: number) => void;
  readonly monotonicMs: () => number;
  readonly paneLength: number;
  readonly onOver: (tape: Tape) => void;
  readonly onDropped: () => void;
};

/** Further pieces are merged into the last one. */
const MAX_FRAMES = 4096;
/** Further attempts are not captured; no request makes more by default. */
const MAX_ATTEMPTS = 8;

/** A copy: a slice would retain the whole text. */
const beginningOf = (text: string, length: number): string =>
  Buffer.from(text.slice(0, length), 'utf16le').toString('utf16le');

/** One direction between two parties. */
export class TapePane {
  startLine = '';
  headers: readonly string[] = [];
  readonly pieces: string[] = [];
  readonly frames: TapeFrame[] = [];
  /** In characters, including what was not kept. */
  length = 0;
  #kept = 0;

  get isTruncated(): boolean {
    return this.#kept < this.length;
  }

  get hasBegun(): boolean {
    return this.startLine !== '';
  }

  /** Returns how many characters of it are kept. */
  add(text: string, atMs: number, room: number): number {
    this.length += text.length;
    const kept = Math.min(text.length, Math.max(0, room - this.#kept));
    if (kept === 0) return 0;
    this.#kept += kept;
    this.pieces.push(kept === text.length ? text : beginningOf(text, kept));
    const last = this.frames.at(-1);
    if (last !== undefined && this.frames.length >= MAX_FRAMES) last.length += kept;
    else this.frames.push({ atMs, length: kept });
    return kept;
  }
}

export class Tape implements WireTape {
  readonly start: WireStart;
  readonly rule: ActiveRule;
  readonly callerRequest = new TapePane();
  readonly callerResponse = new TapePane();
  readonly attempts: TapeAttempt[] = [];
  record: RequestRecord | undefined;
  /** It failed before it was admitted. */
  isRefused = false;
  readonly #ports: TapePorts;
  #taken = 0;
  #isOver = false;

  constructor(start: WireStart, text: string, rule: ActiveRule, ports: TapePorts) {
    this.start = start;
    this.rule = rule;
    this.#ports = ports;
    this.callerRequest.startLine = `POST ${start.path ?? ''}`;
    this.note(this.callerRequest, text);
  }

  /** Releases its memory, once it is over. */
  release(): void {
    this.#ports.give(this.#taken);
    this.#taken = 0;
  }

  note(pane: TapePane, text: string): void {
    if (this.#isOver || text === '') return;
    const kept = pane.add(text, this.#ports.monotonicMs() - this.start.startedAtMs, this.#ports.paneLength);
    if (kept === 0) return;
    if (this.#ports.take(kept)) this.#taken += kept;
    else this.#drop();
  }

  through(reply: CallerPort): CallerPort {
    return new NotedReply(reply, this);
  }

  attempt(about: WireTarget): WireAttempt {
    const attempt = new TapeAttempt(about, this);
    if (!this.#isOver && this.attempts.length < MAX_ATTEMPTS) this.attempts.push(attempt);
    return attempt;
  }

  answerBegins(status: number, headers: readonly string[]): void {
    if (this.#isOver) return;
    this.callerResponse.startLine = `HTTP/1.1 ${status}`;
    this.callerResponse.headers = headers;
  }

  refused(status: number, headers: readonly string[], text: string): void {
    this.answerBegins(status, headers);
    this.note(this.callerResponse, text);
    this.isRefused = this.record === undefined;
    this.#end();
  }

  /** A failure whose answer has not started is answered right after this. */
  finished(record: RequestRecord): void {
    this.record = record;
    if (record.how !== 'fault' || this.callerResponse.hasBegun) this.#end();
  }

  close(): void {
    if (this.record === undefined) this.#forget();
    else this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ports.onOver(this);
  }

  #drop(): void {
    this.#forget();
    this.#ports.onDropped();
  }

  #forget(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const { pieces } of [this.callerRequest, this.callerResponse]) pieces.length = 0;
    this.attempts.length = 0;
    this.release();
  }
}

export class TapeAttempt implements WireAttempt {
  readonly about: WireTarget;
  readonly request = new TapePane();
  readonly response = new TapePane();
  readonly #tape: Tape;

  constructor(about: WireTarget, tape: Tape) {
    this.about = about;
    this.#tape = tape;
  }

  sent({ method, origin, path, headers, body }: UpstreamRequest): void {
    this.request.startLine = `${method ?? 'POST'} ${origin}${path}`;
    this.request.headers = headers;
    this.#tape.note(this.request, typeof body === 'string' ? body : formText(body));
  }

  head(status: number, headers: readonly string[]): void {
    this.response.startLine = `HTTP/1.1 ${status}`;
    this.response.headers = headers;
  }

  text(piece: string): void {
    this.#tape.note(this.response, piece);
  }
}

/** The parts of a form by name; for files only their names and types. */
const formText = (parts: Exclude<UpstreamRequest['body'], string>): string =>
  parts
    .map((part) =>
      'text' in part ? `${part.name}: ${part.text}` : `${part.name}: ${part.filename} (${part.mimeType})`,
    )
    .join('\n');

class NotedReply extends ForwardingReply {
  readonly #tape: Tape;

  constructor(caller: CallerPort, tape: Tape) {
    super(caller);
    this.#tape = tape;
  }

  override answer(status: number, headers: readonly string[], body: string): void {
    this.#tape.answerBegins(status, headers);
    this.#tape.note(this.#tape.callerResponse, body);
    super.answer(status, headers, body);
  }

  override open(status: number, headers: readonly string[]): void {
    this.#tape.answerBegins(status, headers);
    super.open(status, headers);
  }

  override write(text: string): boolean {
    this.#tape.note(this.#tape.callerResponse, text);
    return super.write(text);
  }
}
