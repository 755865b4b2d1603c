/**
 * Detects the conditions for alerts, in this process and in the database. Raising is idempotent: what several workers
 * and nodes detect at once becomes one alert. Alerts that cannot be stored now are kept, within a limit, for the next
 * round.
 */

import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { HealthChange } from '../../kernel/health.ts';
import type { RequestRecord } from '../../kernel/record.ts';
import { Rounds } from '../../kernel/rounds.ts';
import type { FoundDrift } from '../../models/shapes/drift-watch.ts';
import {
  type Alert,
  alertsOf,
  anomalyAlert,
  auditAlert,
  type BudgetUse,
  budgetAlert,
  type CreditRunway,
  creditAlert,
  driftAlert,
  type ExpiringKey,
  errorsAlert,
  expiryAlert,
  expiryNotice,
  hasHighErrors,
  isOutage,
  isSlow,
  keyOf,
  lastsDays,
  latencyAlert,
  type ProviderErrors,
  type ProviderHour,
  providerAlert,
  reachedPercent,
  type SlowFirstToken,
  type SpendHour,
  type StaleCredential,
  setBackAlert,
  staleAlert,
} from './alert.ts';

export type AlertSettings = {
  readonly enabled: boolean;
  readonly checkEveryMs: number;
  readonly budgetPercents: readonly number[];
  readonly keyExpiryDays: readonly number[];
  readonly spendAnomaly: { readonly factor: number; readonly minUsd: number };
  readonly keepDays: number;
  /** Of what is raised only where operators have set it. */
  readonly creditDays?: number;
  readonly providerErrors?: ProviderErrors;
  readonly slowFirstToken?: SlowFirstToken;
  /** Kinds that the database switches off, and those it has rules for. */
  readonly disabled?: readonly string[];
  readonly stored?: readonly string[];
};

export interface AlertRows {
  /**
   * True if the alert is new; then its messages are stored with it. `provider.back` resolves an outage, and is new only
   * after one.
   */
  raise(alert: Alert): Promise<boolean>;
  /** True for one process of all, once per interval. */
  claimRound(everyMs: number): Promise<boolean>;
  budgetsFrom(percent: number): Promise<readonly BudgetUse[]>;
  /** The budget of this scope with the least left. */
  tightestBudget(accountId: string, scope: string): Promise<BudgetUse | undefined>;
  anomalies(factor: number, minNano: bigint): Promise<readonly SpendHour[]>;
  /** The current and the previous hour. */
  providerHours(): Promise<readonly ProviderHour[]>;
  /** Of accounts that spent in the last week, and whose credit is limited. */
  creditRunways(): Promise<readonly CreditRunway[]>;
  keysExpiring(withinDays: number): Promise<readonly ExpiringKey[]>;
  /** Closes outages without a recent failure; deletes alerts older than this. */
  tidy(keepDays: number): Promise<void>;
}

export type AlertWatchPorts = {
  readonly rows: AlertRows;
  /** Configured keys that expire. */
  readonly fileKeys: () => readonly ExpiringKey[];
  /** Of this process. */
  readonly staleCredentials?: () => readonly StaleCredential[];
  /** In answers of hosts that this process has compared. */
  readonly drifts?: () => readonly FoundDrift[];
  readonly nowMs: () => number;
  readonly onTrouble: (error: unknown) => void;
};

const MAX_WAITING = 1000;
const MAX_REMEMBERED = 10_000;
const NANO_PER_USD = 1e9;
const SUMS_EVERY_MS = 60_000;
const FULL_PERCENT = 100;
/** From this share on (or the highest configured one below 100), a budget that refuses a request counts as used up. */
const NEARLY_ALL_PERCENT = 90;

/** No budget gets there: without thresholds in the settings, only those of templates count. */
const NEVER_PERCENT = 1_000_000;

/** A template's own thresholds go before those of the settings; its end is reported as that of any budget. */
const percentsOf = ({ softPercents = [] }: BudgetUse, set: readonly number[]): readonly number[] =>
  softPercents.length === 0 ? set : [...softPercents, ...set.filter((percent) => percent === FULL_PERCENT)];

export class AlertWatch {
  readonly #settings: () => AlertSettings;
  readonly #ports: AlertWatchPorts;
  readonly #waiting = new Map<string, Alert>();
  readonly #refused = new Map<string, readonly [accountId: string, scope: string]>();
  /** Alerts that this process has raised or queued, so that the same condition does not query the database again. */
  readonly #noticed = new BoundedMap<string, true>(MAX_REMEMBERED);
  readonly #outRoutes = new Map<string, Set<string>>();
  readonly #rounds: Rounds;
  #sumsReadMs = Number.NEGATIVE_INFINITY;

  constructor(settings: () => AlertSettings, ports: AlertWatchPorts) {
    this.#settings = settings;
    this.#ports = ports;
    const { onTrouble } = ports;
    this.#rounds = new Rounds({ run: () => this.#work(), pauseMs: () => settings().checkEveryMs, onTrouble });
  }

  start(): void {
    this.#rounds.start();
  }

  async stop(): Promise<void> {
    await this.#rounds.stop();
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

  readonly setBack = (node: string, says: string): void =>
    void this.#wait(setBackAlert(node, says, this.#ports.nowMs()));

  /** A request did not fit the budget of this scope: it counts as used up, although a small rest may be left. */
  readonly budgetRefused = (accountId: string, scope: string): void => {
    if (this.#refused.size < MAX_WAITING) this.#refused.set(`${accountId} ${scope}`, [accountId, scope]);
  };

  /** Raises waiting alerts, and checks the database unless another process has done so recently. */
  round(): Promise<void> {
    return this.#rounds.now();
  }

  #notice(alert: Alert): void {
    const key = keyOf(alert);
    if (this.#noticed.get(key) !== true && this.#wait(alert)) this.#noticed.set(key, true);
  }

  /** False if alerts are off or too many wait: the condition raises it again later. */
  #wait(alert: Alert): boolean {
    if (!this.isRaised(alert) || this.#waiting.size >= MAX_WAITING) return false;
    const key = keyOf(alert);
    // Re-inserted at the end, so that outage and recovery keep their order.
    this.#waiting.delete(key);
    this.#waiting.set(key, alert);
    return true;
  }

  /** Whether alerts of this kind are on. */
  isRaised({ kind }: Pick<Alert, 'kind'>): boolean {
    const { enabled, disabled = [] } = this.#settings();
    return enabled && !disabled.includes(kind);
  }

  async #work(): Promise<void> {
    const { enabled, checkEveryMs } = this.#settings();
    if (!enabled) return;
    await this.#raiseWaiting();
    await this.#raiseRefused();
    const { rows, staleCredentials, drifts, nowMs } = this.#ports;
    for (const stale of staleCredentials?.() ?? []) await this.#raiseOnce(staleAlert(stale, nowMs()));
    for (const drift of drifts?.() ?? []) await this.#raiseOnce(driftAlert(drift));
    if (await rows.claimRound(checkEveryMs)) await this.#check();
  }

  async #raiseWaiting(): Promise<void> {
    for (const [key, alert] of this.#waiting) {
      await this.#ports.rows.raise(alert);
      // The same condition may have come up again meanwhile, after the one that ends it.
      if (this.#waiting.get(key) === alert) this.#waiting.delete(key);
    }
  }

  async #raiseRefused(): Promise<void> {
    const { budgetPercents } = this.#settings();
    const nearlyAll = Math.max(...budgetPercents.filter((percent) => percent < FULL_PERCENT), NEARLY_ALL_PERCENT);
    for (const [key, [accountId, scope]] of this.#refused) {
      const use = budgetPercents.includes(FULL_PERCENT)
        ? await this.#ports.rows.tightestBudget(accountId, scope)
        : undefined;
      // A large request may not fit a budget that still has room for others.
      if (use !== undefined && reachedPercent(use, [nearlyAll]) !== undefined)
        await this.#raiseOnce(budgetAlert(use, FULL_PERCENT));
      this.#refused.delete(key);
    }
  }

  async #check(): Promise<void> {
    const { rows, fileKeys, nowMs } = this.#ports;
    const { budgetPercents, keyExpiryDays, spendAnomaly, keepDays } = this.#settings();
    for (const use of await rows.budgetsFrom(Math.min(...budgetPercents, NEVER_PERCENT))) {
      const percent = reachedPercent(use, percentsOf(use, budgetPercents));
      if (percent !== undefined) await this.#raiseOnce(budgetAlert(use, percent));
    }
    const minNano = BigInt(Math.round(spendAnomaly.minUsd * NANO_PER_USD));
    for (const hour of await rows.anomalies(spendAnomaly.factor, minNano)) await this.#raiseOnce(anomalyAlert(hour));
    if (keyExpiryDays.length > 0)
      for (const key of [...(await rows.keysExpiring(Math.max(...keyExpiryDays))), ...fileKeys()]) {
        const days = expiryNotice(key.expiresAt, keyExpiryDays, nowMs());
        if (days !== undefined) await this.#raiseOnce(expiryAlert(key, days));
      }
    await this.#checkWhatIsSet();
    await rows.tidy(keepDays);
  }

  /** From sums of usage, which take longer to read: now and then. */
  async #checkWhatIsSet(): Promise<void> {
    const { rows, nowMs } = this.#ports;
    const { creditDays, providerErrors, slowFirstToken } = this.#settings();
    const isDue = nowMs() - this.#sumsReadMs >= SUMS_EVERY_MS;
    if (!isDue || (creditDays ?? providerErrors ?? slowFirstToken) === undefined) return;
    this.#sumsReadMs = nowMs();
    if (creditDays !== undefined)
      for (const runway of await rows.creditRunways())
        if (lastsDays(runway) < creditDays) await this.#raiseOnce(creditAlert(runway, nowMs()));
    if (providerErrors === undefined && slowFirstToken === undefined) return;
    for (const hour of await rows.providerHours()) {
      if (providerErrors !== undefined && hasHighErrors(hour, providerErrors)) await this.#raiseOnce(errorsAlert(hour));
      if (slowFirstToken !== undefined && isSlow(hour, slowFirstToken)) await this.#raiseOnce(latencyAlert(hour));
    }
  }

  /** Skips alerts that this process has raised before. */
  async #raiseOnce(alert: Alert): Promise<void> {
    const key = keyOf(alert);
    if (this.#noticed.get(key) === true || !this.isRaised(alert)) return;
    await this.#ports.rows.raise(alert);
    this.#noticed.set(key, true);
  }
}
