/** The record of a request: its attempts, why hosts were chosen or left out, its usage and its bill. Plain data. */
import type {
  Complexity,
  Factor,
  Fault,
  JsonObject,
  Loss,
  OperationKind,
  Produced,
  RoutingPreferences,
  Strategy,
  TaskType,
  Usage,
} from '@trivium/protocol/canonical';
import type { GrantClient } from './caller.ts';
import type { Cost, SuspectReason } from './price.ts';
import type { Fit, Room, WhyLeftOut } from './route.ts';
import type { Tags } from './tags.ts';
import type { RequestTrace } from './trace.ts';

/** What is known of a request when it is admitted. */
export type BegunRequest = {
  readonly keyId: string;
  readonly memberId?: string | undefined;
  readonly modelId: string;
  readonly protocol: string;
  readonly receivedAtMs: number;
  readonly tags?: Tags | undefined;
};

export type UsageReading = Produced & { readonly usage: Usage; readonly reported: boolean };

/** Records of finished requests, for as long as they are kept. Records of other accounts are not found. */
export interface RequestRecords {
  find(accountId: string, requestId: string): Promise<ExplainedRequest | undefined>;
}

/** A finished request as plain data, wherever it was stored. */
export type ExplainedRequest = {
  readonly requestId: string;
  readonly receivedAtMs: number;
  readonly protocol: string;
  readonly modelId: string;
  readonly stream: boolean;
  readonly provider: string | null;
  /** `ok`, `interrupted` or the kind of fault. */
  readonly outcome: string;
  readonly lane?: string | undefined;
  readonly laneWhy?: string | undefined;
  readonly losses: readonly Loss[];
  readonly usage: Usage;
  readonly usageBasis: 'reported' | 'estimated';
  readonly suspect?: Suspect | undefined;
  /** Null if nothing was charged, or a part of it has no price. */
  readonly costUsd: string | null;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  readonly attempts: readonly AttemptRecord[];
  readonly decision: ExplainedDecision | undefined;
};

type ExplainedDecision = {
  readonly decidedBy: DecidedBy;
  readonly weighed: readonly PlainWeighed[];
  readonly leftOut: readonly LeftOut[];
  readonly inputBounds?: InputBounds | undefined;
};

/** What ordered the hosts, and what ordered the models, if anything did. */
export type DecidedBy = {
  readonly hosts: Strategy | Factor | 'list' | 'weights' | 'default';
  readonly models?: { readonly taskType: TaskType; readonly complexity: Complexity; readonly estimated: boolean };
  /** Absent: no policy of the operator applied. */
  readonly policies?: readonly PolicyDecision[];
  /** Absent: no canary was drawn for. */
  readonly canary?: CanaryDecision;
  /** The model asked for did not fit a budget, whose template names this one for that. */
  readonly onLimit?: OnLimitDecision;
};

/** Which way an operator's canary sent a request. */
export type CanaryDecision = {
  readonly policy: string;
  /** Its share at the time. */
  readonly percent: number;
  /** The canary's host and model, which are called first; absent: the request was not sent there. */
  readonly sentTo?: { readonly provider: string; readonly modelId: string };
};

/** `budget`: as its template is named, e.g. `each member per month`. */
export type OnLimitDecision = { readonly model: string; readonly budget: string };

/** A member of the operator's policies that applied to a request, and the policy that set it. */
export type PolicyDecision = { readonly member: string; readonly policy: string };

/** Lower and upper bound of a prompt's tokens. */
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
  /** Undefined if hosts do not differ in it. */
  readonly fit: Fit | undefined;
  readonly contextLength: number;
  /** Undefined if the prompt was clearly short enough, or all contexts are equal. */
  readonly room: Room | undefined;
};

/** The same as plain data: the price as digits, since it may be too large for a number. */
export type PlainWeighed = Omit<Weighed, 'picoUsd'> & { readonly picoUsd: string | undefined };

/** A candidate host that was left out, and why. */
export type LeftOut = {
  readonly provider: string;
  readonly modelId: string;
  readonly why: WhyLeftOut | Fault['kind'];
  /** The operator's policy that left it out; absent: none did. */
  readonly policy?: string;
  /** With `context-too-short`. */
  readonly contextLength?: number;
};

/** Start of an attempt's phases, in ms since its request arrived. Absent: the attempt did not get that far. */
type AttemptTimes = {
  readonly startMs: number;
  /** Equal to `startMs`, or a tick later, if an open connection was reused. */
  readonly connectedMs?: number | undefined;
  /** The request was written to the connection. */
  readonly sentMs?: number | undefined;
  /** The status and headers of the answer arrived. */
  readonly headMs?: number | undefined;
  /** The first content; for an answer that is not streamed, its end. */
  readonly firstContentMs?: number | undefined;
  /** It failed, or its whole answer was passed on. */
  readonly endMs: number;
};

/** One attempt at one target, for the record. */
export type AttemptRecord = { readonly [Name in keyof AttemptTimes]?: number | undefined } & {
  readonly provider: string;
  /** Absent in records of videos, which have one model. */
  readonly modelId?: string | undefined;
  readonly lane: string;
  /** Position of the operator's credential in the configuration, from 1. */
  readonly credential?: number | undefined;
  /** HTTP status of the upstream's answer, successful or not; absent if there was none. */
  readonly status?: number | undefined;
  /** Id of its trace span; absent if traces are off. */
  readonly spanId?: string | undefined;
  /** The upstream's Retry-After, in ms. */
  readonly retryAfterMs?: number | undefined;
  /** Our own pause before this attempt, in ms. */
  readonly waitMs?: number | undefined;
  readonly fault?: Fault['kind'] | undefined;
  /** Sent once more without seals, which the upstream had rejected. */
  readonly sealsStripped?: true | undefined;
  readonly durationMs: number;
  /** A hedge: a second request beside a slow one, or the slow one that lost to it. */
  readonly hedge?: 'won' | 'lost' | undefined;
  /** What a failed attempt, or a hedge that lost, used: paid by the operator, never by the caller. */
  readonly operatorCost?: OperatorCost | undefined;
  /** The upstream's error: for operators only. Without a `fault` if the answer broke off after it had started. */
  readonly heard?: UpstreamError | undefined;
};

/** The error of an upstream. Texts are redacted and truncated. */
export type UpstreamError = {
  /** HTTP status of its answer; absent if there was none. */
  readonly status?: number;
  /** Error code of the system or the connection, e.g. `ECONNREFUSED`. */
  readonly code?: string;
  /** The upstream's own request id, for its support. */
  readonly upstreamRequestId?: string;
  /** The beginning of its answer, or what is known instead. */
  readonly text: string;
};

/** Plain data: it is logged and stored. */
export type OperatorCost = {
  readonly usage: Usage;
  readonly estimated: boolean;
  /** At the catalogue's prices; digits, since it may be too large for a number. */
  readonly nanoUsd: string;
};

export type Outcome = {
  readonly how: 'done' | 'fault' | 'gone';
  readonly fault?: Fault | undefined;
  readonly reading?: UsageReading | undefined;
  /** Of requests that got an upstream's answer. */
  readonly bill?: Bill | undefined;
  /** The host that answered, or else that of the last call; absent if none was called. So are the next three. */
  readonly provider?: string | undefined;
  /** May be a fallback. */
  readonly modelId?: string;
  readonly lane?: 'verbatim' | 'translated' | undefined;
  readonly laneWhy?: string | undefined;
  readonly losses?: readonly Loss[] | undefined;
  readonly firstByteAtMs?: number | undefined;
};

/** A finished request. Made once, when it is settled; observers read it in the same turn and must not change it. */
export type RequestRecord = Outcome & {
  /** What the ledger charged, which may be less than the bill; absent if no ledger charges. */
  readonly chargedNanoUsd?: bigint | undefined;
  readonly requestId: string;
  /** Absent if traces are off. */
  readonly trace?: RequestTrace | undefined;
  readonly protocol: string;
  readonly operation?: RecordedOperation | undefined;
  readonly accountId: string;
  readonly keyId: string;
  readonly memberId?: string | undefined;
  /** The kind of program in which the person signed in; absent: a key called. */
  readonly client?: GrantClient | undefined;
  /** As the caller wrote it. */
  readonly askedModel?: string | undefined;
  readonly modelId: string;
  readonly strict?: boolean | undefined;
  /** When rate limits and hold had admitted it, in ms since it arrived. */
  readonly admittedMs?: number | undefined;
  readonly stream: boolean;
  readonly attempts: readonly AttemptRecord[];
  readonly leftOut?: readonly LeftOut[] | undefined;
  readonly decidedBy?: DecidedBy | undefined;
  readonly weighed?: readonly Weighed[] | undefined;
  readonly inputBounds?: InputBounds | undefined;
  /** Absent for most requests: the caller stated none. */
  readonly preferences?: RoutingPreferences | undefined;
  readonly receivedAtMs: number;
  readonly durationMs: number;
  readonly firstByteMs: number | undefined;
  readonly metadata: JsonObject | undefined;
  /** The caller's own name for it; a text of the caller's, which is stored as a hash. */
  readonly conversation?: string | undefined;
  /** Absent if the account has declared none. */
  readonly tags?: Tags | undefined;
};

export type RecordedOperation = OperationKind | 'video' | 'passthrough';

export type Recorder = (record: RequestRecord) => void;

/** A request that was refused before admission: it has no attempt and costs nothing. */
export type RefusedRequest = {
  readonly requestId: string;
  readonly protocol: string;
  /** The route of the path, e.g. `text-call`; `none` for an unknown one. */
  readonly route: string;
  readonly operation?: RecordedOperation;
  readonly trace?: RequestTrace | undefined;
  /** Absent if the credential was missing or invalid. */
  readonly caller?: { readonly accountId: string; readonly keyId: string; readonly memberId?: string };
  readonly askedModel?: string;
  /** As far as the request was read. */
  readonly preferences?: RoutingPreferences;
  readonly tags?: Tags;
  readonly fault: Fault;
  readonly receivedAtMs: number;
  readonly durationMs: number;
};

/**
 * In-process observers of finished requests (traces, alerts, live views). Called on the request path: they take note
 * and return, and do their work later, in batches.
 */
export type RecordObserver = {
  readonly finished: Recorder;
  readonly refused?: (refused: RefusedRequest) => void;
};

export type Bill = {
  readonly usage: Usage;
  /** A part of the usage is our own count: the upstream was cut short, or reported none. */
  readonly estimated: boolean;
  readonly cost: Cost;
  /** The upstream reported implausible usage; `usage` is the part that is charged. */
  readonly suspect?: Suspect;
};

export type Suspect = { readonly why: readonly SuspectReason[]; readonly reported: Usage };
