/** Responses made in the background with all their dependencies; part of the composition root. */
import { faultOf } from '@trivium/protocol/canonical';
import { failedMembers } from '@trivium/protocol/dialects';
import type { AdmitPorts } from '../../calls/admit/admit.ts';
import type { Engine } from '../../calls/engine.ts';
import { runQueued } from '../../calls/pipeline.ts';
import type { Config } from '../../config/config.ts';
import { announceResponse } from '../../control/webhooks/rows.ts';
import type { StoredCaptures } from '../../control/wire/rows.ts';
import type { Place } from '../../kernel/admission.ts';
import { systemAfter, systemClock } from '../../kernel/clock.ts';
import type { Bill, Recorder, RequestRecord } from '../../kernel/record.ts';
import { BackgroundService } from '../../media/responses/background/background-service.ts';
import type { GatheringReply } from '../../media/responses/background/gathering-reply.ts';
import type { Executed } from '../../media/responses/background/ports.ts';
import { BackgroundRows, type ClaimedJob, type EndState, type JobKey } from '../../media/responses/background/rows.ts';
import { BackgroundRunner } from '../../media/responses/background/runner.ts';
import { StoredContent } from '../../media/responses/content.ts';
import { StoredRows } from '../../media/responses/rows.ts';
import type { StoredTurns } from '../../media/responses/stored-turns.ts';
import type { Db } from '../../store/postgres/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Backing } from '../backing.ts';
import { EPOCH, moneyIn } from './background-money.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const BYTES_PER_CHARACTER = 4;

export class OpenBackground {
  readonly service: BackgroundService;
  readonly #runner: BackgroundRunner;
  readonly #rows: BackgroundRows;
  #engine: (() => Engine) | undefined;
  #record: Recorder = () => undefined;
  #stopped: Promise<void> | undefined;

  constructor(config: () => Config, { store }: Backing, keys: StoredCaptures, turns: StoredTurns, log: Log) {
    this.#rows = new BackgroundRows(store);
    const ports = {
      store,
      rows: this.#rows,
      stored: new StoredRows(store),
      content: new StoredContent(keys),
      money: moneyIn(store, log),
      clock: systemClock,
      after: systemAfter,
      settings: () => {
        const { state, limits } = config();
        return {
          isOffered: state.keepHours !== undefined,
          atOnce: state.backgroundAtOnce,
          perAccount: state.backgroundPerAccount,
          queue: state.backgroundQueue,
          durationMs: state.backgroundMinutes * MINUTE_MS,
          keepMs: (state.keepHours ?? 1) * HOUR_MS,
          maxEventLength: limits.answerBytes,
          // A body and what it says again, or an answer.
          maxCharacters: 2 * limits.bodyBytes + BYTES_PER_CHARACTER * limits.answerBytes,
        };
      },
      requireRoom: (accountId: string) => turns.requireRoom(accountId),
      execute: (job: string, claimed: ClaimedJob, reply: GatheringReply) => this.#execute(job, claimed, reply),
      announce: (db: Db, key: JobKey, end: EndState) => announceResponse(db, key, end, systemClock.nowMs()),
      onOver: (record: RequestRecord) => this.#record(record),
      failedMembers,
      onTrouble: (error: unknown) => log.warn('responses in the background delayed', { problem: String(error) }),
    };
    this.#runner = new BackgroundRunner(ports);
    this.service = new BackgroundService(ports, this.#runner);
    turns.background = this.service;
  }

  async start(engine: () => Engine, record: Recorder): Promise<void> {
    this.#engine = engine;
    this.#record = record;
    await this.#rows.enlist(EPOCH);
    this.#runner.start();
  }

  stop(withinMs: number): Promise<void> {
    this.#stopped ??= this.#runner.stop(withinMs);
    return this.#stopped;
  }

  async #execute(job: string, claimed: ClaimedJob, reply: GatheringReply): Promise<Executed> {
    const engine = this.#engine?.();
    if (engine === undefined) throw new Error('the gateway has not started');
    const { capture: _, ...shared } = engine;
    let record: RequestRecord | undefined;
    let settled: () => void = () => undefined;
    const isSettled = new Promise<void>((resolve) => {
      settled = resolve;
    });
    const admission: AdmitPorts = {
      clock: engine.admission.clock,
      limits: { enter: () => ROOM, claim: () => ({ release: () => undefined }) },
      ledger: { charges: true, hold: () => new KeptHold(claimed) },
      record: (entry) => {
        record = entry;
        settled();
      },
    };
    const exchange = withTotal(shared.exchange, claimed.leftMs);
    try {
      await runQueued({ ...shared, admission, exchange }, job, reply, ROOM);
      await isSettled;
      // No caller waits for the answer of a run that was left.
      if (!reply.gone && record?.how === 'done') await reply.over;
      return { record, fault: record?.fault };
    } catch (error) {
      return { record, fault: faultOf(error) };
    }
  }
}

/** It may take as long as responses in the background may. */
const withTotal = (exchange: Engine['exchange'], totalMs: number): Engine['exchange'] => {
  const { waits } = exchange.limits;
  const { fast, standard, reasoning, media } = waits;
  const longer = <Waits extends object>(of: Waits): Waits => ({ ...of, totalMs });
  const own = {
    fast: longer(fast),
    standard: longer(standard),
    reasoning: longer(reasoning),
    media: longer(media),
  };
  return { ...exchange, limits: { ...exchange.limits, waits: own } };
};

/** Limits of callers were asked when it was queued; what runs at once is bounded by the runner. */
const ROOM: Place = { accountId: '', reserve: () => undefined, release: () => undefined };

/** The hold in the database: closed by the transaction that ends the response. */
class KeptHold {
  readonly id: string;
  chargedNanoUsd: bigint | undefined = undefined;
  readonly #heldNano: bigint;

  constructor({ requestId, holdNano }: ClaimedJob) {
    this.id = requestId;
    this.#heldNano = holdNano;
  }

  /** An estimate never charges more than was held. */
  chargeOf({ cost, estimated }: Bill): bigint {
    return estimated && cost.nanoUsd > this.#heldNano ? this.#heldNano : cost.nanoUsd;
  }

  settle(bill: Bill): void {
    this.chargedNanoUsd = this.chargeOf(bill);
  }

  release(): void {
    this.chargedNanoUsd = 0n;
  }
}
