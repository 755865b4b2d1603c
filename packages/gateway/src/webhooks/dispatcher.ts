/**
 * Carries due messages to where they are wanted, at least once each. A message is claimed for a while before it is sent, so
 * that of several nodes one tries it, and another does when that one has died.
 */
import type { OpenAnswer } from '../upstream/guarded-client.ts';
import { pauseAfter } from './retry-plan.ts';
import { webhookHeaders } from './signature.ts';

export type DueMessage = {
  readonly accountId: string;
  readonly id: string;
  readonly webhookId: string;
  readonly url: string;
  readonly body: string;
  /** This one included. */
  readonly tries: number;
  /** The current one first; an earlier one while it is still taken. Undefined when they cannot be decrypted. */
  readonly secrets: readonly string[] | undefined;
};

export type Delivery = 'delivered' | 'failed' | { readonly againInMs: number };

export interface MessageRows {
  /** Due ones, each claimed for `claimMs`: nobody else gets them until then. */
  claim(limit: number, claimMs: number): Promise<readonly DueMessage[]>;
  /** What has become of a try. `gone`: its host wants no more. */
  settle(message: DueMessage, delivery: Delivery, status: number | undefined, gone: boolean): Promise<void>;
  /** Forgets what is finished and older than the moment. */
  forget(beforeMs: number): Promise<number>;
}

export type DispatcherPorts = {
  readonly rows: MessageRows;
  readonly post: (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ) => Promise<OpenAnswer>;
  readonly nowMs: () => number;
  readonly dice: () => number;
  readonly onTrouble: (error: unknown) => void;
};

export type DispatcherSettings = {
  readonly lookEveryMs: number;
  readonly timeoutMs: number;
  readonly maxAtOnce: number;
};

const GONE = 410;
/** A try that takes its whole time must still be settled under its claim. */
const CLAIM_MARGIN_MS = 15_000;
const KEPT_MS = 7 * 86_400_000;
const FORGET_EVERY_MS = 3_600_000;

export class WebhookDispatcher {
  readonly #ports: DispatcherPorts;
  readonly #settings: () => DispatcherSettings;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #forgotAtMs = 0;
  readonly #stopping = new AbortController();

  constructor(settings: () => DispatcherSettings, ports: DispatcherPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  start(): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => void this.round().finally(() => this.start()), this.#settings().lookEveryMs).unref();
  }

  /** What is being sent is broken off, and sent again by whoever is left. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** All that is due now. Asked again while it runs, it is the same round. */
  round(): Promise<void> {
    this.#round ??= this.#work()
      .catch(this.#ports.onTrouble)
      .finally(() => {
        this.#round = undefined;
      });
    return this.#round;
  }

  async #work(): Promise<void> {
    const { rows, nowMs } = this.#ports;
    const { maxAtOnce, timeoutMs } = this.#settings();
    while (!this.#stopping.signal.aborted) {
      const due = await rows.claim(maxAtOnce, timeoutMs + CLAIM_MARGIN_MS);
      await Promise.all(due.map((message) => this.#try(message, timeoutMs)));
      if (due.length < maxAtOnce) break;
    }
    if (nowMs() - this.#forgotAtMs < FORGET_EVERY_MS) return;
    this.#forgotAtMs = nowMs();
    await rows.forget(nowMs() - KEPT_MS);
  }

  async #try(message: DueMessage, timeoutMs: number): Promise<void> {
    const status = await this.#send(message, timeoutMs);
    const { rows, dice, onTrouble } = this.#ports;
    const isGone = status === GONE;
    const pauseMs = isGone ? undefined : pauseAfter(message.tries, dice());
    const missed: Delivery = pauseMs === undefined ? 'failed' : { againInMs: pauseMs };
    const arrived = status !== undefined && status >= 200 && status < 300;
    // What cannot be written down now is tried again when the claim has run out.
    await rows.settle(message, arrived ? 'delivered' : missed, status, isGone).catch(onTrouble);
  }

  /** Undefined: nothing came back. Where it was sent and why it failed is the account's business and in no log. */
  async #send({ id, url, body, secrets }: DueMessage, timeoutMs: number): Promise<number | undefined> {
    if (secrets === undefined) return undefined;
    const headers = webhookHeaders({ id, body }, secrets, this.#ports.nowMs());
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#stopping.signal]);
    try {
      const { answer, close } = await this.#ports.post(url, headers, body, signal);
      await close();
      return answer.statusCode;
    } catch {
      return undefined;
    }
  }
}
