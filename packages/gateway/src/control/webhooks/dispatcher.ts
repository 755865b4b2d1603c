/**
 * Webhook dispatcher: sends due messages, at least once each. A message is claimed for a while before it is sent, so
 * that one of several nodes sends it, and another one does if that node has died.
 */
import { Rounds } from '../../kernel/rounds.ts';
import { pauseAfter } from './retry-plan.ts';

/** What every message has, whatever its receiver. */
export type DueMessage = {
  readonly id: string;
  /** Including this one. */
  readonly tries: number;
};

export type Delivery = 'delivered' | 'failed' | { readonly againInMs: number };

/** The result of an attempt: the receiver's status, or why there is none. */
export type Attempted = { readonly status: number } | { readonly problem: string };

export interface MessageRows<Message extends DueMessage> {
  /** Due messages, each claimed for `claimMs`: no other node gets them until then. */
  claim(limit: number, claimMs: number): Promise<readonly Message[]>;
  /** `gone`: the receiver accepts no more messages (410). */
  settle(message: Message, delivery: Delivery, attempted: Attempted, gone: boolean): Promise<void>;
  /** In how many ms the next message is due that this node can send; undefined if none waits. */
  nextDueInMs(): Promise<number | undefined>;
  /** Deletes finished messages older than this time. */
  forget(beforeMs: number): Promise<number>;
}

export type DispatcherPorts<Message extends DueMessage> = {
  readonly rows: MessageRows<Message>;
  /** Returns the receiver's status; throws if there is none. */
  readonly send: (message: Message, signal: AbortSignal) => Promise<number>;
  /** Whether `wake` is called for every message that is due at once. */
  readonly isNotified: () => boolean;
  readonly nowMs: () => number;
  readonly jitter: () => number;
  readonly onTrouble: (error: unknown) => void;
  /** An attempt has failed. */
  readonly onMissed?: (message: Message, attempted: Attempted, delivery: Delivery) => void;
};

export type DispatcherSettings = {
  readonly lookEveryMs: number;
  readonly timeoutMs: number;
  readonly maxAtOnce: number;
};

const GONE = 410;
/** An attempt that takes its whole timeout must still be settled under its claim. */
const CLAIM_MARGIN_MS = 15_000;
const KEPT_MS = 7 * 86_400_000;
const FORGET_EVERY_MS = 3_600_000;
/** Longest pause: a message that another node has claimed and not sent is due again without notice. */
const REST_MS = 10_000;
const MAX_PROBLEM = 200;

export class WebhookDispatcher<Message extends DueMessage> {
  readonly #ports: DispatcherPorts<Message>;
  readonly #settings: () => DispatcherSettings;
  readonly #rounds: Rounds;
  #forgotAtMs = 0;
  #dueInMs = 0;
  readonly #stopping = new AbortController();

  constructor(settings: () => DispatcherSettings, ports: DispatcherPorts<Message>) {
    this.#settings = settings;
    this.#ports = ports;
    const { onTrouble } = ports;
    this.#rounds = new Rounds({ run: () => this.#work(), pauseMs: () => this.#pauseMs(), onTrouble });
  }

  start(): void {
    this.#rounds.start();
  }

  /** A message is due. */
  wake(): void {
    this.#rounds.wake();
  }

  /** Messages being sent are aborted; another node or the next process sends them again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds.stop();
  }

  /** Sends all due messages. A call while a round runs returns that round. */
  round(): Promise<void> {
    return this.#rounds.now();
  }

  #pauseMs(): number {
    const { lookEveryMs } = this.#settings();
    return this.#ports.isNotified() ? Math.max(lookEveryMs, Math.min(this.#dueInMs, REST_MS)) : lookEveryMs;
  }

  async #work(): Promise<void> {
    const { rows, nowMs } = this.#ports;
    this.#dueInMs = 0;
    const { maxAtOnce, timeoutMs } = this.#settings();
    while (!this.#stopping.signal.aborted) {
      const due = await rows.claim(maxAtOnce, timeoutMs + CLAIM_MARGIN_MS);
      await Promise.all(due.map((message) => this.#try(message, timeoutMs)));
      if (due.length < maxAtOnce) break;
    }
    this.#dueInMs = (await rows.nextDueInMs()) ?? REST_MS;
    if (nowMs() - this.#forgotAtMs < FORGET_EVERY_MS) return;
    this.#forgotAtMs = nowMs();
    await rows.forget(nowMs() - KEPT_MS);
  }

  async #try(message: Message, timeoutMs: number): Promise<void> {
    const attempted = await this.#send(message, timeoutMs);
    const { rows, jitter, onTrouble, onMissed } = this.#ports;
    const status = 'status' in attempted ? attempted.status : undefined;
    const isGone = status === GONE;
    const pauseMs = isGone ? undefined : pauseAfter(message.tries, jitter());
    // A last attempt that the shutdown cut off is made again.
    const isCutOff = status === undefined && this.#stopping.signal.aborted;
    const missed: Delivery = pauseMs === undefined && !isCutOff ? 'failed' : { againInMs: pauseMs ?? 0 };
    const arrived = status !== undefined && status >= 200 && status < 300;
    if (!arrived && !this.#stopping.signal.aborted) onMissed?.(message, attempted, missed);
    // If the result cannot be stored now, the message is sent again after its claim expires.
    await rows.settle(message, arrived ? 'delivered' : missed, attempted, isGone).catch(onTrouble);
  }

  async #send(message: Message, timeoutMs: number): Promise<Attempted> {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#stopping.signal]);
    try {
      return { status: await this.#ports.send(message, signal) };
    } catch (error) {
      return { problem: problemOf(error) };
    }
  }
}

/** The error code of the system or library, if any; never an address. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no answer in time';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
  return code.slice(0, MAX_PROBLEM);
}
