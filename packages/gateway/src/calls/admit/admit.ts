/**
 * Admission control: a concurrency slot from the request head, then rate limits and a hold on the balance; all or none.
 */
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import type { RateNote } from '@trivium/protocol/dialects';
import type { Hold, Ledger, Limits, Place, Slot, SlotRequest } from '../../kernel/admission.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type {
  AttemptRecord,
  BegunRequest,
  Bill,
  OnLimitDecision,
  Outcome,
  RecordedOperation,
  Recorder,
  RequestRecord,
} from '../../kernel/record.ts';
import { recordedProtocol } from '../../kernel/recorded-protocol.ts';
import { readsSpend, type Spend } from '../../kernel/spend.ts';
import type { Planned } from '../request.ts';
import { CHARACTERS_PER_TOKEN } from './bill.ts';
import { conversationName } from './conversation-name.ts';
import { quoteOf } from './quote.ts';

export type AdmitPorts = {
  readonly limits: Limits;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Absent without a database. */
  readonly spend?: Spend | undefined;
  /**
   * The ledger journal's entry for a request before it is sent (`record` writes the one at its end); a fault refuses
   * the request.
   */
  readonly begin?: (planned: BegunCall) => BegunRequest | Fault | undefined;
  readonly record: Recorder;
  readonly priceFactorPpm?: (accountId: string) => number | undefined;
};

/** The part of a call that its record needs before it is sent. */
type BegunCall = Pick<Planned, 'protocol' | 'caller' | 'receivedAtMs' | 'tags'> & {
  readonly dialect: { readonly id: string };
  readonly model: { readonly id: string };
};

/** Runs before the body is read: a caller refused here has cost one request head and nothing else. */
export function takePlace(limits: Limits, caller: Caller): Place {
  const place = limits.enter(caller);
  if (!('kind' in place)) return place;
  let error = REFUSALS.get(place);
  if (error === undefined) {
    error = new GatewayError(place);
    REFUSALS.set(place, error);
  }
  throw error;
}

/**
 * Creating an Error costs more than the rest of a refusal, and the limits return the same few faults: reuse the errors.
 */
const REFUSALS = new WeakMap<Fault, GatewayError>();

const granted = (slot: Slot | Fault): Slot => {
  if ('kind' in slot) throw new GatewayError(slot);
  return slot;
};

/** Estimated from the body length: what per-minute limits need at once; the end of the request corrects it. */
export const slotRequestOf = ({ text, model, plan }: Planned): SlotRequest => {
  const tokens = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  return { modelId: model.id, tokens, nanoUsd: nanoOfInput(tokens, plan) };
};

const PICO_PER_NANO = 1000n;
const TOKENS_PER_UNIT = 1_000_000n;
const nanoOfInput = (tokens: number, plan: Planned['plan']): number => {
  const item = plan[0]?.card.rates().byMeter.prompt?.items[0];
  return item === undefined ? 0 : Number((BigInt(tokens) * item.picoUsd) / TOKENS_PER_UNIT / PICO_PER_NANO);
};

/** For requests that hold a place: reserves their expected usage in the per-minute limits. */
export async function claimSlot(
  limits: Limits,
  place: Place,
  caller: Caller,
  request: () => SlotRequest,
): Promise<Slot> {
  return granted(await limits.claim(place, caller, request));
}

/**
 * Returns a promise only where limits or ledger have to wait for a backend. The settlement owns the place from then on.
 */
export function admit<Plans>(
  planned: Planned,
  place: Place,
  ports: AdmitPorts,
  plans: Plans,
  replan?: Replan<Plans>,
): Admitted | Promise<Admitted> {
  const taken = ports.limits.claim(place, planned.caller, () => slotRequestOf(planned));
  if (!(taken instanceof Promise)) return holdWith(planned, ports, plans, replan, granted(taken));
  return taken.then((slot) => holdWith(planned, ports, plans, replan, granted(slot)));
}

/** What replaces the plan of a call that does not fit; undefined if it may not be replaced. */
type Replan<Plans> = (planned: Planned, onLimit: OnLimitDecision, plans: Plans) => Partial<Planned> | undefined;

function holdWith<Plans>(
  planned: Planned,
  ports: AdmitPorts,
  plans: Plans,
  replan: Replan<Plans> | undefined,
  slot: Slot,
): Admitted | Promise<Admitted> {
  try {
    const hold = holdFor(planned, ports);
    if (!(hold instanceof Promise)) return enter(planned, ports, slot, hold);
    return hold
      .then((answer) =>
        'kind' in answer
          ? enterOnLimit(planned, ports, slot, answer, (onLimit) => replan?.(planned, onLimit, plans))
          : enter(planned, ports, slot, answer),
      )
      .catch((error: unknown) => {
        slot.release();
        throw error;
      });
  } catch (error) {
    slot.release();
    throw error;
  }
}

function holdFor(planned: Planned, { begin, ledger, priceFactorPpm }: AdmitPorts, instead?: string) {
  const { id, caller, model, understanding, tags } = planned;
  const begun = begin?.(planned);
  if (begun !== undefined && 'kind' in begun) throw new GatewayError(begun);
  return ledger.hold({
    requestId: id,
    caller,
    modelId: model.id,
    maxOutputTokens: understanding.maxOutputTokens,
    tags,
    begun,
    ...(ledger.charges === true && { quote: quoteOf(planned, priceFactorPpm?.(caller.accountId)) }),
    ...(instead !== undefined && { instead }),
  });
}

/** A call that does not fit goes to the model that a budget template names for that, if its hold fits; else it is refused as before. */
async function enterOnLimit(
  planned: Planned,
  ports: AdmitPorts,
  slot: Slot,
  refusal: Fault,
  replan: (onLimit: OnLimitDecision) => Partial<Planned> | undefined,
): Promise<Admitted> {
  const onLimit = ports.ledger.onLimitOf?.(refusal);
  const replacement = onLimit && replan(onLimit);
  if (replacement === undefined) throw await refusalOf(planned.caller, refusal, ports);
  const hold = await holdFor({ ...planned, ...replacement }, ports, onLimit?.model);
  if ('kind' in hold)
    throw hold.kind === 'over-budget' ? await refusalOf(planned.caller, refusal, ports) : new GatewayError(hold);
  return enter(Object.assign(planned, replacement), ports, slot, hold);
}

const refusalOf = async (caller: Caller, refusal: Fault, { spend }: AdmitPorts): Promise<GatewayError> =>
  new GatewayError(spend !== undefined && readsSpend(caller) ? await spend.refusal(caller, refusal) : refusal);

function enter(planned: Planned, { clock, record }: AdmitPorts, slot: Slot, hold: Hold | Fault): Admitted {
  if ('kind' in hold) throw new GatewayError(hold);
  return Object.assign(planned, { isRecorded: true, settlement: new Settlement(planned, slot, hold, clock, record) });
}

// The end of a request runs exactly once, on every path: settle or release the hold, give the slot back, write the
// record. Closing again does nothing, so every exit may close without checking.

/** Admitted: the request runs until its settlement is closed. */
export type Admitted = Planned & { readonly settlement: Settlement };

/** Written while its request runs. */
export type OpenAttemptRecord = { -readonly [Name in keyof AttemptRecord]: AttemptRecord[Name] };

/** The part of a call that its record needs; of those that no model answers, too. */
export type SettledCall = BegunCall &
  Pick<Planned, 'id' | 'strict' | 'trace' | 'headers' | 'members' | 'text' | 'startedAtMs' | 'wire'> &
  Partial<Pick<Planned, 'head' | 'leftOut' | 'decidedBy' | 'weighed' | 'inputBounds' | 'preferences'>> & {
    readonly dialect: { readonly id: string; readonly operation: RecordedOperation };
    readonly understanding: Pick<Planned['understanding'], 'model' | 'stream' | 'metadata'>;
  };

export class Settlement {
  readonly attempts: OpenAttemptRecord[] = [];
  readonly #planned: SettledCall;
  readonly #slot: Slot;
  readonly #hold: Hold;
  readonly #clock: Clock;
  readonly #record: Recorder;
  readonly #admittedMs: number;
  #closed = false;

  constructor(planned: SettledCall, slot: Slot, hold: Hold, clock: Clock, record: Recorder) {
    this.#planned = planned;
    this.#slot = slot;
    this.#hold = hold;
    this.#clock = clock;
    this.#record = record;
    this.#admittedMs = clock.monotonicMs() - planned.startedAtMs;
  }

  /** What is left of the caller's per-minute limits. */
  get rate(): RateNote | undefined {
    return this.#slot.rate;
  }

  /** `stop`: the account's balance covers no more of this request. */
  meter(bill: () => Bill): 'go' | 'stop' {
    return this.#hold.meter === undefined || this.#closed ? 'go' : this.#hold.meter(bill());
  }

  /** What closing with this bill will charge, for answers that state the cost before they are settled. */
  chargeOf(bill: Bill): bigint {
    return this.#hold.chargeOf?.(bill) ?? bill.cost.nanoUsd;
  }

  /**
   * `send` gives the caller the end of its answer: called once the charge survives the process, so that no complete
   * answer is ever uncharged. Not called if the request is closed already.
   */
  close(outcome: Outcome, send?: () => void): void {
    if (this.#closed) return;
    this.#closed = true;
    // Each of the three steps runs even if another one fails.
    try {
      this.#slot.release(outcome.bill);
    } finally {
      try {
        if (outcome.bill === undefined) this.#hold.release();
        else this.#hold.settle(outcome.bill);
      } finally {
        this.#finish(this.#write(outcome), send);
      }
    }
  }

  #finish(record: RequestRecord, send: (() => void) | undefined): void {
    if (send === undefined) {
      this.#planned.wire?.finished(record);
      return;
    }
    if (this.#hold.onWritten !== undefined) {
      this.#hold.onWritten(() => {
        send();
        this.#planned.wire?.finished(record);
      });
      return;
    }
    send();
    this.#planned.wire?.finished(record);
  }

  #write(outcome: Outcome): RequestRecord {
    const { id, protocol, caller, model, understanding, leftOut, decidedBy, weighed, inputBounds } = this.#planned;
    const { receivedAtMs, startedAtMs, strict, dialect, trace, tags, preferences } = this.#planned;
    const durationMs = this.#clock.monotonicMs() - startedAtMs;
    // The record of an attempt that answers was added when its answer began.
    const last = this.attempts.at(-1);
    if (last !== undefined && last.fault === undefined) last.endMs = durationMs;
    // Every member is named: all records keep one hidden class, and a spread costs more than the rest.
    const record: RequestRecord = {
      how: outcome.how,
      fault: outcome.fault,
      reading: outcome.reading,
      bill: outcome.bill,
      chargedNanoUsd: this.#hold.chargedNanoUsd,
      provider: outcome.provider,
      lane: outcome.lane,
      laneWhy: outcome.laneWhy,
      losses: outcome.losses,
      firstByteAtMs: outcome.firstByteAtMs,
      requestId: id,
      trace,
      protocol: recordedProtocol(protocol, dialect.id),
      operation: dialect.operation,
      accountId: caller.accountId,
      keyId: caller.keyId,
      memberId: caller.memberId,
      client: caller.grant?.client,
      askedModel: understanding.model,
      strict,
      admittedMs: this.#admittedMs,
      modelId: outcome.modelId ?? model.id,
      stream: understanding.stream,
      attempts: this.attempts,
      leftOut,
      decidedBy,
      weighed,
      inputBounds,
      preferences,
      receivedAtMs,
      durationMs,
      firstByteMs: outcome.firstByteAtMs === undefined ? undefined : outcome.firstByteAtMs - startedAtMs,
      metadata: understanding.metadata,
      conversation: conversationName(this.#planned),
      tags,
    };
    this.#record(record);
    return record;
  }
}
