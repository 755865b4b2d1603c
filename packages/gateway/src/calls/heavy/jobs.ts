/**
 * The jobs of the thread for large texts, as functions. The last request it parsed is cached for the next job about it.
 */
import {
  type Call,
  GatewayError,
  type Json,
  type JsonObject,
  type Loss,
  NOTHING_PRODUCED,
} from '@trivium/protocol/canonical';
import {
  type AnyUnderstanding,
  countInputTokens,
  estimateInputTokens,
  findAnyDialect,
  leastInputTokens,
  newestMedia,
  type RequestHead,
  type ResponseOptions,
  requireCallerDialect,
  type Sealing,
  type ServerHalf,
} from '@trivium/protocol/dialects';
import { listedIn } from '../../kernel/caller-port.ts';
import type { KeptTurn, SealMemory } from '../../kernel/seals.ts';
import type { TargetSide } from '../../kernel/target.ts';
import { estimateComplexity } from '../../models/routing/estimate-complexity.ts';
import { costUsdOf } from '../admit/bill.ts';
import { openBody, understandBody, wantsAll } from '../entry/understand.ts';
import type {
  HeavyAnswer,
  HeavyAnswered,
  HeavyFigures,
  HeavyJobs,
  HeavyPorts,
  HeavyRequest,
  HeavyTarget,
  Opened,
} from '../heavy-work.ts';
import type { Lane } from '../lane.ts';
import { bareLane, foresee, laneFor, type Writable } from '../lanes/choose-lane.ts';
import { SealTap } from '../lanes/recall-seals.ts';
import { producedIn, textAnswer } from '../lanes/whole.ts';

/** Further losses are not reported. */
const MAX_LOSSES = 1024;
/** As many as are ever recorded. */
const MAX_METADATA = 16;

/** Whether a loss is acceptable is decided where the caller's rights are known. */
const TOLERANT = { tolerates: () => true };

type Open = { readonly id: string; readonly planned: Writable; bare?: Call };

export class Jobs implements HeavyJobs {
  readonly #sealing: (accountId: string) => Sealing;
  /** Ports of the job that is about to start. */
  ports: HeavyPorts = {};
  #last: Open | undefined;

  constructor(sealing: (accountId: string) => Sealing) {
    this.#sealing = sealing;
  }

  understand(request: HeavyRequest): Opened {
    const { planned } = this.#open(request);
    const { understanding, dialect, members } = planned;
    const call = callOf(understanding);
    return {
      dialectId: dialect.id,
      members,
      understanding: plain(understanding),
      figures: figuresOf(call),
      ...(call?.operation === 'image' && { imageCall: { ...call, extras: {} } }),
    };
  }

  async lane(request: HeavyRequest, target: HeavyTarget): Promise<Lane> {
    const open = this.#open(request);
    const { bare, ...lane } = await laneFor(open.planned, sideOf(target), this.ports);
    if (bare !== undefined) open.bare = bare;
    return { ...lane, losses: first(lane.losses) };
  }

  bareLane(request: HeavyRequest, target: HeavyTarget, recalled: boolean): Lane | undefined {
    const open = this.#open(request);
    const refused = { ...(open.bare !== undefined && { bare: open.bare }), ...(recalled && { recalled }) };
    const made = bareLane(open.planned, sideOf(target), refused);
    if (made === undefined) return undefined;
    const { bare: _, ...lane } = made;
    return { ...lane, losses: first(lane.losses) };
  }

  foresee(request: HeavyRequest, target: HeavyTarget, fetchesMedia: boolean): ReturnType<typeof foresee> {
    const { kind, why, losses } = foresee(this.#open(request).planned, sideOf(target), fetchesMedia);
    return { kind, ...(why !== undefined && { why }), losses: first(losses) };
  }

  count(request: HeavyRequest): { readonly model: string } & HeavyFigures {
    const { model, call } = this.#openCount(request);
    return { model, ...figuresOf(call()) };
  }

  async tokenize(request: HeavyRequest, readsAtResolution: boolean): Promise<number> {
    // Its tables are large, and most gateways never need them.
    const { tokensOf } = await import('./tokenizer.ts');
    return countInputTokens(this.#openCount(request).call(), tokensOf, readsAtResolution);
  }

  #openCount(request: HeavyRequest): ReturnType<NonNullable<ServerHalf['count']>['understand']> {
    const dialect = requireCallerDialect(request.dialectId);
    const count = dialect.operation === 'text' ? dialect.server.count : undefined;
    if (count === undefined) throw new Error(`${dialect.id} counts no tokens`);
    const { value } = openBody(request.text, request.jsonBounds, dialect);
    return count.understand(value, this.#headOf(request));
  }

  answer(answer: HeavyAnswer): HeavyAnswered {
    const { body, lane, rates, accountId, jsonDepth } = answer;
    let kept: KeptTurn | undefined;
    let unsealed: readonly string[] | undefined;
    const memory: SealMemory = {
      keep: (_, turn) => {
        kept = turn;
      },
      nothingToKeep: (_, ids) => {
        unsealed = ids;
      },
      recall: () => new Map(),
    };
    const context = {
      ...answer.context,
      sealing: this.#sealing(accountId),
      ...(rates !== undefined && {
        costUsd: (usage: Parameters<typeof costUsdOf>[0]) => costUsdOf(usage, rates),
      }),
    };
    const tap = answer.keepsSeals ? new SealTap(memory, accountId) : undefined;
    const target = sideOf(answer.target);
    let produced = NOTHING_PRODUCED;
    const dialect = requireCallerDialect(answer.dialectId);
    const whole = textAnswer(dialect, target, lane, context, body, jsonDepth, tap, (parsed) => {
      produced = producedIn(parsed, target);
    });
    return { ...whole, produced, losses: first(whole.losses), ...(kept && { kept }), ...(unsealed && { unsealed }) };
  }

  #open(request: HeavyRequest): Open {
    if (this.#last?.id === request.id) return this.#last;
    this.#last = undefined;
    if (request.text === '') throw new Error('the text of this request is no longer cached');
    const { text, jsonBounds, accountId } = request;
    const read = understandBody(requireCallerDialect(request.dialectId), text, jsonBounds, this.#headOf(request));
    const strict = request.head.strict === true || wantsAll(read.understanding);
    this.#last = { id: request.id, planned: { ...read, text, strict, caller: { accountId, bounds: TOLERANT } } };
    return this.#last;
  }

  #headOf({ head, headers, accountId }: HeavyRequest): RequestHead {
    return { ...head, header: listedIn(headers), sealing: this.#sealing(accountId) };
  }
}

function sideOf({ dialectId, facts }: HeavyTarget): TargetSide {
  const dialect = findAnyDialect(dialectId);
  if (dialect === undefined) throw new Error(`no dialect: ${dialectId}`);
  return { dialect, facts };
}

const first = (losses: readonly Loss[]): readonly Loss[] => losses.slice(0, MAX_LOSSES);

/** A call that cannot be rebuilt may still be sent verbatim. */
function callOf(understanding: AnyUnderstanding): Call | undefined {
  try {
    return understanding.call();
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

function figuresOf(call: Call | undefined): HeavyFigures {
  if (call === undefined)
    return {
      inputTokens: undefined,
      inputTokensAtResolution: undefined,
      leastInputTokens: undefined,
      candidates: undefined,
      complexity: 'high',
      newestMedia: undefined,
    };
  const inputTokens = estimateInputTokens(call);
  return {
    inputTokens,
    inputTokensAtResolution: estimateInputTokens(call, true),
    leastInputTokens: call.operation === 'text' ? leastInputTokens(call) : undefined,
    candidates: call.operation === 'text' ? (call.sampling.candidates ?? 1) : undefined,
    complexity: estimateComplexity(call, inputTokens),
    newestMedia: newestMedia(call),
  };
}

function plain(understanding: AnyUnderstanding): Opened['understanding'] {
  const { model, stream, responseOptions, losses, media, maxOutputTokens, metadata, user, routing, passHeaders } =
    understanding;
  return {
    model,
    stream,
    responseOptions: withShortEcho(responseOptions),
    losses: first(losses),
    media: media.filter(({ kind }, index) => media.findIndex((other) => other.kind === kind) === index),
    maxOutputTokens,
    metadata: metadata === undefined ? undefined : scalarsOf(metadata),
    ...(user !== undefined && { user: user.slice(0, MAX_USER_CHARACTERS) }),
    ...(routing !== undefined && { routing }),
    ...(passHeaders !== undefined && { passHeaders }),
  };
}

/** More than any tag stores of it. */
const MAX_USER_CHARACTERS = 512;

/** What an answer repeats of its request is written on the event loop, several times in a stream. */
const MAX_ECHO_CHARACTERS = 65_536;

function withShortEcho({ echo, ...responseOptions }: ResponseOptions): ResponseOptions {
  if (echo === undefined) return responseOptions;
  const isShort = ([, value]: readonly [string, Json]): boolean => JSON.stringify(value).length <= MAX_ECHO_CHARACTERS;
  return { ...responseOptions, echo: Object.fromEntries(Object.entries(echo).filter(isShort)) };
}

const scalarsOf = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(metadata)
      .slice(0, MAX_METADATA)
      .filter(([, value]) => typeof value !== 'object'),
  );
