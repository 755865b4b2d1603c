/** Stored responses with all their dependencies; part of the composition root. */
import type { Config } from '../config/config.ts';
import type { StoredCaptures } from '../control/wire/rows.ts';
import { every } from '../kernel/clock.ts';
import { Content } from '../media/responses/content.ts';
import { StoredRows } from '../media/responses/rows.ts';
import { StoredTurns } from '../media/responses/stored-turns.ts';
import type { Log } from '../telemetry/log.ts';
import type { Backing } from './backing.ts';

const HOUR_MS = 3_600_000;
const SWEEP_EVERY_MS = 60_000;
/** Characters of an answer may take several bytes. */
const BYTES_PER_CHARACTER = 4;

export class OpenResponses {
  readonly stored: StoredTurns;
  readonly #rows: StoredRows;
  readonly #stop: () => void;

  /** `keys`: the data keys of accounts, which captured content is encrypted with, too. */
  constructor(config: () => Config, { store }: Backing, keys: StoredCaptures, log: Log) {
    this.#rows = new StoredRows(store);
    this.stored = new StoredTurns({
      rows: this.#rows,
      content: new Content(keys),
      settings: () => {
        const { state, limits } = config();
        return {
          keepMs: (state.keepHours ?? 0) * HOUR_MS,
          accountBytes: state.accountBytes,
          maxHistoryCharacters: limits.bodyBytes,
          maxCharacters: limits.bodyBytes + BYTES_PER_CHARACTER * limits.answerBytes,
        };
      },
      onTrouble: (error) => log.warn('response not stored', { problem: String(error) }),
    });
    // What was stored expires, whatever the configuration says now.
    this.#stop = every(
      SWEEP_EVERY_MS,
      () => this.sweep(),
      (error) => log.warn('expired responses not deleted', { problem: String(error) }),
    );
  }

  async sweep(): Promise<void> {
    while ((await this.#rows.sweep()) > 0);
  }

  close(): void {
    this.#stop();
  }
}
