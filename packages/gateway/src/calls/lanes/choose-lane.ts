/** Verbatim if both ends use the same dialect and edits suffice; translated otherwise, with the reason. */
import type {
  Call,
  CanonicalField,
  EmbedField,
  Fault,
  FieldLoss,
  ImageField,
  JsonObject,
  Loss,
  RerankField,
  SpeechField,
  TextCall,
  TranscriptionField,
} from '@trivium/protocol/canonical';
import { GatewayError, inWordsOf } from '@trivium/protocol/canonical';
import { type AnyLoss, type Dialect, encodeCall, withReadableMedia } from '@trivium/protocol/dialects';
import { splice } from '@trivium/protocol/framing';
import type { Caller } from '../../kernel/caller.ts';
import type { MaskInverter, MediaFetcher } from '../../kernel/media.ts';
import type { Recalled, SealMemory } from '../../kernel/seals.ts';
import type { Target, TargetSide } from '../../kernel/target.ts';
import type { Foreseen, Lane } from '../lane.ts';
import type { Planned, Understood } from '../request.ts';
import { compactingLane } from './compacting.ts';
import { withFetchedMedia } from './fetch-media.ts';
import { bareCallIds, withRecalledSeals } from './recall-seals.ts';
import { withMasksTurned } from './turn-masks.ts';

/** What a call may need before it can be written for a target. */
export type LanePorts = {
  readonly seals?: Pick<SealMemory, 'recall'>;
  readonly media?: MediaFetcher;
  readonly masks?: MaskInverter;
};

/** The part of a request that is needed to write it. */
export type Writable = Pick<Understood, 'understanding' | 'dialect' | 'text' | 'members' | 'strict'> & {
  readonly caller: Pick<Caller, 'accountId' | 'bounds'>;
};

/** Returns a promise only if something has to be waited for. */
export function chooseLane(planned: Called, target: Target, ports: LanePorts): Lane | Promise<Lane> {
  const lane = usualLane(planned, target, ports);
  if (planned.compacts !== true) return lane;
  return lane instanceof Promise ? lane.then((own) => compactingLane(own, target)) : compactingLane(lane, target);
}

function usualLane(planned: Called, target: Target, ports: LanePorts): Lane | Promise<Lane> {
  const { onWorker, ownLosses } = planned;
  if (onWorker === undefined) {
    const lane = laneFor(planned, target, ports);
    if (ownLosses === undefined) return lane;
    return lane instanceof Promise
      ? lane.then((written) => withLosses(written, ownLosses))
      : withLosses(lane, ownLosses);
  }
  return onWorker
    .lane(target, ports)
    .then((lane) => ({ ...lane, losses: [...(ownLosses ?? []), ...withStrictness(planned, lane.losses)] }));
}

type Called = Understood & Pick<Planned, 'ownLosses'>;

const withLosses = (lane: Lane, losses: readonly Loss[]): Lane => ({ ...lane, losses: [...losses, ...lane.losses] });

export function laneFor(planned: Writable, target: TargetSide, ports: LanePorts): Lane | Promise<Lane> {
  const { understanding, dialect, text, members } = planned;
  understanding.judge?.(target.facts.model);
  const isSame = dialect.id === target.dialect.id;
  const beside = isSame ? undefined : besideOf(planned, target);
  if (!isSame && beside === undefined)
    return translate(planned, target, ports, `${dialect.id} to ${target.dialect.id}`);
  if (replacesMedia(planned, target)) return translate(planned, target, ports, UNREADABLE);
  const request = inCallersWords(planned, () => understanding.verbatim(target.facts));
  if ('why' in request) return translate(planned, target, ports, request.why);
  const losses = allLosses(planned, request.losses);
  const headers = understanding.passHeadersTo?.(target.facts);
  const body = splice(text, members, request.edits);
  return {
    kind: 'verbatim',
    body,
    losses,
    ...(headers !== undefined && { headers }),
    ...(beside !== undefined && { action: beside.action }),
  };
}

/** How a host of another dialect may have the caller's as well. */
const besideOf = ({ dialect }: Writable, target: TargetSide): Dialect['beside'] =>
  dialect.operation === 'text' && dialect.beside?.dialect === target.dialect.id ? dialect.beside : undefined;

const UNREADABLE = 'the model cannot read media of earlier turns';
const MEDIA_LOSS: FieldLoss = { field: 'block.media', why: 'no-equivalent' };

/** Are there media that the model cannot read? Those of the newest turn were refused when targets were chosen. */
function replacesMedia({ understanding, dialect }: Writable, { facts }: TargetSide): boolean {
  const { reads } = facts.model;
  return (
    dialect.operation === 'text' && reads !== undefined && understanding.media.some(({ kind }) => !reads.includes(kind))
  );
}

function readableCall(planned: Writable, target: TargetSide): Call {
  const call = planned.understanding.call();
  const { reads } = target.facts.model;
  return call.operation !== 'text' || reads === undefined || !replacesMedia(planned, target)
    ? call
    : withReadableMedia(call, reads);
}

/** Foreseeing downloads nothing: media that would have to be downloaded count as kept. */
const NO_FETCHING: MediaFetcher = { fetch: () => new Promise(() => {}) };

/** The lane a target would get and its losses, without writing the request. Throws what choosing it would. */
export function foresee(planned: Writable, target: TargetSide, fetches: boolean): Foreseen {
  const { understanding, dialect } = planned;
  understanding.judge?.(target.facts.model);
  const isSame = dialect.id === target.dialect.id;
  const edits = (): ReturnType<typeof understanding.verbatim> =>
    replacesMedia(planned, target) ? { why: UNREADABLE } : understanding.verbatim(target.facts);
  const passes = isSame || besideOf(planned, target) !== undefined;
  const request = passes ? inCallersWords(planned, edits) : undefined;
  if (request !== undefined && !('why' in request))
    return { kind: 'verbatim', losses: allLosses(planned, request.losses) };
  const why = request?.why ?? `${dialect.id} to ${target.dialect.id}`;
  const call = readableCall(planned, target);
  const isFetched =
    fetches && call.operation === 'text' && withFetchedMedia(call, target, NO_FETCHING) instanceof Promise;
  const losses = isFetched ? [] : inCallersWords(planned, () => encodeFor(planned, target, call)).losses;
  return { kind: 'translated', why, losses: allLosses(planned, losses, isSame ? 'rebuilt' : 'elsewhere') };
}

/**
 * For the one retry after an upstream refused seals that should have been its own: the same call without them.
 * Undefined if there was none to leave out, or if a strict caller must not lose any.
 */
export function laneWithoutSeals(
  planned: Called,
  target: Target,
  refused: Lane,
): Lane | undefined | Promise<Lane | undefined> {
  if (planned.strict && refused.recalled !== true) return undefined;
  const lane = planned.onWorker?.bareLane(target, refused.recalled === true) ?? bareLane(planned, target, refused);
  const { ownLosses } = planned;
  if (ownLosses === undefined || lane === undefined) return lane;
  return lane instanceof Promise
    ? lane.then((written) => written && withLosses(written, ownLosses))
    : withLosses(lane, ownLosses);
}

export function bareLane(
  planned: Writable,
  target: TargetSide,
  refused: Pick<Lane, 'bare' | 'recalled'>,
): Lane | undefined {
  const { facts } = target;
  const disowning = { ...facts, sealOwner: { ...facts.sealOwner, disowns: true } as const };
  const call = refused.bare ?? readableCall(planned, target);
  const lane = write(planned, { ...target, facts: disowning }, 'the upstream refused its own seals', call);
  return refused.recalled === true || lane.losses.some(({ why }) => why === 'foreign-seal') ? lane : undefined;
}

function translate(planned: Writable, target: TargetSide, ports: LanePorts, why: string): Lane | Promise<Lane> {
  const call = readableCall(planned, target);
  if (call.operation === 'image') {
    const turned = withMasksTurned(call, target, ports.masks);
    if (!(turned instanceof Promise)) return write(planned, target, why, turned);
    return turned.then((own) => write(planned, target, why, own));
  }
  if (call.operation !== 'text') return write(planned, target, why, call);
  const fetched = inCallersWords(planned, () => withFetchedMedia(call, target, ports.media));
  if (!(fetched instanceof Promise)) return withSeals(planned, target, ports, why, fetched);
  return fetched.then(
    (whole) => withSeals(planned, target, ports, why, whole),
    (error: unknown) =>
      inCallersWords(planned, () => {
        throw error;
      }),
  );
}

function withSeals(
  planned: Writable,
  target: TargetSide,
  ports: LanePorts,
  why: string,
  call: TextCall,
): Lane | Promise<Lane> {
  const recalled = recallSeals(call, planned, target, ports.seals);
  return recalled instanceof Promise
    ? recalled.then((sealed) => write(planned, target, why, sealed, call))
    : write(planned, target, why, recalled, call);
}

/** The latest calls of a conversation; earlier ones go without their seals. */
const MAX_RECALLED = 4096;

function recallSeals(
  call: TextCall,
  { caller }: Writable,
  { facts }: TargetSide,
  memory: Pick<SealMemory, 'recall'> | undefined,
): TextCall | Promise<TextCall> {
  const ids = memory === undefined ? [] : bareCallIds(call).slice(-MAX_RECALLED);
  if (memory === undefined || ids.length === 0) return call;
  const recalled = memory.recall(caller.accountId, ids);
  const restored = (found: Recalled): TextCall => withRecalledSeals(call, found, facts.sealOwner);
  return recalled instanceof Promise ? recalled.then(restored) : restored(recalled);
}

function write(planned: Writable, target: TargetSide, why: string, call: Call, bare: Call = call): Lane {
  const encoded = inCallersWords(planned, () => encodeFor(planned, target, call));
  const { body, losses, watchFor, toolNames, form, action, suffix, order } = encoded;
  if (watchFor !== undefined && watchFor.length > MAX_WATCHED_FOR) throw new GatewayError(tooManyStops(planned));
  const isSame = planned.dialect.id === target.dialect.id;
  const headers = isSame ? planned.understanding.passHeadersTo?.(target.facts) : undefined;
  return {
    kind: 'translated',
    why,
    body: form ?? JSON.stringify(withPassed(body, planned, target)),
    ...(headers !== undefined && { headers }),
    ...(action !== undefined && { action }),
    ...(suffix !== undefined && { suffix }),
    ...(order !== undefined && { order }),
    losses: allLosses(planned, losses, isSame ? 'rebuilt' : 'elsewhere'),
    keepsSeals: call.operation === 'text' && call.tools.length > 0,
    ...(watchFor !== undefined && watchFor.length > 0 && { watchFor }),
    bare,
    ...(call !== bare && { recalled: true }),
    ...(toolNames !== undefined && { toolNames }),
  };
}

function encodeFor(planned: Writable, target: TargetSide, call: Call): ReturnType<typeof encodeCall> {
  const encoded = encodeWithStops(planned, target, call);
  return call.operation === 'text' && replacesMedia(planned, target)
    ? { ...encoded, losses: [...encoded.losses, MEDIA_LOSS] }
    : encoded;
}

/**
 * Some dialects report which stop sequence matched; hosts of other dialects only report that they stopped, so the
 * gateway searches for the sequences itself. A stream is aborted at the match; a whole answer is generated, and paid
 * for, to its end.
 */
function encodeWithStops({ dialect }: Writable, target: TargetSide, call: Call): ReturnType<typeof encodeCall> {
  const namesMatch = dialect.operation === 'text' && dialect.server.namesMatchedStop === true;
  if (call.operation !== 'text' || !namesMatch || dialect.id === target.dialect.id) return encodeCall(call, target);
  const { stopSequences: watchFor = [], ...sampling } = call.sampling;
  return watchFor.length === 0 ? encodeCall(call, target) : { ...encodeCall({ ...call, sampling }, target), watchFor };
}

/** Adds what the caller sent in headers for upstreams of this dialect, for those that read it in the body. */
function withPassed(body: JsonObject, { understanding, dialect }: Writable, target: TargetSide): JsonObject {
  if (understanding.passMembers === undefined || dialect.id !== target.dialect.id) return body;
  return { ...body, ...understanding.passMembers(target.facts) };
}

type AnySpelling = Readonly<
  Partial<Record<CanonicalField | EmbedField | ImageField | RerankField | SpeechField | TranscriptionField, string>>
>;

const spellingOf = ({ dialect, understanding }: Writable): AnySpelling =>
  understanding.spelling === undefined
    ? dialect.server.spelling
    : { ...dialect.server.spelling, ...understanding.spelling };

/** The target's half names fields by their canonical names; errors use the caller's names. */
function inCallersWords<T>(planned: Writable, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw planned.dialect.operation === 'embed' ? error : inWordsOf(spellingOf(planned), error);
  }
}

/** Each of them is searched for at every character of the answer. */
const MAX_WATCHED_FOR = 64;

function tooManyStops({ dialect }: Writable): Fault {
  const field = dialect.operation === 'text' ? dialect.server.spelling['sampling.stopSequences'] : 'stop';
  const message = `'${field}' may hold ${MAX_WATCHED_FOR} sequences at most for this model.`;
  return { kind: 'unsupported', message, field };
}

/**
 * How the caller's request is sent: as written, rebuilt for a host of the same dialect, or translated for one of
 * another.
 */
type Carried = 'as-written' | 'rebuilt' | 'elsewhere';

function allLosses(planned: Writable, encoded: readonly AnyLoss[], carried: Carried = 'as-written'): readonly Loss[] {
  const { understanding } = planned;
  const unread = carried === 'as-written' ? [] : (understanding.unreadMembers?.(carried === 'rebuilt') ?? []);
  const elsewhere = carried === 'elsewhere' ? [...(understanding.lossesElsewhere ?? []), ...unread] : unread;
  if (encoded.length === 0 && understanding.losses.length === 0 && elsewhere.length === 0) return understanding.losses;
  const spelling = spellingOf(planned);
  const spelt = encoded.flatMap(({ field, why }) => {
    const paths = field === 'extras' ? extraNames(planned) : [];
    return (paths.length > 0 ? paths : [spelling[field] ?? field]).map((path) => ({ path, why }));
  });
  const losses = [
    ...understanding.losses,
    ...elsewhere,
    ...spelt.filter((loss) => !understanding.losses.some(({ path }) => path === loss.path)),
  ];
  return withStrictness(planned, losses);
}

/** The losses of a caller who accepts them; for a strict caller the first one its key does not tolerate is an error. */
export function withStrictness({ strict, caller }: Pick<Writable, 'strict' | 'caller'>, losses: readonly Loss[]) {
  if (!strict) return losses;
  const tolerates = caller.bounds?.tolerates;
  const first = tolerates === undefined ? losses[0] : losses.find(({ path }) => !tolerates(path));
  if (first !== undefined) throw new GatewayError(strictFault(first));
  return losses;
}

const MAX_EXTRA_NAMES = 16;
/** A name that may appear in a header as it is. */
const PLAIN_NAME = /^[\w.-]{1,64}$/;

/** The caller's names of unknown fields; none if they are too many or not printable in a header. */
function extraNames({ understanding, dialect, members }: Writable): readonly string[] {
  const extras = understanding.call().extras[dialect.id] ?? {};
  const names =
    understanding.extraPaths?.() ?? members.map(({ name }) => name).filter((name) => Object.hasOwn(extras, name));
  return names.length <= MAX_EXTRA_NAMES && names.every((name) => PLAIN_NAME.test(name)) ? names : [];
}

const strictFault = ({ path }: Loss): Fault => ({
  kind: 'unsupported',
  message: `'${path}' cannot be sent to this model unchanged, and the request is strict.`,
  field: path,
});
