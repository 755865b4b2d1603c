/** One run of a response in the background: from the claim to the one transaction that ends it. */
import type { Fault, JsonObject } from '@trivium/protocol/canonical';
import { pause } from '../../../kernel/clock.ts';
import type { RequestRecord } from '../../../kernel/record.ts';
import type { OpenTurn } from '../../../kernel/stored-responses.ts';
import { sealTurn } from '../seal-turn.ts';
import { FIRST_OF_RUN } from './events.ts';
import { type Batch, GatheringReply } from './gathering-reply.ts';
import type { BackgroundPorts } from './ports.ts';
import type { ClaimedJob, EndState, EventBatch } from './rows.ts';

/** How long events are gathered before they are stored. */
const GATHER_MS = 100;
/** How long an end waits for an unreachable database, after which another worker ends it. */
const WRITE_PATIENCE_MS = 60_000;
const WRITE_AGAIN_MS = 250;

export type QueuedContent = { readonly turn: OpenTurn; readonly job: string };

/** Binds the encryption to the row, and to its place. */
export const jobIdentity = (accountId: string, id: string): string => `background:${accountId}:${id}`;
export const shownIdentity = (accountId: string, id: string): string => `background:${accountId}:${id}:shown`;
export const eventsIdentity = (accountId: string, id: string, first: number): string =>
  `background:${accountId}:${id}:${first}`;

const LOST: Fault = {
  kind: 'internal',
  message: 'The process that made this response ended before it. Nothing was charged; send the request again.',
};
const GONE: Fault = { kind: 'internal', message: 'The stored content of this response was erased.' };
const TOO_LONG: Fault = {
  kind: 'upstream-timeout',
  message: 'The response took longer than it may (state.backgroundMinutes).',
};

/** `lost`: another process goes on with it, and nothing more is written here. */
type Left = 'cancelled' | 'late' | 'lost';

type Ended = {
  readonly state: EndState;
  readonly response: JsonObject;
  readonly text: string;
  readonly record?: RequestRecord | undefined;
};

export class BackgroundRun {
  readonly claimed: ClaimedJob;
  readonly #ports: BackgroundPorts;
  readonly #reply: GatheringReply;
  #left: Left | undefined;
  /** Batches are stored one after another. */
  #storing: Promise<void> = Promise.resolve();

  constructor(claimed: ClaimedJob, ports: BackgroundPorts) {
    this.claimed = claimed;
    this.#ports = ports;
    const first = (claimed.lastEvent ?? FIRST_OF_RUN - 1) + 1;
    this.#reply = new GatheringReply(first, ports.settings().maxEventLength, () => this.#gather());
  }

  /** Ends it: what was made until then is settled, unless it is lost. */
  leave(why: Left): void {
    if (this.#left === undefined || why === 'lost') this.#left = why;
    this.#reply.leave();
  }

  async work(): Promise<void> {
    const { isCancelAsked, lastEvent, leftMs } = this.claimed;
    const queued = await this.#open();
    const shown = await this.#shown();
    if (queued === undefined || shown === undefined) return this.#end(undefined, this.#failed(shown ?? {}, GONE));
    if (isCancelAsked) this.leave('cancelled');
    if (this.#left === 'cancelled') return this.#end(queued.turn, this.#cancelled(shown));
    if (lastEvent !== null) return this.#end(queued.turn, this.#failed(shown, LOST));
    if (leftMs <= 0) return this.#end(queued.turn, this.#failed(shown, TOO_LONG));
    const stopClock = this.#ports.after(leftMs, () => this.leave('late'));
    try {
      const { record, fault } = await this.#ports.execute(queued.job, this.claimed, this.#reply);
      await this.#end(queued.turn, { ...this.#outcome(shown, fault), record });
    } finally {
      stopClock();
    }
  }

  #outcome(shown: JsonObject, fault: Fault | undefined): Ended {
    const { last } = this.#reply;
    const status = last?.response['status'];
    if (last !== undefined && (status === 'completed' || status === 'incomplete')) return { state: status, ...last };
    if (this.#left === 'cancelled') return this.#cancelled(shown);
    if (this.#left === 'late') return this.#failed(shown, TOO_LONG);
    if (last === undefined) return this.#failed(shown, fault ?? BROKEN);
    const response = { ...shown, ...last.response, status: 'failed', output: this.#output() };
    return { state: 'failed', response, text: JSON.stringify(response) };
  }

  #output(): JsonObject[] {
    return [...this.#reply.output].toSorted(([a], [b]) => a - b).map(([, item]) => item);
  }

  #cancelled(shown: JsonObject): Ended {
    const response = { ...shown, status: 'cancelled', output: this.#output() };
    return { state: 'cancelled', response, text: JSON.stringify(response) };
  }

  #failed(shown: JsonObject, fault: Fault): Ended {
    const response = { ...shown, ...this.#ports.failedMembers(fault), output: this.#output() };
    return { state: 'failed', response, text: JSON.stringify(response) };
  }

  async #open(): Promise<QueuedContent | undefined> {
    const { accountId, id, dataKeyId, sealed } = this.claimed;
    const { content, settings } = this.#ports;
    const text = await content.open(accountId, dataKeyId, jobIdentity(accountId, id), sealed, settings().maxCharacters);
    // Written by the queue: the cipher's authentication tag proves it.
    if (text === undefined) return undefined;
    const { turn, job }: QueuedContent = JSON.parse(text);
    const { conversationUntil, ...rest } = turn;
    // Digits: a JSON number may be too small for it.
    return { turn: conversationUntil == null ? rest : { ...rest, conversationUntil: BigInt(conversationUntil) }, job };
  }

  async #shown(): Promise<JsonObject | undefined> {
    const { accountId, id, dataKeyId, shown } = this.claimed;
    const { content, settings } = this.#ports;
    const text = await content.open(
      accountId,
      dataKeyId,
      shownIdentity(accountId, id),
      shown,
      settings().maxCharacters,
    );
    return text === undefined ? undefined : { ...(JSON.parse(text) as JsonObject), status: 'in_progress' };
  }

  #gather(): void {
    if (!this.claimed.isStreamed) {
      this.#reply.take();
      this.#reply.stored();
      return;
    }
    this.#ports.after(GATHER_MS, () => {
      this.#storing = this.#storing.then(() => this.#store());
    });
  }

  async #store(): Promise<void> {
    const batch = this.#reply.take();
    // Of a run that was given back, it would keep the next from starting again.
    if (batch === undefined || this.#left === 'lost') return;
    const isStored = await this.#patiently(async () => this.#ports.rows.append(this.claimed, await this.#seal(batch)));
    if (isStored !== true) this.leave('lost');
    this.#reply.stored();
  }

  async #seal({ first, events }: Batch): Promise<EventBatch> {
    const { accountId, id } = this.claimed;
    const { content } = this.#ports;
    const key = await content.keyFor(accountId);
    const sealed = await content.seal(key, eventsIdentity(accountId, id, first), JSON.stringify(events));
    return { first, last: first + events.length - 1, dataKeyId: key.id, sealed };
  }

  /** End, events, response, charge, record and messages: all of them, or none. */
  async #end(turn: OpenTurn | undefined, ended: Ended): Promise<void> {
    await this.#storing;
    if (this.#left === 'lost') return;
    const { isStreamed } = this.claimed;
    if (isStreamed) this.#reply.add(`response.${ended.state}`, { response: ended.response });
    const batch = isStreamed ? this.#reply.take() : undefined;
    const isEnded = await this.#patiently(() => this.#write(turn, ended, batch));
    if (isEnded === true && ended.record !== undefined) this.#ports.onOver(ended.record);
  }

  async #write(turn: OpenTurn | undefined, { state, text, record }: Ended, batch: Batch | undefined) {
    const { store, rows, stored, content, money, settings, announce } = this.#ports;
    const { accountId } = this.claimed;
    const key = turn && (await content.keyFor(accountId, true));
    const sealed = turn && key && (await sealTurn(content, key, turn, text));
    const events = key && batch && (await this.#seal(batch));
    const { keepMs } = settings();
    return store.within(accountId, async (db) => {
      if (!(await rows.finish(db, this.claimed, state, keepMs))) return false;
      if (events !== undefined) await rows.insertEvents(db, this.claimed, events);
      if (sealed !== undefined) await stored.insertTurn(db, sealed.row, sealed.items, keepMs);
      await money.end(db, this.claimed, record);
      await announce(db, this.claimed, state);
      return true;
    });
  }

  /** What cannot be written now is written later, as long as no other worker has taken over. */
  async #patiently(write: () => Promise<boolean>): Promise<boolean | undefined> {
    const { clock, onTrouble } = this.#ports;
    const untilMs = clock.monotonicMs() + WRITE_PATIENCE_MS;
    for (;;) {
      try {
        return await write();
      } catch (error) {
        onTrouble(error);
        if (this.#left === 'lost' || clock.monotonicMs() >= untilMs) return undefined;
      }
      await pause(WRITE_AGAIN_MS);
    }
  }
}

const BROKEN: Fault = { kind: 'upstream-broken', message: 'The upstream provider failed in the middle of its answer.' };
