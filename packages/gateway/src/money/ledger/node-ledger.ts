/**
 * The ledger of one node: the core with a journal and a database. Admits from leases in memory, asks the ledger
 * database where no lease covers a request, and refuses when the ledger database may consider this node dead.
 */
import type { Fault } from '@trivium/protocol/canonical';
import type { Hold, HoldRequest, Ledger, Quote } from '../../kernel/admission.ts';
import { every, pause } from '../../kernel/clock.ts';
import { callerScopes } from '../../kernel/tags.ts';
import { Journal, journalsIn } from '../journal/journal.ts';
import { applyInParts } from './apply-in-parts.ts';
import { BatchedAsks } from './batched-asks.ts';
import type { Result, TakeHold } from './core/commands.ts';
import { repost } from './core/journal-records.ts';
import { type Ask, NodeLedgerCore, type Sizing, USUAL_SIZING, type Verdict } from './core/node-ledger-core.ts';
import { DatabaseSetBackError, DatabaseWatch } from './database-watch.ts';
import { JournalledUsage } from './journalled-usage.ts';
import { KnownTerms } from './known-terms.ts';
import { boundedScopes, type LedgerDatabase, type Terms } from './ledger-database.ts';
import { LeftJournals, recordsIn, type UsageFormat } from './left-journals.ts';
import { LiveEpoch } from './live-epoch.ts';
import { OpenHold } from './open-hold.ts';
import {
  backlogged,
  isForUnknownTemplate,
  OUT_OF_TOUCH,
  OVER_BUDGET,
  onLimitOf,
  overBudgetOf,
  unpricedOf,
} from './refusals.ts';

export type NodeLedgerPorts = {
  readonly database: LedgerDatabase;
  /** Unique to this process. Its epochs and their journals are named after it. */
  readonly node: string;
  readonly journalFolder: string;
  /** Whether the process that an epoch of this machine was named after is gone. */
  readonly isOver: (epoch: string) => boolean;
  readonly nextId: () => string;
  readonly monotonicMs: () => number;
  readonly onTrouble: (error: unknown) => void;
  readonly usage?: UsageFormat;
  readonly sizing?: Sizing;
};

const BEAT_MS = 2_000;
const REAP_MS = 5_000;
const REGISTER_AGAIN_MS = 200;
/** How long a request waits for other nodes to return idle money from their leases. */
const RECALL_PATIENCE_MS = 2_500;
const RECALL_POLL_MS = 40;

/** Unmetered: served whether or not the ledger database answers, to keys without a budget. */
const isFree = ({ unlimited, budgeted }: Terms): boolean =>
  unlimited && !budgeted.has('account') && !budgeted.has('group');

const NO_SCOPES: readonly string[] = [];

const scopesOf = ({ caller, tags }: HoldRequest, terms: Terms): readonly string[] =>
  terms.budgeted.size === 0 ? NO_SCOPES : boundedScopes(callerScopes(caller, tags), terms);

export class NodeLedger implements Ledger {
  readonly charges = true;
  readonly onLimitOf = onLimitOf;
  readonly #ports: NodeLedgerPorts;
  readonly #asks: BatchedAsks;
  readonly #left: LeftJournals;
  readonly usage: JournalledUsage;
  #live: LiveEpoch | undefined;
  /** All epochs that are not closed, latest first. */
  readonly #epochs: LiveEpoch[] = [];
  /** Epochs that the database fenced while their requests still ran. */
  readonly #fenced = new Set<LiveEpoch>();
  readonly #terms: KnownTerms;
  readonly #ownEpochs = new Set<string>();
  readonly #watch: DatabaseWatch;
  /** A changed or set back database is being posted to again: no heartbeat until that is done. */
  #isFollowing = false;
  #stopRounds: readonly (() => void)[] = [];
  #closing = false;
  leaseAdmissions = 0;
  strictAdmissions = 0;
  /** Requests refused because too many settlements of their account wait to be posted. */
  backlogRefusals = 0;
  /** Called when a request does not fit the budget of this scope. */
  onBudgetRefusal: (accountId: string, scope: string) => void = () => undefined;

  /** Called when the database was found to be set back to an earlier copy. */
  onSetBack: (node: string, problem: string) => void = () => undefined;

  private constructor(ports: NodeLedgerPorts) {
    this.usage = new JournalledUsage(this.#epochs, ports.onTrouble);
    this.#ports = { ...ports, onTrouble: this.usage.onTrouble };
    this.#asks = new BatchedAsks(ports.database);
    this.#watch = new DatabaseWatch(ports.database, ports.journalFolder);
    this.#left = new LeftJournals(this.#ports);
    this.#terms = new KnownTerms(this.#ports);
  }

  /**
   * Resolves when the journals of earlier incarnations are posted and this node is registered in the ledger database.
   */
  static async start(ports: NodeLedgerPorts): Promise<NodeLedger> {
    const ledger = new NodeLedger(ports);
    await ledger.#enrol();
    ledger.#stopRounds = [
      every(BEAT_MS, () => ledger.#beat(), ports.onTrouble),
      every(REAP_MS, () => ledger.#reap(), ports.onTrouble),
    ];
    return ledger;
  }

  /** This process's unique name, as in its journals. */
  get node(): string {
    return this.#ports.node;
  }

  get openHolds(): number {
    return this.#epochs.reduce((sum, { core }) => sum + core.running, 0);
  }

  /** Settlements that the ledger database does not have yet. */
  get unpostedSettlements(): number {
    return this.#epochs.reduce((sum, { core }) => sum + core.outbox.queue.settles, 0);
  }

  /** Age in ms of the oldest posting that the ledger database does not have yet. */
  get unpostedMs(): number {
    return this.#epochs.reduce((longest, { unpostedMs }) => Math.max(longest, unpostedMs), 0);
  }

  /** What is unavailable when no account at all can be served; undefined while at least one can. */
  get missing(): 'journal' | 'database' | undefined {
    const live = this.#live;
    if (live === undefined) return 'database';
    if (live.isUnwritable) {
      // This health check may be the only caller left: without requests nothing else would retry the disk.
      live.write();
      return 'journal';
    }
    if (live.core.trusted(this.#ports.monotonicMs())) return undefined;
    return this.#terms.some(isFree) ? undefined : 'database';
  }

  hold(request: HoldRequest): Fault | Promise<Hold | Fault> {
    const isInReach = this.#live?.core.trusted(this.#ports.monotonicMs()) === true;
    const terms = this.#terms.of(request.caller.accountId, isInReach);
    return terms instanceof Promise
      ? terms.then((found) => this.#holdUnder(found, request))
      : this.#holdUnder(terms, request);
  }

  #holdUnder(terms: Terms | undefined, request: HoldRequest, isRepeated = false): Fault | Promise<Hold | Fault> {
    const { requestId, caller, quote, begun, instead } = request;
    const live = this.#live;
    if (live === undefined || quote === undefined || terms === undefined) return OUT_OF_TOUCH;
    const ask: Ask = {
      request: requestId,
      account: caller.accountId,
      scopes: scopesOf(request, terms),
      amount: quote.holdNanoUsd,
      priceVersion: quote.priceVersion,
      idempotencyKey: '',
      begun,
      instead,
    };
    const refusal = this.#admit(live, ask, quote, terms);
    if (refusal instanceof Promise)
      return refusal.then((fault) => {
        if (fault === undefined) return this.#journalled(live, requestId);
        return isRepeated || !isForUnknownTemplate(fault, terms) ? fault : this.#holdAnew(request);
      });
    return refusal ?? this.#journalled(live, requestId);
  }

  /** A template that this node had not heard of needs a scope that was not sent. */
  async #holdAnew(request: HoldRequest): Promise<Hold | Fault> {
    await this.#terms.learn([request.caller.accountId]);
    return this.#holdUnder(await this.#terms.of(request.caller.accountId, false), request, true);
  }

  /** The hold, once it survives the process. */
  #journalled(live: LiveEpoch, requestId: string): Promise<Hold | Fault> {
    const { monotonicMs } = this.#ports;
    return live.written().then((isWritten) => {
      if (isWritten && live.core.isCovered(requestId, monotonicMs())) return new OpenHold(requestId, live, monotonicMs);
      live.core.release(requestId);
      live.write();
      return OUT_OF_TOUCH;
    });
  }

  /**
   * Caches the terms of these accounts, so that they are served even if the database fails before their first request.
   */
  learn(accounts: readonly string[]): Promise<void> {
    return this.#terms.learn(accounts);
  }

  /** The account's terms may have changed. */
  changed(account: string): void {
    this.#terms.changed(account);
  }

  /** On a PostgreSQL notification: leases of this account are recalled, or its budgets have changed. */
  recalled(account: string): void {
    this.changed(account);
    this.#live?.core.recalled(account, this.#ports.monotonicMs());
    this.#live?.write();
  }

  /**
   * Releases all leases and waits until the ledger database has everything; false if that took longer than `withinMs`.
   */
  async close(withinMs: number): Promise<boolean> {
    this.#closing = true;
    for (const stop of this.#stopRounds) stop();
    const live = this.#live;
    this.#live = undefined;
    const epochs = live === undefined ? [...this.#fenced] : [live, ...this.#fenced];
    this.#fenced.clear();
    live?.core.closeLeases(this.#ports.monotonicMs());
    const flushed = await Promise.all(epochs.map((epoch) => epoch.close(withinMs)));
    if (live !== undefined && flushed[0] === true) await this.#end(live.core.epoch).catch(this.#ports.onTrouble);
    return flushed.every(Boolean);
  }

  #admit(live: LiveEpoch, ask: Ask, quote: Quote, terms: Terms): Fault | undefined | Promise<Fault | undefined> {
    const nowMs = this.#ports.monotonicMs();
    if (ask.scopes.length === 0 && isFree(terms)) {
      live.core.admitFreely(ask, nowMs);
      return undefined;
    }
    if (quote.unpriced.length > 0) return unpricedOf(quote.unpriced);
    const admission = live.core.admit(ask, nowMs);
    if (admission.by === 'none') return OUT_OF_TOUCH;
    if (admission.by === 'later') return backlogged(++this.backlogRefusals);
    if (admission.by === 'database') return this.#strict(live, admission.command);
    this.leaseAdmissions++;
    return undefined;
  }

  async #strict({ core }: LiveEpoch, command: TakeHold): Promise<Fault | undefined> {
    const { monotonicMs, onTrouble } = this.#ports;
    const untilMs = monotonicMs() + RECALL_PATIENCE_MS;
    for (;;) {
      let result: Result;
      try {
        result = await this.#asks.ask(command);
        if (result.is === 'unknown-account') {
          await this.#ports.database.openAccount(command.account);
          result = await this.#asks.ask(command);
        }
      } catch (error) {
        onTrouble(error);
        core.abandon(command.request);
        return OUT_OF_TOUCH;
      }
      const verdict: Verdict = core.answered(command.request, result, monotonicMs());
      if (verdict === 'go') {
        this.strictAdmissions++;
        return undefined;
      }
      if (verdict === 'recall' && monotonicMs() < untilMs) {
        await pause(RECALL_POLL_MS);
        continue;
      }
      const instead = result.is === 'refused' ? result.instead : undefined;
      // A release would close the hold that is taken next.
      if (result.is === 'refused' && instead !== undefined)
        core.answered(command.request, { ...result, recallable: 0n }, monotonicMs());
      else core.abandon(command.request);
      if (verdict === 'fenced') return OUT_OF_TOUCH;
      if (result.is !== 'refused') return OVER_BUDGET;
      if (result.scope !== '') this.onBudgetRefusal(command.account, result.scope);
      return overBudgetOf(result.scope, instead);
    }
  }

  async #enrol(): Promise<void> {
    const { database, node, nextId, monotonicMs, journalFolder, onTrouble, sizing = USUAL_SIZING } = this.#ports;
    const epoch = `${node}.${nextId()}`;
    for (;;) {
      const sentAtMs = monotonicMs();
      try {
        await this.#watch.start();
        await database.apply([{ do: 'register', node, epoch }]);
        await this.#replay();
        const count = this.#watch.next(epoch);
        const [beaten] = await database.apply([{ do: 'beat', epoch, count }]);
        if (beaten?.is !== 'alive') throw new Error(`the ledger database does not know ${epoch}`);
        this.#watch.confirmed(epoch, count, 0);
        const core = new NodeLedgerCore(epoch, nextId, sizing);
        core.beaten(sentAtMs, beaten, monotonicMs());
        this.#ownEpochs.add(epoch);
        this.#live = new LiveEpoch(core, new Journal(journalFolder, epoch, onTrouble), {
          database,
          monotonicMs,
          onTrouble,
        });
        this.#epochs.unshift(this.#live);
        return;
      } catch (error) {
        onTrouble(error);
        if (this.#closing) return;
        await pause(REGISTER_AGAIN_MS);
      }
    }
  }

  /** Posts what dead processes of this machine still owed the ledger database. */
  #replay(): Promise<void> {
    const { isOver } = this.#ports;
    return this.#left.post(
      (each) => !this.#ownEpochs.has(each) && isOver(each),
      (epoch) => this.#end(epoch),
    );
  }

  /**
   * A promoted standby may lack the last transactions of its primary, and a database set back to an earlier copy lacks
   * all since: everything our journals still hold is posted again. True if the database was set back.
   */
  async #followDatabase(live: LiveEpoch): Promise<boolean> {
    const { node, journalFolder, monotonicMs, onTrouble } = this.#ports;
    const change = await this.#watch.change();
    if (change === undefined) return false;
    onTrouble(change);
    if (change instanceof DatabaseSetBackError) this.onSetBack(node, change.message);
    // The last grants may be lost as well: no lease is trusted until the next heartbeat is accepted.
    live.core.closeLeases(monotonicMs());
    live.write();
    const running = [live, ...this.#fenced].flatMap(({ core }) => core.runningRecords());
    const used = new Set(running.map((record) => (record.at === 'admit' ? record.lease : '')));
    for (const paths of journalsIn(journalFolder, (each) => this.#ownEpochs.has(each)).values())
      await this.#left.postAll(repost(recordsIn(paths), used));
    this.#watch.followed(change);
    return change instanceof DatabaseSetBackError;
  }

  async #end(epoch: string): Promise<void> {
    const [result] = await this.#ports.database.apply([{ do: 'end', epoch }]);
    await this.#reapAccount(result);
  }

  async #beat(): Promise<void> {
    const live = this.#live;
    if (live === undefined || this.#isFollowing) return;
    const { database, monotonicMs } = this.#ports;
    this.#isFollowing = true;
    const isSetBack = await this.#followDatabase(live).finally(() => {
      this.#isFollowing = false;
    });
    // Leases that the copy still has, and that this node returned long ago, end with their epoch.
    if (isSetBack) return this.#startAnew(live);
    const sentAtMs = monotonicMs();
    const { epoch } = live.core;
    const { posted: postings } = live.core.journalled;
    const count = this.#watch.next(epoch);
    const [result] = await database.apply([{ do: 'beat', epoch, count }]);
    if (result === undefined || this.#live !== live) return;
    if (result.is === 'alive') this.#watch.confirmed(epoch, count, postings);
    live.core.beaten(sentAtMs, result, monotonicMs());
    live.core.tidy(monotonicMs());
    live.write();
    if (result.is === 'fenced') await this.#startAnew(live);
  }

  /** Running requests go on under the old epoch, new ones need a new epoch. */
  async #startAnew(live: LiveEpoch): Promise<void> {
    if (this.#live !== live) return;
    this.#live = undefined;
    this.#fenced.add(live);
    await this.#enrol();
  }

  async #reap(): Promise<void> {
    // A process of this machine may have died without being restarted.
    await this.#replay();
    const [result] = await this.#ports.database.apply([{ do: 'reap' }]);
    await this.#reapAccount(result);
    for (const fenced of this.#fenced)
      if (fenced.isIdle) {
        this.#fenced.delete(fenced);
        await fenced.close(0);
        this.#epochs.splice(this.#epochs.indexOf(fenced), 1);
        this.#ownEpochs.delete(fenced.core.epoch);
      }
  }

  /** One account at a time, so that no transaction locks many. */
  async #reapAccount(result: Result | undefined): Promise<void> {
    if (result?.is !== 'to-bury') return;
    const { database, onTrouble } = this.#ports;
    for (const account of result.accounts)
      await applyInParts(database, [{ do: 'bury', account }], async (_, error) => onTrouble(error));
  }
}
