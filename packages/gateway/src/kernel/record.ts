/** What is recorded of a request: its attempts, why hosts were chosen or left out, its usage and its bill. Plain data. */
import type {
  Complexity,
  Factor,
  Fault,
  JsonObject,
  Loss,
  Produced,
  Strategy,
  TaskType,
  Usage,
} from '@trivium/protocol/canonical';
import type { Cost } from '../prices/cost.ts';
import type { SuspectReason } from '../prices/plausible.ts';
import type { WhyLeftOut } from '../routing/candidate.ts';
import type { Fit, Room } from '../routing/snapshot.ts';

export type UsageReading = Produced & { readonly usage: Usage; readonly reported: boolean };

/** Records of finished requests, for a while. What another account asked for is not there. */
export interface RequestRecords {
  find(accountId: string, requestId: string): RequestRecord | undefined | Promise<RequestRecord | undefined>;
}

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

/** A host that could have been asked, and why it is not. */
export type LeftOut = {
  readonly provider: string;
  readonly modelId: string;
  readonly why: WhyLeftOut | Fault['kind'];
  /** With `context-too-short`. */
  readonly contextLength?: number;
};

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
  readonly heard?: UpstreamError;
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

export type RequestRecord = Outcome & {
  /** Where it may be less than the bill. */
  readonly chargedNanoUsd?: bigint | undefined;
  readonly requestId: string;
  readonly protocol: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly modelId: string;
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
};

export type Recorder = (record: RequestRecord) => void;

export type Bill = {
  readonly usage: Usage;
  /** Some of the usage is our own count: the upstream was cut short, or gave no figures. */
  readonly estimated: boolean;
  readonly cost: Cost;
  /** The upstream reported what cannot be true; `usage` is what is charged of it. */
  readonly suspect?: Suspect;
};

export type Suspect = { readonly why: readonly SuspectReason[]; readonly reported: Usage };
