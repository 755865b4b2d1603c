/** A request only ever grows. Each stage takes one of these and gives the next, so a wrong order does not compile. */
import type {
  Complexity,
  Factor,
  Fault,
  Loss,
  ProtocolName,
  Strategy,
  TaskType,
  Usage,
} from '@trivium/protocol/canonical';
import type { AnyUnderstanding, CallerDialect, FormFile, RequestHead } from '@trivium/protocol/dialects';
import type { Member } from '@trivium/protocol/framing';
import type { Caller } from '../accounts/caller.ts';
import type { Fit, Room } from '../routing/moment.ts';
import type { WhyLeftOut } from '../routing/plan.ts';
import type { Attempt } from './attempt.ts';
import type { EarlyReply } from './early-reply.ts';
import type { Elsewhere } from './elsewhere.ts';
import type { BodyRoom, CallerPort, DirectoryEntry, RawHeaders, Target } from './ports.ts';
import type { Settlement } from './settle.ts';

/** What every request has, whatever it asks for. */
export type ReceivedHead = {
  readonly id: string;
  readonly protocol: ProtocolName;
  readonly headers: RawHeaders;
  readonly head: RequestHead;
  readonly reply: CallerPort;
  readonly receivedAtMs: number;
  readonly startedAtMs: number;
  /** Rejects with a GatewayError when the body is too large, has no room or is no valid text. */
  readonly readText: (room: BodyRoom) => Promise<string>;
  /** Files of a form, there once its text has been read; of most requests, none. */
  readonly files?: readonly FormFile[];
};

export type Received = ReceivedHead & { readonly dialect: CallerDialect };

type Who = { readonly caller: Caller; readonly strict: boolean };
export type IdentifiedHead = ReceivedHead & Who;
export type Identified = Received & Who;

export type Understood = Identified & {
  readonly text: string;
  readonly members: readonly Member[];
  readonly understanding: AnyUnderstanding;
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
  /** Of streams that were opened before anything was there to be said. */
  readonly early?: EarlyReply;
};

/** The word that ordered the hosts, and what ordered the models where something did. */
export type DecidedBy = {
  readonly hosts: Strategy | Factor | 'list' | 'default';
  readonly models?: { readonly taskType: TaskType; readonly complexity: Complexity; readonly estimated: boolean };
};

/** Tokens of a prompt, between which the true count lies. */
export type InputBounds = { readonly atLeast: number; readonly atMost: number };

/** A host in the plan, and what was known of it when the plan was made. */
export type Weighed = {
  readonly provider: string;
  readonly modelId: string;
  readonly firstTokenMs: number | undefined;
  readonly waiting: number;
  readonly picoUsd: bigint | undefined;
  readonly isMaker: boolean;
  readonly holdsCache: boolean;
  /** Undefined where nobody needed to know. */
  readonly fit: Fit | undefined;
  readonly contextLength: number;
  /** Undefined where the prompt was clearly short enough, or all contexts alike. */
  readonly room: Room | undefined;
};

/** What prompts that share a cache have in common, and how long a cache may last. */
export type Prompt = { readonly key: string; readonly ttlMs: number };

/** A host that could have been asked, and why it is not. */
export type LeftOut = {
  readonly provider: string;
  readonly modelId: string;
  readonly why: WhyLeftOut | Fault['kind'];
  /** With `context-too-short`. */
  readonly contextLength?: number;
};

export type Admitted = Planned & { readonly settlement: Settlement };

export type Answered = Admitted & { readonly attempt: Attempt; readonly losses: readonly Loss[] };

/** How one try at one target went, for the record. */
export type AttemptRecord = {
  readonly provider: string;
  readonly lane: string;
  readonly fault?: Fault['kind'];
  /** Sent once more without seals, which the upstream had refused. */
  readonly sealsStripped?: true;
  readonly durationMs: number;
  /** A second request beside one that was slow, or the slow one that lost to it. */
  readonly hedge?: 'won' | 'lost';
  /** What it used up without answering the caller: the operator's cost, never the caller's. */
  readonly operatorCost?: OperatorCost;
  /** What was heard of the upstream when it failed: for the operator's log, and for nothing else. */
  readonly heard?: Heard;
};

/** Of an upstream that failed. Texts are redacted and bounded. */
export type Heard = {
  /** Of its answer; absent where there was none. */
  readonly status?: number;
  /** Of the system or the connection, e.g. `ECONNREFUSED`. */
  readonly code?: string;
  /** Its own id of the request, for questions to its support. */
  readonly upstreamRequestId?: string;
  /** The beginning of its answer, or what is known instead. */
  readonly text: string;
};

/** As plain data: it is logged and stored. */
export type OperatorCost = {
  readonly usage: Usage;
  readonly estimated: boolean;
  /** At the catalogue's prices; digits, since it may be too large for a number. */
  readonly nanoUsd: string;
};

/** A request grows in place: each stage adds to the one object, and only the types know how far it has come. */
export const grow = <T extends object, U extends object>(request: T, more: U): T & U => Object.assign(request, more);
