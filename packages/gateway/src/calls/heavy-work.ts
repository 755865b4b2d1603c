/**
 * Bodies and answers too large to be parsed without blocking the event loop: which ones they are, and the jobs for the
 * thread that parses them. Everything here can be posted to a thread: no functions, and every job carries the text.
 */
import type {
  Call,
  Complexity,
  Fault,
  JsonObject,
  Loss,
  MediaKind,
  Produced,
  RoutingPreferences,
} from '@trivium/protocol/canonical';
import type {
  AnswerContext,
  AnyDialect,
  PassHeaders,
  RequestHead,
  ResponseOptions,
  TargetFacts,
} from '@trivium/protocol/dialects';
import { type JsonBounds, type JsonMember, JsonShapeError, stringEnd } from '@trivium/protocol/framing';
import type { RawHeaders } from '../kernel/caller-port.ts';
import type { MediaFetcher } from '../kernel/media.ts';
import type { Rates } from '../kernel/price.ts';
import type { Fit } from '../kernel/route.ts';
import type { KeptTurn, SealMemory } from '../kernel/seals.ts';
import type { TargetSide } from '../kernel/target.ts';
import type { Foreseen, Lane, WholeAnswer } from './lane.ts';

/**
 * A text up to the first length is parsed on this thread, beyond the second on the other one. Between them the number
 * of JSON values decides.
 */
export const LIGHT_CHARACTERS = 131_072;
const HEAVY_CHARACTERS = 4_194_304;
/** Each value of a request costs a check, a decoder and an encoder; a number of an answer costs little. */
const HEAVY_REQUEST_VALUES = 20_000;
const HEAVY_ANSWER_VALUES = 50_000;

export const isHeavyRequest = (text: string): boolean => isHeavy(text, HEAVY_REQUEST_VALUES);
export const isHeavyAnswer = (text: string): boolean => isHeavy(text, HEAVY_ANSWER_VALUES);

function isHeavy(text: string, values: number): boolean {
  if (text.length <= LIGHT_CHARACTERS) return false;
  return text.length > HEAVY_CHARACTERS || valuesIn(text, values) > values;
}

/** Counted by brackets and commas outside strings; stops beyond `most`. */
export function valuesIn(text: string, most = Number.POSITIVE_INFINITY): number {
  let values = 0;
  try {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x22) at = stringEnd(text, at) - 1;
      else if ((code === 0x2c || code === 0x5b || code === 0x7b) && ++values > most) break;
    }
  } catch (error) {
    // The parser will report invalid JSON.
    if (!(error instanceof JsonShapeError)) throw error;
  }
  return values;
}

export type HeavyRequest = {
  /** The request id: the thread caches what it parsed for the next job. */
  readonly id: string;
  readonly text: string;
  readonly dialectId: AnyDialect['id'];
  readonly accountId: string;
  readonly headers: RawHeaders;
  readonly head: Omit<RequestHead, 'header' | 'sealing' | 'files'>;
  readonly jsonBounds: JsonBounds;
};

/** The part of a target that its half of a dialect reads. */
export type HeavyTarget = { readonly dialectId: AnyDialect['id']; readonly facts: TargetFacts };

/**
 * What the thread reports of a request that stays there. Bounded: at most one file of each kind, and the first losses.
 */
export type Opened = {
  readonly dialectId: AnyDialect['id'];
  readonly members: readonly JsonMember[];
  readonly understanding: {
    readonly model: string;
    readonly stream: boolean;
    readonly responseOptions: ResponseOptions;
    readonly losses: readonly Loss[];
    readonly media: readonly { readonly kind: MediaKind; readonly path: string }[];
    readonly maxOutputTokens: number | undefined;
    readonly metadata: JsonObject | undefined;
    readonly user?: string | undefined;
    readonly routing?: RoutingPreferences | undefined;
    readonly passHeaders?: PassHeaders;
  };
  readonly figures: HeavyFigures;
  /** For image calls: all but the unknown members. */
  readonly imageCall?: Call;
};

export type HeavyFigures = {
  /** Undefined if the call cannot be rebuilt. */
  readonly inputTokens: number | undefined;
  readonly inputTokensAtResolution: number | undefined;
  /** Undefined as well if the call is not for text. */
  readonly leastInputTokens: number | undefined;
  readonly candidates: number | undefined;
  readonly complexity: Complexity;
  /** Kinds of media in the newest turn. */
  readonly newestMedia: readonly MediaKind[] | undefined;
};

export type HeavyAnswer = {
  readonly body: string;
  readonly dialectId: AnyDialect['id'];
  readonly target: HeavyTarget;
  readonly lane: Pick<Lane, 'kind' | 'watchFor'>;
  readonly context: Pick<AnswerContext, 'requestId' | 'model' | 'createdAtSeconds' | 'toolNames' | 'responseOptions'>;
  readonly accountId: string;
  /** To state the cost, if the caller asked for it. */
  readonly rates: Rates | undefined;
  readonly jsonDepth: number;
  readonly keepsSeals: boolean;
};

export type HeavyAnswered = WholeAnswer & {
  /** All the text the upstream produced. */
  readonly produced: Produced;
  /** For the seal memory. */
  readonly kept?: KeptTurn;
  readonly unsealed?: readonly string[];
};

/** The jobs, by name. */
export type HeavyJobs = {
  understand(request: HeavyRequest): Opened;
  lane(request: HeavyRequest, target: HeavyTarget): Promise<Lane>;
  /** Undefined if there was no seal to leave out. */
  bareLane(request: HeavyRequest, target: HeavyTarget, recalled: boolean): Lane | undefined;
  foresee(request: HeavyRequest, target: HeavyTarget, fetchesMedia: boolean): Foreseen;
  count(request: HeavyRequest): { readonly model: string } & HeavyFigures;
  /** With the published tokenizer, `o200k_base`. */
  tokenize(request: HeavyRequest, readsAtResolution: boolean): Promise<number>;
  answer(answer: HeavyAnswer): HeavyAnswered;
};
export type HeavyJob = keyof HeavyJobs;

/** What a job may call back for while it runs. */
export type HeavyPorts = { readonly seals?: Pick<SealMemory, 'recall'>; readonly media?: MediaFetcher };

export type RunOptions = {
  readonly ports?: HeavyPorts;
  /** Called when the job's turn comes. */
  readonly isWanted?: () => boolean;
};

/** Runs one job at a time; rejects with a GatewayError if the queue is full, and with whatever the job throws. */
export interface HeavyWork {
  run<J extends HeavyJob>(
    job: J,
    input: Parameters<HeavyJobs[J]>,
    options?: RunOptions,
  ): Promise<Awaited<ReturnType<HeavyJobs[J]>>>;
}

/** A request whose body was parsed on another thread: what routing, limits and billing need of it. */
export type OnWorker = {
  readonly figures: HeavyFigures;
  /** What hosts would keep of it, by their shape, as far as it was judged before planning. */
  readonly fits: Map<number, Fit>;
  lane(target: TargetSide, ports: HeavyPorts): Promise<Lane>;
  bareLane(target: TargetSide, recalled: boolean): Promise<Lane | undefined>;
  foresee(target: TargetSide, fetchesMedia: boolean): Promise<Foreseen>;
};

export const NO_ROOM: Fault = {
  kind: 'overloaded',
  message: 'Too many large requests are being read. Try again shortly.',
  retryAfterMs: 1000,
};
