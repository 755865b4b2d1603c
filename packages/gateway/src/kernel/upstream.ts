/** Calls to model providers: one request, a listener for its answer, and the signer of its headers. */
import type { Fault } from '@trivium/protocol/canonical';
import type { FormPart } from '@trivium/protocol/dialects';
import type { LongStrings } from './long-strings.ts';

export type UpstreamRequest = {
  readonly origin: string;
  readonly path: string;
  /** Name, value, name, value… */
  readonly headers: readonly string[];
  /** Text, or the parts of a form. */
  readonly body: string | readonly FormPart[];
  /** Those that marks in the text stand for. */
  readonly longStrings?: LongStrings;
  /** Absent: POST. Nothing is sent with a GET. */
  readonly method?: 'GET';
  /** Over a connection of its own, because a kept one turned out to be dead. */
  readonly anew?: true;
};

/** A signature covers every byte of the body, which is put together for it. */
export function withLongStrings(
  request: UpstreamRequest,
  longStrings: LongStrings | undefined,
  isSigned: boolean,
): UpstreamRequest {
  const { body } = request;
  if (longStrings === undefined || typeof body !== 'string') return request;
  return isSigned ? { ...request, body: longStrings.restore(body) } : { ...request, longStrings };
}

/**
 * What is known of a failed exchange beside its fault: `unsent` cannot have reached the upstream; `lapsed` is a connection
 * kept from earlier that died before it gave an answer to this request.
 */
export type HowFailed = 'unsent' | 'lapsed';

export interface UpstreamListener {
  /** A connection is there for it; not called where the client cannot tell. */
  onConnected?(): void;
  /** It was handed to the connection. */
  onSent?(): void;
  /** `headers`: all of them, as name, value, name, value…; absent where the client cannot tell. */
  onHead(status: number, header: (name: string) => string | undefined, headers?: () => readonly string[]): void;
  onText(piece: string): void;
  onEnd(): void;
  onFail(fault: Fault, cause: unknown, how?: HowFailed): void;
}

export interface UpstreamExchange {
  pause(): void;
  resume(): void;
  /** No listener method is called any more. */
  abort(): void;
}

export interface Upstream {
  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamExchange;
}

/** Headers that depend on the request or on the time. A promise only while something has to be fetched first. */
export interface RequestSigner {
  sign(request: UpstreamRequest): readonly string[] | Promise<readonly string[]>;
  /** The upstream did not accept these. True where the next ones may do better: what made them had run out. */
  refused?(headers: readonly string[]): boolean;
}
