/** What is recorded of a request: its attempts, why hosts were chosen or left out, its usage and its bill. Plain data. */
import type {
  Complexity,
  Factor,
  Fault,
  JsonObject,
  Loss,
  OperationKind,
  Produced,
  Strategy,
  TaskType,
  Usage,
} from '@trivium/protocol/canonical';
import type { Cost } from '../prices/cost.ts';
import type { SuspectReason } from '../prices/plausible.ts';
import type { WhyLeftOut } from '../routing/candidate.ts';
import type { Fit, Room } from '../routing/snapshot.ts';
import type { Tags } from './tags.ts';
import type { RequestTrace } from './trace.ts';

/** What is known of a request when it is let in. */
export type BegunRequest = {
  readonly keyId: string;
  readonly memberId?: string | undefined;
  readonly modelId: string;
  readonly protocol: string;
  readonly receivedAtMs: number;
  readonly tags?: Tags | undefined;
};

export type UsageReading = Produced & { readonly usage: Usage; readonly reported: boolean };

/** Records of finished requests, for as long as they are kept. What another account asked for is not there. */
export interface RequestRecords {
  find(accountId: string, requestId: string): Promise<ExplainedRequest | undefined>;
}

/** A finished request as plain data, wherever it was kept. */
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
  /** Null where nothing was charged, or some of it has no price. */
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
  /** Undefined where hosts do not differ in it. */
  readonly fit: Fit | undefined;
  readonly contextLength: number;
  /** Undefined where the prompt was clearly short enough, or all contexts alike. */
  readonly room: Room | undefined;
};

/** The same in plain data: its price in digits, since it may be too large for a number. */
export type PlainWeighed = Omit<Weighed, 'picoUsd'> & { readonly picoUsd: string | undefined };

/** A host that could have been asked, and why it is not. */
export type LeftOut = {
  readonly provider: string;
  readonly modelId: string;
  readonly why: WhyLeftOut | Fault['kind'];
  /** With `context-too-short`. */
  readonly contextLength?: number;
};

/** When the phases of an attempt began, in ms since its request arrived. Absent: it did not come to that. */
type AttemptTimes = {
  readonly startMs: number;
  /** Equal to `startMs` or later by a tick where an open connection was used again. */
  readonly connectedMs?: number | undefined;
  /** The request was handed to the connection. */
  readonly sentMs?: number | undefined;
  /** The status and headers of the answer arrived. */
  readonly headMs?: number | undefined;
  /** The first content; of an answer that is not streamed, its end. */
  readonly firstContentMs?: number | undefined;
  /** It failed, or all of its answer was passed on. */
  readonly endMs: number;
};

/** How one try at one target went, for the record. */
export type AttemptRecord = { readonly [Name in keyof AttemptTimes]?: number | undefined } & {
  readonly provider: string;
  /** Absent in records of videos, which have one model. */
  readonly modelId?: string | undefined;
  readonly lane: string;
  /** The operator's credential by its place in the configuration, from 1. */
  readonly credential?: number | undefined;
  /** Of the upstream's answer, whether or not it was a failure; absent where there was none. */
  readonly status?: number | undefined;
  /** Of its span; absent where traces are off. */
  readonly spanId?: string | undefined;
  /** How long the upstream asked to be left alone. */
  readonly retryAfterMs?: number | undefined;
  /** The pause of our own before this attempt. */
  readonly waitMs?: number | undefined;
  readonly fault?: Fault['kind'] | undefined;
  /** Sent once more without seals, which the upstream had refused. */
  readonly sealsStripped?: true | undefined;
  readonly durationMs: number;
  /** A second request beside one that was slow, or the slow one that lost to it. */
  readonly hedge?: 'won' | 'lost' | undefined;
  /** What it used up without answering the caller: the operator's cost, never the caller's. */
  readonly operatorCost?: OperatorCost | undefined;
  /** Why the upstream failed: for operators, and for nobody else. Of an answer that broke off, without a `fault`. */
  readonly heard?: UpstreamError | undefined;
};

/** Of an upstream that failed. Texts are redacted and bounded. */
export type UpstreamError = {
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

export type Outcome = {
  readonly how: 'done' | 'fault' | 'gone';
  readonly fault?: Fault | undefined;
  readonly reading?: UsageReading | undefined;
  /** Of requests that reached an upstream's answer. */
  readonly bill?: Bill | undefined;
  readonly provider?: string | undefined;
  /** The one that served, where another model was asked first. */
  readonly modelId?: string;
  readonly lane?: 'verbatim' | 'translated' | undefined;
  readonly laneWhy?: string | undefined;
  readonly losses?: readonly Loss[] | undefined;
  readonly firstByteAtMs?: number | undefined;
};

/** A finished request. Made once, when its settlement closes; observers read it in the same turn and keep it unchanged. */
export type RequestRecord = Outcome & {
  /** Where it may be less than the bill. */
  readonly chargedNanoUsd?: bigint | undefined;
  readonly requestId: string;
  /** Absent where traces are off. */
  readonly trace?: RequestTrace | undefined;
  readonly protocol: string;
  readonly operation?: RecordedOperation | undefined;
  readonly accountId: string;
  readonly keyId: string;
  readonly memberId?: string | undefined;
  /** As the caller wrote it. */
  readonly askedModel?: string | undefined;
  readonly modelId: string;
  readonly strict?: boolean | undefined;
  /** When the limits and the hold on money had let it in, in ms since it arrived. */
  readonly admittedMs?: number | undefined;
  readonly stream: boolean;
  readonly attempts: readonly AttemptRecord[];
  readonly leftOut?: readonly LeftOut[] | undefined;
  readonly decidedBy?: DecidedBy | undefined;
  readonly weighed?: readonly Weighed[] | undefined;
  readonly inputBounds?: InputBounds | undefined;
  readonly receivedAtMs: number;
  readonly durationMs: number;
  readonly firstByteMs: number | undefined;
  readonly metadata: JsonObject | undefined;
  /** Absent where the account has declared none. */
  readonly tags?: Tags | undefined;
};

export type RecordedOperation = OperationKind | 'video';

export type Recorder = (record: RequestRecord) => void;

/** A request that was refused before it was let in: it has no attempt and costs nothing. */
export type RefusedRequest = {
  readonly requestId: string;
  readonly protocol: string;
  /** What the path stands for, e.g. `text-call`; `none` for an unknown one. */
  readonly route: string;
  readonly operation?: RecordedOperation;
  readonly trace?: RequestTrace | undefined;
  /** Absent where the credential was missing or not valid. */
  readonly caller?: { readonly accountId: string; readonly keyId: string; readonly memberId?: string };
  readonly askedModel?: string;
  readonly fault: Fault;
  readonly receivedAtMs: number;
  readonly durationMs: number;
};

/**
 * In-process observers of the ends of requests (traces, alerts, live views). Called on the request path: they take note and
 * return, and do their work later, in batches.
 */
export type RecordObserver = {
  readonly finished: Recorder;
  readonly refused?: (refused: RefusedRequest) => void;
};

export type Bill = {
  readonly usage: Usage;
  /** Some of the usage is our own count: the upstream was cut short, or gave no figures. */
  readonly estimated: boolean;
  readonly cost: Cost;
  /** The upstream reported what cannot be true; `usage` is what is charged of it. */
  readonly suspect?: Suspect;
};

export type Suspect = { readonly why: readonly SuspectReason[]; readonly reported: Usage };
