/** The stored form of a captured request: plain data, without secrets. */
import type { Loss } from '@trivium/protocol/canonical';
import type { RawHeaders } from '../../kernel/caller-port.ts';
import type { Tape, TapePane } from './tape.ts';

type WireHeader = {
  readonly name: string;
  readonly value: string;
  /** Its value was a secret. */
  readonly redacted?: true;
};

/** `bytes`: counted from the end of the previous frame. */
type WireFrame = { readonly atMs: number; readonly bytes: number };

export type WirePane = {
  /** Method and URL, or the status. */
  readonly startLine: string;
  readonly headers: readonly WireHeader[];
  readonly body: string;
  /** Length of the whole body, estimated from its characters; `body` may be shorter. */
  readonly bytes: number;
  readonly truncated: boolean;
  /** How many secrets were redacted in the body. */
  readonly secrets: number;
  readonly frames: readonly WireFrame[];
};

export type WireCall = {
  readonly provider: string;
  readonly model: string;
  readonly lane: string;
  readonly hostRequest: WirePane;
  readonly hostResponse: WirePane;
};

export type StoredWire = {
  readonly version: 1;
  readonly requestId: string;
  /** The path of the call with its query, for a replay. */
  readonly path: string;
  readonly losses: readonly Loss[];
  readonly callerRequest: WirePane;
  readonly callerResponse: WirePane;
  /** In the order they started. */
  readonly calls: readonly WireCall[];
};

/** Redacts secrets in a text of any length. */
export type RedactText = (text: string) => string;

export const REMOVED = '[redacted]';
/** Removed from the end of a truncated text: half a secret is not recognised as one. */
export const CUT_MARGIN = 512;
/** Headers that carry credentials, by parts of their names. */
const SECRET_NAME = /auth|key|token|secret|cookie|credential|signature|password|session/i;
/** Names that match without being a secret, such as `x-ratelimit-remaining-tokens`. */
const RATE_NAME = /ratelimit/i;

export function storedWire(tape: Tape, redact: RedactText): StoredWire {
  const { start, callerRequest, callerResponse, attempts, record } = tape;
  return {
    version: 1,
    requestId: start.id,
    path: redact(start.path ?? ''),
    losses: record?.losses ?? [],
    callerRequest: storedPane(callerRequest, redact, headersIn(start.headers)),
    callerResponse: storedPane(callerResponse, redact, pairsOf(callerResponse.headers)),
    calls: attempts.map(({ about, request, response }) => ({
      provider: about.provider,
      model: about.modelId,
      lane: about.lane,
      hostRequest: storedPane(request, redact, pairsOf(request.headers)),
      hostResponse: storedPane(response, redact, pairsOf(response.headers)),
    })),
  };
}

type Pair = readonly [name: string, value: string];

const headersIn = (headers: RawHeaders): readonly Pair[] =>
  [...headers].flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const));

const pairsOf = (flat: readonly string[]): readonly Pair[] =>
  flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as const] : []));

function storedHeader([name, value]: Pair, redact: RedactText): WireHeader {
  if (SECRET_NAME.test(name) && !RATE_NAME.test(name)) return { name, value: REMOVED, redacted: true };
  // With its name, which identifies some secrets.
  const shown = redact(`${name}: ${value}`).slice(name.length + 2);
  return shown === value ? { name, value } : { name, value: shown, redacted: true };
}

function storedPane(pane: TapePane, redact: RedactText, headers: readonly Pair[]): WirePane {
  const { startLine, pieces, frames, isTruncated, length } = pane;
  const whole = pieces.join('');
  const clean = redact(whole);
  const body = isTruncated ? clean.slice(0, -CUT_MARGIN) : clean;
  const bytes = Buffer.byteLength(body);
  return {
    startLine: redact(startLine),
    headers: headers.map((header) => storedHeader(header, redact)),
    body,
    bytes: isTruncated ? bytes + (length - body.length) : bytes,
    truncated: isTruncated,
    secrets: clean === whole ? 0 : Math.max(1, timesIn(clean) - timesIn(whole)),
    frames: storedFrames(pieces, frames, clean, body.length, redact),
  };
}

const timesIn = (text: string): number => text.split(REMOVED).length - 1;

/** A secret that is cut where its start already looks like one is never found again in later frames. */
const MAX_MERGED_FRAMES = 16;

/**
 * After redaction, frames are as long as what is left of them; one that held a part of a secret is merged into the
 * next. After too many of these the rest is one frame: each would be redacted again with all that follow.
 */
function storedFrames(
  pieces: readonly string[],
  frames: TapePane['frames'],
  clean: string,
  length: number,
  redact: RedactText,
): readonly WireFrame[] {
  const cut: WireFrame[] = [];
  let at = 0;
  let from = 0;
  let waiting = '';
  let piece = 0;
  let merged = 0;
  for (const { atMs, length: characters } of frames) {
    let taken = 0;
    for (; taken < characters; piece++) {
      const text = pieces[piece] ?? '';
      taken += text.length;
      waiting += text;
      if (text === '') break;
    }
    const shown = clean.startsWith(waiting, at) ? waiting : redact(waiting);
    if (!clean.startsWith(shown, at)) {
      if (++merged > MAX_MERGED_FRAMES) break;
      continue;
    }
    merged = 0;
    at += shown.length;
    waiting = '';
    const end = Math.min(at, length);
    if (end > from) cut.push({ atMs, bytes: Buffer.byteLength(clean.slice(from, end)) });
    from = end;
  }
  const last = frames.at(-1);
  if (from < length && last !== undefined)
    cut.push({ atMs: last.atMs, bytes: Buffer.byteLength(clean.slice(from, length)) });
  return cut;
}
