/**
 * A request only ever grows. Each stage takes one of these types and returns the next, so a wrong order does not
 * compile. It grows in place (`Object.assign`): the object stays the same, and only the types record the stage.
 */
import { GatewayError, type Loss, type ProtocolName, type RoutingPreferences } from '@trivium/protocol/canonical';
import type { AnyUnderstanding, CallerDialect, FormFile, RequestHead } from '@trivium/protocol/dialects';
import type { JsonMember } from '@trivium/protocol/framing';
import type { BodyRoom } from '../kernel/admission.ts';
import type { Caller } from '../kernel/caller.ts';
import type { CallerPort, RawHeaders } from '../kernel/caller-port.ts';
import type { JsonText, LongStrings } from '../kernel/long-strings.ts';
import type { DecidedBy, InputBounds, LeftOut, Weighed } from '../kernel/record.ts';
import type { OpenTurn } from '../kernel/stored-responses.ts';
import type { Tags } from '../kernel/tags.ts';
import type { DirectoryEntry, Target } from '../kernel/target.ts';
import type { RequestTrace } from '../kernel/trace.ts';
import type { WireTape } from '../kernel/wire.ts';
import type { FallbackStep } from '../models/routing/next.ts';
import type { OnWorker } from './heavy-work.ts';

/** What every request has, whatever its operation. */
export type ReceivedHead = {
  readonly id: string;
  readonly protocol: ProtocolName;
  readonly headers: RawHeaders;
  readonly head: RequestHead;
  /** As the caller wrote it, with its query string. */
  readonly path?: string;
  readonly reply: CallerPort;
  readonly receivedAtMs: number;
  readonly startedAtMs: number;
  /**
   * Rejects with a GatewayError if the body is too large, finds no memory budget or is not valid text. Long strings are
   * extracted on request.
   */
  readonly readBody: (room: BodyRoom, extractLongStrings?: boolean) => Promise<JsonText>;
  /** Absent where traces are off. */
  readonly trace?: RequestTrace | undefined;
  /** Absent where nothing is captured. */
  readonly wire?: WireTape;
  /** A conversation is compacted. */
  readonly compacts?: true;
  /** The request was admitted: its record is written at its end. */
  readonly isRecorded?: true;
  /** Files of a multipart form, available once its text has been read; most requests have none. */
  readonly files?: readonly FormFile[];
};

export type Received = ReceivedHead & { readonly dialect: CallerDialect };

/** What a request that refers to stored items says itself, and where it belongs. */
export type StoredTurn = Pick<OpenTurn, 'input' | 'previousId' | 'conversationId' | 'conversationUntil'>;

type Who = { readonly caller: Caller; readonly strict: boolean };

export type IdentifiedHead = ReceivedHead & Who;

export type Identified = Received & Who & { /** Absent for most requests. */ readonly turn?: StoredTurn };

export type Understood = Identified & {
  readonly text: string;
  /** Images that were extracted: placeholders stand for them in the text and in what is built from it. */
  readonly longStrings?: LongStrings;
  readonly members: readonly JsonMember[];
  readonly understanding: AnyUnderstanding;
  /** Absent where the account has declared none. */
  readonly tags?: Tags;
  /** Of body and headers, once it is planned; absent for most requests. */
  readonly preferences?: RoutingPreferences;
  /** For a body parsed on another thread: its parsed form stays there. */
  readonly onWorker?: OnWorker;
};

export type Planned = Understood & {
  readonly model: DirectoryEntry;
  /** Never empty. */
  readonly plan: readonly Target[];
  readonly leftOut?: readonly LeftOut[];
  /** If there was a choice: what decided it, and the plan with the state of each host. */
  readonly decidedBy?: DecidedBy;
  /** What was lost before a host was chosen: the model asked for. */
  readonly ownLosses?: readonly Loss[];
  readonly weighed?: readonly Weighed[];
  /** If contexts were compared with it: bounds of the prompt's tokens. */
  readonly inputBounds?: InputBounds | undefined;
  /** The operator's fallbacks to other models: where each begins in the plan, and after which failures it is called. */
  readonly steps?: readonly FallbackStep[] | undefined;
  /** The operator's timeouts for the model asked for; absent: those of the gateway. */
  readonly timeouts?:
    | { readonly firstByteMs?: number; readonly silenceMs?: number; readonly totalMs?: number }
    | undefined;
  /** If several hosts may cache the prompt: the key to remember the host by. */
  readonly prompt?: Prompt | undefined;
};

/** What prompts that share a cache have in common, and how long the cache may last. */
export type Prompt = { readonly key: string; readonly ttlMs: number };

export const GONE = new GatewayError({ kind: 'cancelled', message: 'The caller hung up.' });
