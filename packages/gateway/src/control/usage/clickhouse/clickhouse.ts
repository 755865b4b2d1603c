/** ClickHouse through its official client, which is loaded when this is opened. */
import { randomUUID } from 'node:crypto';
import type { Agent } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import type { SpendQuestion } from '../../../money/usage/spend-question.ts';
import type { SpendSum } from '../../../money/usage/spend-sum.ts';
import { MARK_TABLE, READ_MARK, REQUESTS_TABLE, schemaStatements } from './clickhouse-schema.ts';
import { sumOf, sumsQuery } from './clickhouse-sums.ts';
import type { SinkDestination } from './ports.ts';

export type ClickHouseSettings = {
  /** May contain a user and a password. Never log it. */
  readonly url: string;
  readonly database: string;
  readonly days: number;
  readonly timeoutMs: number;
};

/** A batch is sent in chunks of about this many characters. */
const PIECE = 65_536;

function* piecesOf(lines: readonly string[]): Generator<string> {
  let piece = '';
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

export class ClickHouse implements SinkDestination {
  readonly #client: ClickHouseClient;
  readonly #settings: ClickHouseSettings;

  private constructor(client: ClickHouseClient, settings: ClickHouseSettings) {
    this.#client = client;
    this.#settings = settings;
  }

  static async open(settings: ClickHouseSettings, agent: Agent): Promise<ClickHouse> {
    const { createClient, ClickHouseLogLevel } = await import('@clickhouse/client');
    const { username, password, origin, pathname } = new URL(settings.url);
    const client = createClient({
      url: origin + pathname,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      database: settings.database,
      application: 'trivium',
      http_agent: agent,
      request_timeout: settings.timeoutMs,
      // Its own log lines would bypass our log, and so its redaction.
      log: { level: ClickHouseLogLevel.OFF },
    });
    return new ClickHouse(client, settings);
  }

  async prepare(): Promise<string> {
    for (const query of schemaStatements(this.#settings.days)) await this.#client.command({ query });
    const found = await this.#mark();
    if (found !== undefined) return found;
    await this.#client.insert({ table: MARK_TABLE, values: [{ id: randomUUID() }], format: 'JSONEachRow' });
    const made = await this.#mark();
    if (made === undefined) throw new Error(`${MARK_TABLE} is empty after a row was inserted`);
    return made;
  }

  async insert(lines: readonly string[]): Promise<void> {
    // Lines as they are: the client's `insert` takes objects, and would serialize them again.
    const { stream } = await this.#client.exec({
      query: `insert into ${REQUESTS_TABLE} format JSONEachRow`,
      values: Readable.from(piecesOf(lines), { objectMode: false }),
      // A field that the table lacks is an error, not a silent loss; the answer comes once the rows are stored.
      clickhouse_settings: { input_format_skip_unknown_fields: 0, async_insert: 0, wait_end_of_query: 1 },
    });
    await finished(stream.resume());
  }

  async sums(question: SpendQuestion, limit: number): Promise<readonly SpendSum[]> {
    const { query, parameters } = sumsQuery(question, limit);
    const answer = await this.#client.query({
      query,
      query_params: { ...parameters },
      format: 'JSONEachRow',
      clickhouse_settings: {
        output_format_json_quote_64bit_integers: 1,
        // Otherwise a failure after the first rows would look like a complete answer.
        wait_end_of_query: 1,
        // All versions of a row are in one partition.
        do_not_merge_across_partitions_select_final: 1,
      },
    });
    return (await answer.json<Record<string, unknown>>()).map(sumOf);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #mark(): Promise<string | undefined> {
    const answer = await this.#client.query({ query: READ_MARK, format: 'JSONEachRow' });
    const [row] = await answer.json<{ id: string }>();
    return row?.id;
  }
}
