/** A request only ever grows. Each stage takes one of these and gives the next, so a wrong order does not compile. */
import type { ProtocolName } from '@trivium/protocol/canonical';
import type { AnyUnderstanding, CallerDialect, FormFile, RequestHead } from '@trivium/protocol/dialects';
import type { JsonMember } from '@trivium/protocol/framing';
import type { Caller } from '../accounts/caller.ts';
import type { BodyRoom } from '../kernel/admission.ts';
import type { CallerPort, RawHeaders } from '../kernel/caller-port.ts';
import type { JsonText, LongStrings } from '../kernel/long-strings.ts';
import type { DecidedBy, InputBounds, LeftOut, Weighed } from '../kernel/record.ts';
import type { Tags } from '../kernel/tags.ts';
import type { DirectoryEntry, Target } from '../kernel/target.ts';
import type { RequestTrace } from '../kernel/trace.ts';
import type { WireTape } from '../kernel/wire.ts';
import type { Elsewhere } from '../lanes/heavy.ts';

/** What every request has, whatever it asks for. */
export type ReceivedHead = {
  readonly id: string;
  readonly protocol: ProtocolName;
  readonly headers: RawHeaders;
  readonly head: RequestHead;
  /** As the caller wrote it, with its query. */
  readonly path?: string;
  readonly reply: CallerPort;
  readonly receivedAtMs: number;
  readonly startedAtMs: number;
  /** Rejects with a GatewayError when the body is too large, has no room or is no valid text. Long strings are set aside on request. */
  readonly readBody: (room: BodyRoom, setsAside?: boolean) => Promise<JsonText>;
  /** Absent where traces are off. */
  readonly trace?: RequestTrace | undefined;
  /** Absent where nothing is captured. */
  readonly wire?: WireTape;
  /** It was let in: its record is written when it is over. */
  readonly isRecorded?: true;
  /** Files of a form, there once its text has been read; of most requests, none. */
  readonly files?: readonly FormFile[];
};

export type Received = ReceivedHead & { readonly dialect: CallerDialect };

type Who = { readonly caller: Caller; readonly strict: boolean };

export type IdentifiedHead = ReceivedHead & Who;

export type Identified = Received & Who;

export type Understood = Identified & {
  readonly text: string;
  /** Images that were set aside: marks stand for them in the text and in what is made of it. */
  readonly longStrings?: LongStrings;
  readonly members: readonly JsonMember[];
  readonly understanding: AnyUnderstanding;
  /** Absent where the account has declared none. */
  readonly tags?: Tags;
  /** Of a body that was read on another thread: what it means stays there. */
  readonly elsewhere?: Elsewhere;
};

export type Planned = Understood & {
  readonly model: DirectoryEntry;
  /** Never empty. */
  readonly plan: readonly Target[];
  readonly leftOut?: readonly LeftOut[];
  /** Where there was a choice: what decided it, and the plan with what was known of each host. */
  readonly decidedBy?: DecidedBy;
  readonly weighed?: readonly Weighed[];
  /** Where contexts were compared with it: how many tokens the prompt has. */
  readonly inputBounds?: InputBounds;
  /** Where several hosts may hold the prompt in a cache: whose it is to be remembered. */
  readonly prompt?: Prompt;
};

/** What prompts that share a cache have in common, and how long a cache may last. */
export type Prompt = { readonly key: string; readonly ttlMs: number };

/** A request grows in place: each stage adds to the one object, and only the types know how far it has come. */
export const grow = <T extends object, U extends object>(request: T, more: U): T & U => Object.assign(request, more);
