/** What the engine needs from the world. Everything that does I/O, keeps time or makes ids is handed in through these. */
import type {
  Fault,
  ImageFile,
  JsonObject,
  MediaKind,
  ModelCard,
  Produced,
  RedactedBlock,
  SealOwner,
  ThinkingBlock,
  ToolCallBlock,
  Usage,
} from '@trivium/protocol/canonical';
import type { AnyDialect, Dialect, FormPart, ImageDialect, RateNote, TargetFacts } from '@trivium/protocol/dialects';
import type { Caller } from '../accounts/caller.ts';
import type { RateCard } from '../prices/rates.ts';
import type { Kind, Pace } from '../routing/paces.ts';
import type { RouteFacts } from '../routing/plan.ts';
import type { Bill } from './bill.ts';
import type { RequestRecord } from './settle.ts';
import type { VideoRoute } from './video-ports.ts';

export type RawHeaders = ReadonlyMap<string, string | readonly string[]>;

/** The caller's side of one exchange: one whole answer, or a stream that ends cleanly or is cut. */
export interface CallerPort {
  readonly gone: boolean;
  /** Where the caller comes from; empty when that is not known any more. */
  readonly address: string;
  /** At most one listener; called when the caller hangs up before the answer is complete. */
  onGone(listener: () => void): void;
  answer(status: number, headers: readonly string[], body: string): void;
  open(status: number, headers: readonly string[]): void;
  /** False when the caller reads slower than we write: wait for `onDrain`. */
  write(text: string): boolean;
  onDrain(listener: () => void): void;
  finish(trailers?: Readonly<Record<string, string>>): void;
  /** Ends the connection after what was written, without a proper end: a failed stream must not look finished. */
  cut(): void;
  /** Called before the first byte of an answer; callers whose answers are not kept have no need of it. */
  servedBy?(source: AnswerSource): void;
}

/** The model and the host that made an answer. */
export type AnswerSource = { readonly modelId: string; readonly provider: string };

export type UpstreamRequest = {
  readonly origin: string;
  readonly path: string;
  /** Name, value, name, value… */
  readonly headers: readonly string[];
  /** Text, or the parts of a form. */
  readonly body: string | readonly FormPart[];
  /** Absent: POST. Nothing is sent with a GET. */
  readonly method?: 'GET';
  /** Over a connection of its own, because a kept one turned out to be dead. */
  readonly anew?: true;
};

/**
 * What is known of a failed exchange beside its fault: `unsent` cannot have reached the upstream; `lapsed` is a connection
 * kept from earlier that died before it gave an answer to this request.
 */
export type HowFailed = 'unsent' | 'lapsed';

export interface UpstreamListener {
  onHead(status: number, header: (name: string) => string | undefined): void;
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

export interface Accounts {
  /** A promise only for a key that is not known yet. */
  find(secret: string): Caller | undefined | Promise<Caller | undefined>;
}

/** A place taken in the limits; given back exactly once. */
export interface Slot {
  /** Absent where nothing is limited by the minute. */
  readonly rate?: RateNote;
  /** With what the request was charged, if it was. */
  release(bill?: Bill): void;
}
/** A place among the requests that run, with room for the body; given back at most once, whatever is called after that. */
export interface Place extends BodyRoom {
  release(): void;
}
/** Room for bodies in the memory of the process. */
export interface BodyRoom {
  /** For so many bytes more; a fault where there is no room. */
  reserve(bytes: number): Fault | undefined;
}
export interface Limits {
  /** From the head alone, before the body costs anything. */
  enter(caller: Caller): Place | Fault;
  /**
   * Room in the limits by the minute, for a request that has its place; the slot gives both back. Asked for the request's
   * size only where something limits it. A promise, which never rejects, only where others have to be asked.
   */
  claim(place: Place, caller: Caller, request: () => SlotRequest): Slot | Fault | Promise<Slot | Fault>;
}
/** How much a request will use, as well as it can be told beforehand. */
export type SlotRequest = { readonly modelId: string; readonly tokens: number; readonly nanoUsd: number };

export type Reading = Produced & { readonly usage: Usage; readonly reported: boolean };

/** Money set aside for one request; closed exactly once. */
export interface Hold {
  readonly id: string;
  /** Once settled: less than the bill where the bill is an estimate and more than was set aside. Absent where nothing is charged. */
  readonly chargedNanoUsd?: bigint | undefined;
  /** What settling this bill now would charge. Absent where nothing is charged. */
  chargeOf?(bill: Bill): bigint;
  settle(bill: Bill): void;
  release(): void;
  /** What it has cost so far. `stop`: what was set aside is used up, and there is no more. Absent where nothing is charged. */
  meter?(bill: Bill): 'go' | 'stop';
}
/** What a request may cost at most, at the prices it is admitted at. */
export type Quote = {
  readonly holdNanoUsd: bigint;
  readonly priceVersion: string;
  /** Meters it may move that have no price at some target. */
  readonly unpriced: readonly string[];
};
export type HoldRequest = {
  readonly requestId: string;
  readonly caller: Caller;
  readonly modelId: string;
  readonly maxOutputTokens: number | undefined;
  /** Made only for ledgers that charge. */
  readonly quote?: Quote;
};
export interface Ledger {
  readonly charges?: boolean;
  hold(request: HoldRequest): Promise<Hold | Fault> | Hold | Fault;
}

/** The opaque state of one answer with tool calls: its sealed thoughts, each before the call it led to, and the calls. */
export type KeptTurn = readonly (
  | { readonly thought: ThinkingBlock | RedactedBlock }
  | { readonly call: Pick<ToolCallBlock, 'id' | 'name' | 'argumentsJson' | 'seal'> }
)[];

/**
 * What callers who never bring seals back should have brought, for a while, by account and id of a tool call. Forgetting
 * is always allowed: it costs the model's thoughts, not the conversation.
 */
export interface SealMemory {
  keep(accountId: string, turn: KeptTurn): void;
  /** These calls came without seals: nobody need look for any. */
  nothingToKeep?(accountId: string, callIds: readonly string[]): void;
  recall(accountId: string, callIds: readonly string[]): Recalled | Promise<Recalled>;
}
export type Recalled = ReadonlyMap<string, KeptTurn>;

/** An answer as it was given the first time. */
export type KeptAnswer = {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  readonly streamed: boolean;
  readonly trailers?: Readonly<Record<string, string>>;
  /** False for a stream that was cut: it is repeated as far as it came. */
  readonly complete: boolean;
  /** Absent of failures, which no model made, and of answers kept by earlier releases. */
  readonly source?: AnswerSource;
};

/** The right to make the one call of a key; used exactly once, what comes later is ignored. */
export interface Keeping {
  keep(answer: KeptAnswer): void;
  /** Answered, but not kept: whoever repeats it must be told so. */
  tooLong(): void;
  /** Nothing was answered: the next one may try. */
  forget(): void;
}

export type RepeatClaim =
  | { readonly kind: 'first'; readonly keeping: Keeping }
  | { readonly kind: 'kept'; readonly answer: KeptAnswer }
  | { readonly kind: 'too-long'; readonly requestId: string }
  | { readonly kind: 'other-content' };

/** Answers by Idempotency-Key, each account's its own. */
export interface Repeats {
  readonly maxAnswerLength: number;
  /** Waits, within a bound, while another request under the same key is being made; rejects with a GatewayError beyond it. */
  claim(request: {
    readonly accountId: string;
    readonly key: string;
    /** All that must be the same. */
    readonly content: string;
    readonly requestId: string;
  }): Promise<RepeatClaim>;
}

/** What an account may ask about itself. */
export const OWN_QUESTIONS = ['generation', 'usage', 'credits', 'key'] as const;
export type OwnQuestion = (typeof OWN_QUESTIONS)[number];

export interface OwnReports {
  /** Throws a GatewayError for what cannot be asked, and for what is not this account's. */
  read(caller: Caller, what: OwnQuestion, query: ReadonlyMap<string, string>): Promise<JsonObject>;
}

export type FetchedMedia = { readonly mimeType: string; readonly base64: string };

/** Files behind URLs that callers give, for upstreams that fetch none. Rejects with a GatewayError. */
export interface MediaFetcher {
  fetch(url: string, kind: MediaKind): Promise<FetchedMedia>;
}

/** The mask with white where it was transparent and black where it was not; undefined where it has no transparency. */
export type MaskInverter = (mask: ImageFile) => Promise<ImageFile | undefined>;

export interface Clock {
  /** Wall clock, for what people read. */
  nowMs(): number;
  /** Monotonic, for what is measured. */
  monotonicMs(): number;
}

/**
 * How a call at a target ended, as far as the target is to blame: `stalled` is a failure by silence, `unwelcome` our
 * credential refused, `over-rate` our credential used up, and `unjudged` says nothing (the caller left, or erred).
 */
export type Verdict = 'answered' | 'failed' | 'stalled' | 'unwelcome' | 'over-rate' | 'unjudged';

/** What is known of targets from the calls so far, by their `routeKey`. Times are monotonic. */
export interface Health {
  /** 0 for whoever is in service. */
  outForMs(routeKey: string, nowMs: number): number;
  /** A call goes there now, and a report will follow. A target whose time is over is on trial until then: out for others. */
  enter(routeKey: string, nowMs: number): void;
  /** An answer has begun. */
  begun(routeKey: string, nowMs: number): void;
  /** Once for every call; `retryAfterMs` where the upstream asked for patience. */
  report(routeKey: string, verdict: Verdict, nowMs: number, retryAfterMs?: number): void;
}

/** Tells other nodes who was taken out here; they may take it out, too, and must try it for themselves. */
export interface HealthHints {
  tell(routeKey: string, forMs: number): void;
}

/** The right to ask more often than callers do, by the host a request began at. */
export interface RetryBudget {
  asked(provider: string): void;
  take(provider: string, nowMs: number): boolean;
}

/** When a second request beside a late one is due, and whether it may be afforded. */
export interface Hedging {
  began(modelId: string, firstTokenMs: number): void;
  /** A request that wants hedging. */
  asked(): void;
  /** From the sending of the first; undefined while too little is known of the model. */
  dueMs(modelId: string): number | undefined;
  take(nowMs: number): boolean;
}

/** How long a model of a kind may take: by what it does before it speaks. */
const MODEL_CLASSES = ['fast', 'standard', 'reasoning', 'media'] as const;
export type ModelClass = (typeof MODEL_CLASSES)[number];

/** A model behind a host, ready to be called. */
export type Target = {
  readonly provider: string;
  /** The host, the model and the credential, for whatever is remembered of them. Shows no secret. */
  readonly routeKey: string;
  readonly dialect: AnyDialect;
  readonly modelId: string;
  readonly origin: string;
  readonly path: string;
  readonly streamPath: string;
  /** Where a call that is not the usual one goes, by its name. */
  readonly actionPaths?: Readonly<Record<string, string>>;
  /** Below which the host is asked after jobs; only where it takes some. */
  readonly basePath?: string;
  readonly headers: readonly string[];
  /** Where a fixed header with the secret is not enough. */
  readonly signer?: RequestSigner;
  readonly facts: TargetFacts;
  readonly inputModalities: ReadonlySet<string>;
  readonly route: RouteFacts;
  /** Targets of the same shape would carry and lose the same of any call, but for seals. */
  readonly shape: number;
  readonly card: RateCard;
  readonly modelClass: ModelClass;
  /** The same under the operator's other credentials at this host, in their order. */
  readonly spares?: readonly Target[];
};

/** As much of a target as reading and writing for it takes. */
export type TargetSide = Pick<Target, 'dialect' | 'facts'>;

/** One that answers with text, the only operation whose answers can be streamed. */
export type TextTarget = Target & { readonly dialect: Dialect };

/** One that makes images. */
export type ImageTarget = Target & { readonly dialect: ImageDialect };

export type DirectoryEntry = {
  readonly id: string;
  readonly outputModalities: ReadonlySet<string>;
  /** In order of preference; empty when no configured host serves the model in a dialect that is built. */
  readonly targets: readonly Target[];
  /** Of models that give text and images: the same hosts, asked for images. */
  readonly imageTargets?: readonly Target[];
  /** Of models that make clips: where, and under which credentials. */
  readonly videoRoutes?: readonly VideoRoute[];
  /** How its hosts cache prompts; absent: not at all. */
  readonly promptCache?: 'auto' | 'explicit';
  /** Of a name that stands for several models: their ids. */
  readonly choice?: readonly string[];
};

export type Absence =
  /** Switched off by its maker, on that day (YYYY-MM-DD). */
  | { readonly kind: 'retired'; readonly day: string; readonly successor?: string }
  /** In the catalogue, and none of these providers is configured. */
  | { readonly kind: 'unserved'; readonly providers: readonly string[] }
  /** The names of models that can be called, the nearest first. */
  | { readonly kind: 'unknown'; readonly nearest: readonly string[] };

/** The models as they can be called now. Replaced whole when config or catalogue change. */
export interface Directory {
  find(model: string): DirectoryEntry | undefined;
  /** Why a name cannot be called, of one that `find` has no target for. */
  absence(model: string): Absence;
  /** Every host the operator has configured. */
  readonly hosts: ReadonlySet<string>;
  /** With the prices of whoever pays so many millionths of the catalogue's. */
  cards(priceFactorPpm: number): readonly ModelCard[];
  card(model: string, priceFactorPpm: number): ModelCard | undefined;
}

/** How often a set of hosts has been gone round. */
export interface WishTurns {
  next(set: string): number;
  /** What `next` would say, without a turn being taken. */
  peek(set: string): number;
}

/** How soon hosts begin to answer. Times are monotonic. */
export interface PaceMemory {
  asked(routeKey: string): void;
  over(routeKey: string): void;
  began(routeKey: string, kind: Kind, firstTokenMs: number, nowMs: number): void;
  of(routeKey: string, kind: Kind, nowMs: number): Pace;
}

/** Records of finished requests, for a while. What another account asked for is not there. */
export interface RequestRecords {
  find(accountId: string, requestId: string): RequestRecord | undefined | Promise<RequestRecord | undefined>;
}

/** Who was given a prompt lately, and may hold it in a cache. Forgetting costs a discount. */
export interface CacheMemory {
  keep(promptKey: string, routeKey: string, untilMs: number): void;
  find(promptKey: string, nowMs: number): string | undefined;
}

export type { SealOwner };
