/**
 * Notices what alerts are raised for, in this process and in the database. Raising is idempotent there: whatever several
 * workers and nodes notice at once becomes one alert. What cannot be written now is kept, within a bound, for the next round.
 */
import type { HealthChange } from '../health/route-health.ts';
import { BoundedMap } from '../kernel/bounded-map.ts';
import type { RequestRecord } from '../kernel/record.ts';
import {
  type Alert,
  alertsOf,
  anomalyAlert,
  auditAlert,
  type BudgetUse,
  budgetAlert,
  type ExpiringKey,
  expiryAlert,
  expiryNotice,
  isOutage,
  keyOf,
  providerAlert,
  reachedPercent,
  type SpendHour,
} from './alert.ts';

export type AlertSettings = {
  readonly enabled: boolean;
  readonly checkEveryMs: number;
  readonly budgetPercents: readonly number[];
  readonly keyExpiryDays: readonly number[];
  readonly spendAnomaly: { readonly factor: number; readonly minUsd: number };
  readonly keepDays: number;
};

export interface AlertRows {
  /** True where it is new; then its messages are written with it. `provider.back` resolves, and is new only after an outage. */
  raise(alert: Alert): Promise<boolean>;
  /** True for one process of all, once in the interval. */
  claimRound(everyMs: number): Promise<boolean>;
  budgetsFrom(percent: number): Promise<readonly BudgetUse[]>;
  /** The budget of this scope with the least left. */
  tightestBudget(accountId: string, scope: string): Promise<BudgetUse | undefined>;
  anomalies(factor: number, minNano: bigint): Promise<readonly SpendHour[]>;
  keysExpiring(withinDays: number): Promise<readonly ExpiringKey[]>;
  /** Outages nothing was heard of for a while are over; alerts older than this are forgotten. */
  tidy(keepDays: number): Promise<void>;
}

export type AlertWatchPorts = {
  readonly rows: AlertRows;
  /** Keys of the configuration that expire. */
  readonly fileKeys: () => readonly ExpiringKey[];
  readonly nowMs: () => number;
  readonly onTrouble: (error: unknown) => void;
};

const MAX_WAITING = 1000;
const MAX_REMEMBERED = 10_000;
const NANO_PER_USD = 1e9;
const FULL_PERCENT = 100;
/** With less left than this, a budget that refuses a request is used up. */
const NEARLY_ALL_PERCENT = 90;

export class AlertWatch {
  readonly #settings: () => AlertSettings;
  readonly #ports: AlertWatchPorts;
  readonly #waiting = new Map<string, Alert>();
  readonly #refused = new Map<string, readonly [accountId: string, scope: string]>();
  /** Raised or being raised by this process, so that the hundredth request of a day asks the database no more. */
  readonly #noticed = new BoundedMap<string, true>(MAX_REMEMBERED);
  readonly #outRoutes = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isStopped = false;

  constructor(settings: () => AlertSettings, ports: AlertWatchPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  start(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(
      () => void this.round().finally(() => this.start()),
      this.#settings().checkEveryMs,
    ).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
    if (this.#waiting.size > 0) await this.#raiseWaiting().catch(this.#ports.onTrouble);
  }

  readonly record = (record: RequestRecord): void => {
    for (const alert of alertsOf(record)) this.#notice(alert);
  };

  readonly health = (change: HealthChange): void => {
    const provider = change.routeKey.slice(0, change.routeKey.indexOf(' '));
    const routes = this.#outRoutes.get(provider) ?? new Set();
    this.#outRoutes.set(provider, routes);
    const alert = providerAlert(change, this.#ports.nowMs());
    if (isOutage(change)) {
      routes.add(change.routeKey);
      this.#wait(alert);
    } else if (change.now === 'back' && routes.delete(change.routeKey) && routes.size === 0) this.#wait(alert);
    if (routes.size === 0) this.#outRoutes.delete(provider);
  };

  readonly violation = (account: string, invariant: string, says: string): void =>
    this.#notice(auditAlert(account, invariant, says, this.#ports.nowMs()));

  /** A request did not fit the budget of this scope any more: it is used up, although a rest may be left of it. */
  readonly budgetRefused = (accountId: string, scope: string): void => {
    if (this.#refused.size < MAX_WAITING) this.#refused.set(`${accountId} ${scope}`, [accountId, scope]);
  };

  /** Raises what waits, and looks through the database if no other process has lately. */
  round(): Promise<void> {
    this.#round ??= this.#work()
      .catch(this.#ports.onTrouble)
      .finally(() => {
        this.#round = undefined;
      });
    return this.#round;
  }

  #notice(alert: Alert): void {
    const key = keyOf(alert);
    if (this.#noticed.get(key) === true) return;
    this.#noticed.set(key, true);
    this.#wait(alert);
  }

  #wait(alert: Alert): void {
    if (!this.#settings().enabled || this.#waiting.size >= MAX_WAITING) return;
    const key = keyOf(alert);
    // Out and back keep their order.
    this.#waiting.delete(key);
    this.#waiting.set(key, alert);
  }

  async #work(): Promise<void> {
    const { enabled, checkEveryMs } = this.#settings();
    if (!enabled) return;
    await this.#raiseWaiting();
    await this.#raiseRefused();
    if (await this.#ports.rows.claimRound(checkEveryMs)) await this.#check();
  }

  async #raiseWaiting(): Promise<void> {
    for (const [key, alert] of this.#waiting) {
      await this.#ports.rows.raise(alert);
      this.#waiting.delete(key);
    }
  }

  async #raiseRefused(): Promise<void> {
    const { budgetPercents } = this.#settings();
    const nearlyAll = Math.max(...budgetPercents.filter((percent) => percent < FULL_PERCENT), NEARLY_ALL_PERCENT);
    for (const [key, [accountId, scope]] of this.#refused) {
      const use = budgetPercents.includes(FULL_PERCENT)
        ? await this.#ports.rows.tightestBudget(accountId, scope)
        : undefined;
      // A large request does not fit a budget that others still do.
      if (use !== undefined && reachedPercent(use, [nearlyAll]) !== undefined)
        await this.#raiseOnce(budgetAlert(use, FULL_PERCENT));
      this.#refused.delete(key);
    }
  }

  async #check(): Promise<void> {
    const { rows, fileKeys, nowMs } = this.#ports;
    const { budgetPercents, keyExpiryDays, spendAnomaly, keepDays } = this.#settings();
    if (budgetPercents.length > 0)
      for (const use of await rows.budgetsFrom(Math.min(...budgetPercents))) {
        const percent = reachedPercent(use, budgetPercents);
        if (percent !== undefined) await this.#raiseOnce(budgetAlert(use, percent));
      }
    const minNano = BigInt(Math.round(spendAnomaly.minUsd * NANO_PER_USD));
    for (const hour of await rows.anomalies(spendAnomaly.factor, minNano)) await this.#raiseOnce(anomalyAlert(hour));
    if (keyExpiryDays.length > 0)
      for (const key of [...(await rows.keysExpiring(Math.max(...keyExpiryDays))), ...fileKeys()]) {
        const days = expiryNotice(key.expiresAt, keyExpiryDays, nowMs());
        if (days !== undefined) await this.#raiseOnce(expiryAlert(key, days));
      }
    await rows.tidy(keepDays);
  }

  /** What this process has raised before is not written again with every round. */
  async #raiseOnce(alert: Alert): Promise<void> {
    const key = keyOf(alert);
    if (this.#noticed.get(key) === true) return;
    await this.#ports.rows.raise(alert);
    this.#noticed.set(key, true);
  }
}
