/** Responses in the background as requests use them: queued together with their hold, followed, read and cancelled. */
import { type Fault, GatewayError, type JsonObject } from '@trivium/protocol/canonical';
import type { BackgroundOrder, BackgroundResponses, Following } from '../../../kernel/background.ts';
import type { CallerPort } from '../../../kernel/caller-port.ts';
import { pause } from '../../../kernel/clock.ts';
import { overBudgetOf, unpricedOf } from '../../../money/ledger/refusals.ts';
import { malformed, notFound, orAway } from '../faults.ts';
import { Follower } from './follower.ts';
import type { BackgroundPorts, Held } from './ports.ts';
import type { JobRow } from './rows.ts';
import { jobIdentity, type QueuedContent, shownIdentity } from './run.ts';
import { type BackgroundRunner, LEASE_MS } from './runner.ts';

/** How long a request waits for other nodes to return unused funds from their leases. */
const RECALL_PATIENCE_MS = 2_500;
const LOOK_AGAIN_MS = 40;
/** How long a cancellation waits for its end. */
const CANCEL_PATIENCE_MS = 10_000;
const CANCEL_LOOK_MS = 50;

/** Rolls the transaction back. */
class Unqueued extends Error {}

const queueFull = (queue: number): Fault => ({
  kind: 'over-rate',
  message: `This account has ${queue} responses in the background that have not ended, the most it may (state.backgroundQueue). Try again later.`,
  field: 'background',
});

export class BackgroundService implements BackgroundResponses {
  readonly #ports: BackgroundPorts;
  readonly #runner: BackgroundRunner;
  readonly #follower: Follower;

  constructor(ports: BackgroundPorts, runner: BackgroundRunner) {
    this.#ports = ports;
    this.#runner = runner;
    this.#follower = new Follower(ports);
  }

  async queue(order: BackgroundOrder): Promise<void> {
    await orAway(async () => {
      const { clock, requireRoom } = this.#ports;
      await requireRoom(order.turn.accountId);
      const untilMs = clock.monotonicMs() + RECALL_PATIENCE_MS;
      for (;;) {
        const held = (await this.#open(order, false)) ?? (await this.#open(order, true));
        if (held === undefined) throw new GatewayError(queueFull(this.#ports.settings().queue));
        if (held.kind === 'held') break;
        if (held.kind === 'unpriced') throw new GatewayError(unpricedOf(order.quote.unpriced));
        if (!held.recallable || clock.monotonicMs() >= untilMs) throw new GatewayError(overBudgetOf(held.scope));
        await pause(LOOK_AGAIN_MS);
      }
    });
    this.#runner.wake();
  }

  /** Undefined if there is no room in the queue, or the key is not the account's any more. */
  async #open(order: BackgroundOrder, isStale: boolean): Promise<Held | undefined> {
    const { rows, store, content, money, settings } = this.#ports;
    const { turn, quote, requestId, shown, job, scopes, keyId, modelId, isStreamed } = order;
    const { accountId, id } = turn;
    const key = await content.keyFor(accountId, isStale);
    const queued: QueuedContent = { turn, job };
    const row = {
      accountId,
      id,
      requestId,
      keyId,
      modelId,
      priceVersion: quote.priceVersion,
      holdNano: quote.holdNanoUsd,
      isStreamed,
      dataKeyId: key.id,
      shown: await content.seal(key, shownIdentity(accountId, id), JSON.stringify(shown)),
      sealed: await content.seal(key, jobIdentity(accountId, id), JSON.stringify(queued, digits)),
    };
    const { durationMs, keepMs, queue } = settings();
    try {
      return await store.within(accountId, async (db) => {
        if (!(await rows.insert(db, row, { deadlineMs: durationMs, keepMs, maxOpen: queue }))) throw new Unqueued();
        const held = await money.hold(db, accountId, requestId, quote, scopes);
        // Committed without the row: leases that were recalled must stay recalled.
        if (held.kind !== 'held') await rows.withdraw(db, row);
        return held;
      });
    } catch (error) {
      if (error instanceof Unqueued) return undefined;
      throw error;
    }
  }

  follow(following: Following, reply: CallerPort): Promise<void> {
    return orAway(async () => {
      const row = await this.#ports.rows.find(following.accountId, following.id);
      const shown = row && (await this.#shownOf(row));
      if (row === undefined || shown === undefined) throw notFound('Response', following.id);
      if (!row.isStreamed) throw malformed('stream', 'needs a response that was made in the background and streamed');
      await this.#follower.follow(following, shown, reply);
    });
  }

  /** One that has not ended, as it is shown; undefined if there is none. */
  async unfinished(accountId: string, id: string): Promise<JsonObject | undefined> {
    const row = await this.#ports.rows.find(accountId, id);
    if (row === undefined || (row.state !== 'queued' && row.state !== 'running')) return undefined;
    const shown = await this.#shownOf(row);
    return shown && { ...shown, status: row.state === 'queued' ? 'queued' : 'in_progress' };
  }

  async #shownOf({ accountId, id, dataKeyId, shown }: JobRow): Promise<JsonObject | undefined> {
    const { content, settings } = this.#ports;
    const { maxCharacters } = settings();
    const text = await content.open(accountId, dataKeyId, shownIdentity(accountId, id), shown, maxCharacters);
    return text === undefined ? undefined : JSON.parse(text);
  }

  cancel(accountId: string, id: string): Promise<void> {
    return orAway(async () => {
      const { rows, clock } = this.#ports;
      const key = { accountId, id };
      const row = await rows.find(accountId, id);
      if (row === undefined) throw malformed('response_id', 'names a response that was not made in the background');
      if (isOver(row)) return;
      await rows.askCancel(accountId, id);
      const claimed = row.state === 'queued' ? await rows.claimQueued(key, LEASE_MS) : undefined;
      if (claimed !== undefined) await this.#runner.run(claimed);
      this.#runner.cancel(key);
      const untilMs = clock.monotonicMs() + CANCEL_PATIENCE_MS;
      while (clock.monotonicMs() < untilMs) {
        const now = await rows.find(accountId, id);
        if (now === undefined || isOver(now)) return;
        await pause(CANCEL_LOOK_MS);
      }
    });
  }

  /** With its events. */
  delete(accountId: string, id: string): Promise<void> {
    return this.#ports.rows.delete(accountId, id);
  }
}

const isOver = ({ state }: JobRow): boolean => state !== 'queued' && state !== 'running';

/** How much of a conversation was its history is more than a number can say; it is read back as digits. */
const digits = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);
