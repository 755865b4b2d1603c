/** The copy of records in ClickHouse with all its dependencies; part of the composition root. */

import type { Config } from '../config/config.ts';
import { ClickHouse } from '../control/usage/clickhouse/clickhouse.ts';
import { RecordSink } from '../control/usage/clickhouse/record-sink.ts';
import { StoredSinkRows } from '../control/usage/sink-rows.ts';
import { systemClock } from '../kernel/clock.ts';
import type { SpendQuestion } from '../money/usage/spend-question.ts';
import type { SpendSum } from '../money/usage/spend-sum.ts';
import { becomeSoleUser, RECORD_SINK_LOCK } from '../store/postgres/sole-user.ts';
import type { Store } from '../store/postgres/store.ts';
import type { Log } from '../telemetry/log.ts';
import { operatorAgent } from '../upstream/dialling-agent.ts';

const DAY_MS = 86_400_000;
/** One inserts; the others query. */
const CONNECTIONS = 8;
/** So that an unreachable server is logged now and then, and not for every attempt. */
const WARN_EVERY_MS = 60_000;

export class OpenAnalytics {
  readonly sink: RecordSink;
  readonly #clickhouse: ClickHouse;
  readonly #rows: StoredSinkRows;
  readonly #config: NonNullable<Config['clickhouse']>;
  readonly #log: Log;
  #warnedAtMs = Number.NEGATIVE_INFINITY;

  private constructor(
    clickhouse: ClickHouse,
    config: NonNullable<Config['clickhouse']>,
    store: Store,
    directUrl: string,
    log: Log,
  ) {
    this.#clickhouse = clickhouse;
    this.#config = config;
    this.#log = log;
    this.#rows = new StoredSinkRows(store, systemClock.nowMs);
    this.sink = new RecordSink(config, {
      rows: this.#rows,
      destination: clickhouse,
      lease: () => becomeSoleUser(directUrl, RECORD_SINK_LOCK),
      onTrouble: (error) => this.#warn('records not copied to ClickHouse; they wait in PostgreSQL', error),
    });
  }

  static async open(
    { clickhouse, database, upstream }: Config,
    store: Store,
    log: Log,
  ): Promise<OpenAnalytics | undefined> {
    if (clickhouse === undefined || database === undefined) return undefined;
    const dialling = { connectMs: database.connectMs, ca: upstream.ca };
    const agent = operatorAgent(new URL(clickhouse.url), dialling, CONNECTIONS);
    const analytics = new OpenAnalytics(
      await ClickHouse.open(clickhouse, agent),
      clickhouse,
      store,
      database.directUrl,
      log,
    );
    analytics.sink.start();
    return analytics;
  }

  /**
   * Undefined if PostgreSQL is to be queried: by the settings, for what is not copied, and while ClickHouse does not
   * answer.
   */
  async sums(question: SpendQuestion, limit: number): Promise<readonly SpendSum[] | undefined> {
    if (this.#config.reports !== 'clickhouse') return undefined;
    const coveredFromMs = await this.#rows.coveredFromMs();
    const keptFromMs = systemClock.nowMs() - (this.#config.days - 1) * DAY_MS;
    if (coveredFromMs === undefined || question.fromMs < Math.max(coveredFromMs, keptFromMs)) return undefined;
    try {
      return await this.#clickhouse.sums(question, limit);
    } catch (error) {
      this.#warn('ClickHouse does not answer; the report is read from PostgreSQL', error);
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.sink.stop();
    await this.#clickhouse.close();
  }

  #warn(message: string, error: unknown): void {
    const nowMs = systemClock.nowMs();
    if (nowMs - this.#warnedAtMs < WARN_EVERY_MS) return;
    this.#warnedAtMs = nowMs;
    this.#log.warn(message, { problem: String(error) });
  }
}
