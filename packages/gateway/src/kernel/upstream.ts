/** Calls to model providers: one request, a listener for its answer, and the signer of its headers. */
import type { Fault } from '@trivium/protocol/canonical';
import type { FormPart } from '@trivium/protocol/dialects';
import type { LongStrings } from './long-strings.ts';

export type UpstreamRequest = {
  readonly origin: string;
  readonly path: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  /** Text, or the parts of a form. */
  readonly body: string | readonly FormPart[];
  /** The strings that marks in the text stand for. */
  readonly longStrings?: LongStrings;
  /** Default: POST. A GET has no body. */
  readonly method?: 'GET';
  /** Uses a new connection, because a reused one turned out to be dead. */
  readonly newConnection?: true;
};

/** A signature covers every byte of the body, so the whole body is assembled for it. */
export function withLongStrings(
  request: UpstreamRequest,
  longStrings: LongStrings,
  isSigned: boolean,
): UpstreamRequest {
  const { body } = request;
  if (typeof body !== 'string') return request;
  return isSigned ? { ...request, body: longStrings.restore(body) } : { ...request, longStrings };
}

/**
 * How an exchange failed, in addition to its fault: `unsent` cannot have reached the upstream; `lapsed` is a reused
 * connection that died before it answered this request.
 */
export type HowFailed = 'unsent' | 'lapsed';

export interface UpstreamListener {
  /** A good answer is bytes and no text: each character of `onText` stands for one of them. */
  readonly readsBytes?: boolean;
  /** A connection is available; not called if the client cannot tell. */
  onConnected?(): void;
  /** The request was written to the connection. */
  onSent?(): void;
  /** `headers`: all of them, alternating names and values; absent if the client cannot tell. */
  onHead(status: number, header: (name: string) => string | undefined, headers?: () => readonly string[]): void;
  onText(piece: string): void;
  /**
   * Much of what was read was not of the body: interim heads, chunk headers and extensions. `bytes` of it came with
   * `bodyBytes` of the body. Not called if the client cannot tell.
   */
  onFraming?(bytes: number, bodyBytes: number, heads: number): void;
  onEnd(): void;
  onFail(fault: Fault, cause: unknown, how?: HowFailed): void;
}

export interface UpstreamExchange {
  pause(): void;
  resume(): void;
  /**
   * The answer is complete, though its connection may go on: what else arrives is discarded. A host that ends it soon
   * keeps the connection; after about a second, or some kilobytes, it is closed. No listener method is called afterwards.
   */
  drain(): void;
  /** No listener method is called afterwards. */
  abort(): void;
}

export interface Upstream {
  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamExchange;
}

/** Headers that depend on the request or on the time. Returns a promise only while something must be fetched first. */
export interface RequestSigner {
  sign(request: UpstreamRequest): readonly string[] | Promise<readonly string[]>;
  /** The upstream rejected these headers. True if the next ones may work: the credentials behind them had expired. */
  refused?(headers: readonly string[]): boolean;
  /** Of a credential that is renewed. */
  state?(): CredentialState;
  /** Its headers do not depend on the body, which need not be in one piece. */
  readonly ignoresBody?: true;
}

/** The host refused what was signed, and the credential behind it is renewed: the next request may work. */
export const hasLapsed = (
  status: number,
  signer: RequestSigner | undefined,
  signed: readonly string[] | undefined,
): boolean => (status === 401 || status === 403) && signed !== undefined && signer?.refused?.(signed) === true;

/** Wall-clock times; null: never. `failure`: of the last renewal, if none has worked since. */
export type CredentialState = {
  readonly issuedAtMs: number | null;
  readonly renewAtMs: number | null;
  readonly endsAtMs: number | null;
  readonly failedAtMs: number | null;
  readonly failure: string | null;
};
