/**
 * Streaming multipart parser (RFC 2046, RFC 7578), for pieces split anywhere. Strict, and without a stream: every byte
 * is examined as it arrives, so the form is complete when its bytes are.
 */
import { GatewayError } from '@trivium/protocol/canonical';

/** Head of one part: two or three lines. */
const MAX_HEAD_BYTES = 8192;
/** RFC 2046 allows 70; a few clients use more. */
const MAX_BOUNDARY_LENGTH = 200;

const CRLF = Buffer.from('\r\n');
const EMPTY_LINE = Buffer.from('\r\n\r\n');
const FINAL = Buffer.from('--');
const NOTHING = Buffer.alloc(0);

export const brokenForm = (why: string): GatewayError =>
  new GatewayError({ kind: 'malformed', message: `The request body is not a valid form: ${why}.` });

export type PartHead = {
  readonly name: string;
  readonly isFile: boolean;
  readonly mimeType: string;
  readonly filename?: string;
};

/** Receives one part: its bytes in pieces, then its end. May throw. */
export interface PartListener {
  bytes(piece: Buffer): void;
  end(): void;
}

type State = 'preamble' | 'delimited' | 'head' | 'content' | 'over';

export class FormParts {
  readonly #delimiter: Buffer;
  readonly #open: (head: PartHead) => PartListener;
  #part: PartListener | undefined;
  #state: State = 'preamble';
  /** Bytes that are not decided yet; starts as the line end that the first boundary lacks. */
  #held: Buffer = CRLF;

  constructor(boundary: string, open: (head: PartHead) => PartListener) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
    this.#open = open;
  }

  take(chunk: Buffer): void {
    if (this.#state === 'over') return;
    let rest: Buffer | undefined = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = NOTHING;
    while (rest !== undefined) rest = this.#step(rest);
  }

  /** Throws if the form is incomplete. */
  end(): void {
    if (this.#state !== 'over') throw brokenForm('it ends before its last boundary');
  }

  /** Returns what is left to examine; undefined if more bytes are needed. */
  #step(rest: Buffer): Buffer | undefined {
    switch (this.#state) {
      case 'preamble':
      case 'content':
        return this.#toDelimiter(rest);
      case 'delimited':
        return this.#afterDelimiter(rest);
      case 'head':
        return this.#head(rest);
      case 'over':
        return undefined;
    }
  }

  #toDelimiter(rest: Buffer): Buffer | undefined {
    const at = rest.indexOf(this.#delimiter);
    // The last bytes may be the beginning of a delimiter.
    const end = at === -1 ? Math.max(0, rest.length - this.#delimiter.length + 1) : at;
    if (end > 0) this.#part?.bytes(rest.subarray(0, end));
    if (at === -1) return this.#hold(rest.subarray(end));
    this.#part?.end();
    this.#part = undefined;
    this.#state = 'delimited';
    return rest.subarray(at + this.#delimiter.length);
  }

  #afterDelimiter(rest: Buffer): Buffer | undefined {
    let at = 0;
    while (rest[at] === 32 || rest[at] === 9) at++;
    if (at > MAX_HEAD_BYTES) throw brokenForm('a boundary is followed by too many spaces');
    const next = rest.subarray(at, at + 2);
    if (next.length < 2) return this.#hold(rest);
    if (at === 0 && next.equals(FINAL)) {
      this.#state = 'over';
      return undefined;
    }
    if (!next.equals(CRLF)) throw brokenForm('a boundary is not followed by a line end');
    this.#state = 'head';
    return rest.subarray(at);
  }

  /** Includes the line end of its boundary, so that a head without lines ends like any other. */
  #head(rest: Buffer): Buffer | undefined {
    const end = rest.subarray(0, MAX_HEAD_BYTES).indexOf(EMPTY_LINE);
    const cutBy = rest.subarray(0, end === -1 ? MAX_HEAD_BYTES : end + CRLF.length).indexOf(this.#delimiter);
    if (cutBy !== -1) throw brokenForm('a part has no empty line after its head');
    if (end === -1) {
      if (rest.length >= MAX_HEAD_BYTES) throw brokenForm(`the head of a part is longer than ${MAX_HEAD_BYTES} bytes`);
      return this.#hold(rest);
    }
    this.#part = this.#open(headOf(rest.toString('utf8', CRLF.length, end)));
    this.#state = 'content';
    return rest.subarray(end + EMPTY_LINE.length);
  }

  #hold(rest: Buffer): undefined {
    this.#held = rest;
  }
}

export function boundaryOf(contentType: string): string | undefined {
  const found = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType);
  const boundary = found?.[1] ?? found?.[2];
  return boundary !== undefined && boundary.length <= MAX_BOUNDARY_LENGTH ? boundary : undefined;
}

function headOf(text: string): PartHead {
  let disposition: ReadonlyMap<string, string> | undefined;
  let mimeType = 'text/plain';
  // A line that begins with a space continues the one before.
  for (const line of text.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'content-disposition') disposition = parametersOf(value);
    if (name === 'content-type') mimeType = (value.split(';', 1)[0] ?? '').trim().toLowerCase();
  }
  const name = disposition?.get('name');
  if (disposition?.get('') !== 'form-data' || name === undefined) throw brokenForm('a part has no name');
  const hasFileName = disposition.has('filename') || disposition.has('filename*');
  const filename = disposition.get('filename');
  return {
    name,
    mimeType,
    isFile: hasFileName || mimeType === 'application/octet-stream',
    ...(filename !== undefined && filename !== '' && { filename }),
  };
}

const PARAMETER = /\s*;\s*(?:([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*)))?/y;

/** The value itself has the empty name. */
function parametersOf(value: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  const end = value.indexOf(';');
  parameters.set('', (end === -1 ? value : value.slice(0, end)).trim().toLowerCase());
  if (end === -1) return parameters;
  PARAMETER.lastIndex = end;
  while (PARAMETER.lastIndex < value.length) {
    const found = PARAMETER.exec(value);
    if (found === null) throw brokenForm('a part has a head that cannot be read');
    const [, name, quoted, plain] = found;
    if (name !== undefined) parameters.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '');
  }
  return parameters;
}
