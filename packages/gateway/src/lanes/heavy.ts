/**
 * Bodies and answers too large to be read between two turns of the event loop: which they are, and what is asked of the
 * thread that reads them. Everything here can be sent to a thread: no functions, and the text travels with every question.
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
import type { AnswerContext, AnyDialect, RequestHead, ResponseOptions, TargetFacts } from '@trivium/protocol/dialects';
import { type JsonBounds, type JsonMember, JsonShapeError, stringEnd } from '@trivium/protocol/framing';
import type { RawHeaders } from '../kernel/caller-port.ts';
import type { MediaFetcher } from '../kernel/media.ts';
import type { KeptTurn, SealMemory } from '../kernel/seals.ts';
import type { TargetSide } from '../kernel/target.ts';
import type { Rates } from '../prices/rates.ts';
import type { Fit } from '../routing/snapshot.ts';
import type { Foreseen, Lane, WholeAnswer } from './lane.ts';

/** Up to here a text is read at once, whatever it holds; beyond the other, on the thread. Between them its values decide. */
const LIGHT_CHARACTERS = 262_144;
const HEAVY_CHARACTERS = 4_194_304;
/** A message of a caller costs a check, a decoder and an encoder for each value; a number of an answer little. */
const HEAVY_REQUEST_VALUES = 20_000;
const HEAVY_ANSWER_VALUES = 100_000;

export const isHeavyRequest = (text: string): boolean => isHeavy(text, HEAVY_REQUEST_VALUES);
export const isHeavyAnswer = (text: string): boolean => isHeavy(text, HEAVY_ANSWER_VALUES);

function isHeavy(text: string, values: number): boolean {
  if (text.length <= LIGHT_CHARACTERS) return false;
  return text.length > HEAVY_CHARACTERS || holdsMoreThan(text, values);
}

/** Counted by brackets and commas outside strings; stops as soon as it knows. */
function holdsMoreThan(text: string, most: number): boolean {
  let values = 0;
  try {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x22) at = stringEnd(text, at) - 1;
      else if ((code === 0x2c || code === 0x5b || code === 0x7b) && ++values > most) return true;
    }
  } catch (error) {
    // What is no JSON is found out where it is read, and soon.
    if (!(error instanceof JsonShapeError)) throw error;
  }
  return false;
}

export type HeavyRequest = {
  /** Of the request: what was read for one question is there for the next. */
  readonly id: string;
  readonly text: string;
  readonly dialectId: AnyDialect['id'];
  readonly accountId: string;
  readonly headers: RawHeaders;
  readonly head: Omit<RequestHead, 'header' | 'sealing' | 'files'>;
  readonly jsonBounds: JsonBounds;
};

/** As much of a target as its half of a dialect reads. */
export type HeavyTarget = { readonly dialectId: AnyDialect['id']; readonly facts: TargetFacts };

/** What is told of a request that stays on the thread. Bounded: at most one file of each kind, and the first losses. */
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
    readonly passHeaders?: readonly (readonly [name: string, value: string])[];
  };
  readonly figures: HeavyFigures;
  /** Of calls for pictures: all but the members nobody knows. */
  readonly imageCall?: Call;
};

export type HeavyFigures = {
  /** Undefined where the call cannot be rebuilt. */
  readonly inputTokens: number | undefined;
  readonly inputTokensAtResolution: number | undefined;
  /** Undefined as well where the call is not for text. */
  readonly leastInputTokens: number | undefined;
  readonly complexity: Complexity;
};

export type HeavyAnswer = {
  readonly body: string;
  readonly dialectId: AnyDialect['id'];
  readonly target: HeavyTarget;
  readonly lane: Pick<Lane, 'kind' | 'watchFor'>;
  readonly context: Pick<AnswerContext, 'requestId' | 'model' | 'createdAtSeconds' | 'toolNames' | 'responseOptions'>;
  readonly accountId: string;
  /** To say what it cost, where that was asked for. */
  readonly rates: Rates | undefined;
  readonly jsonDepth: number;
  readonly keepsSeals: boolean;
};

export type HeavyAnswered = WholeAnswer & {
  /** All the text the upstream made. */
  readonly produced: Produced;
  /** For the memory of seals. */
  readonly kept?: KeptTurn;
  readonly unsealed?: readonly string[];
};

/** The questions, by name. */
export type HeavyJobs = {
  understand(request: HeavyRequest): Opened;
  lane(request: HeavyRequest, target: HeavyTarget): Promise<Lane>;
  /** Undefined where there was no seal to leave out. */
  bareLane(request: HeavyRequest, target: HeavyTarget, recalled: boolean): Lane | undefined;
  foresee(request: HeavyRequest, target: HeavyTarget, fetchesMedia: boolean): Foreseen;
  count(request: HeavyRequest): { readonly model: string } & HeavyFigures;
  /** With the published tokenizer, `o200k_base`. */
  tokenize(request: HeavyRequest, readsAtResolution: boolean): Promise<number>;
  answer(answer: HeavyAnswer): HeavyAnswered;
};
export type HeavyJob = keyof HeavyJobs;

/** What a job may ask of the world while it runs. */
export type HeavyPorts = { readonly seals?: Pick<SealMemory, 'recall'>; readonly media?: MediaFetcher };

export type RunOptions = {
  readonly ports?: HeavyPorts;
  /** Asked when its turn comes. */
  readonly isWanted?: () => boolean;
};

/** One job at a time; rejects with a GatewayError where too many wait, and with whatever the job throws. */
export interface HeavyWork {
  run<J extends HeavyJob>(
    job: J,
    input: Parameters<HeavyJobs[J]>,
    options?: RunOptions,
  ): Promise<Awaited<ReturnType<HeavyJobs[J]>>>;
}

/** A request whose body was read on another thread: what routing, limits and money need to know of it. */
export type Elsewhere = {
  readonly figures: HeavyFigures;
  /** What hosts would carry of it, by their shape, as far as that was asked before the plan. */
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
