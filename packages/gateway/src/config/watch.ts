// Hot reload: notices a changed file, loads it, and passes it on only if it passed every check. An invalid file changes
// nothing but is reported. Never throws after it has started.

import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type ConfigOutcome, type LoadConfigOptions, type LoadedConfig, loadConfig } from './load.ts';
import type { ConfigProblem } from './reading/problem.ts';
import { type FileState, stampOf } from './reading/secrets.ts';

interface WatchTimers {
  /** Returns a function that cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

export interface WatchConfigOptions {
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** May refuse by throwing or rejecting; that is reported as a problem. */
  readonly onConfig: (loaded: LoadedConfig) => void | Promise<void>;
  /** The current configuration stays in place. */
  readonly onProblems: (problems: readonly ConfigProblem[]) => void;
  readonly timers?: WatchTimers;
  /** Files that secrets were read from, of the configuration in force. */
  readonly secretFiles?: readonly FileState[];
  readonly load?: (options: LoadConfigOptions) => ConfigOutcome | Promise<ConfigOutcome>;
}

export interface ConfigWatch {
  /** Loads at once, e.g. on SIGHUP. True if the file was valid and has been applied. */
  reload(): Promise<boolean>;
  close(): void;
}

/** Editors write in several steps; the last one counts. */
const WATCH_QUIET_MS = 200;

/** Files of secrets are in many folders, some of which report no changes: they are looked at. */
const LOOK_EVERY_MS = 5000;

/** Mounted config maps swap this link instead of touching the file. */
const CONFIG_MAP_LINK = '..data';

const REAL_TIMERS: WatchTimers = {
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const watchConfig = (options: WatchConfigOptions): ConfigWatch => {
  const file = resolve(options.file);
  const timers = options.timers ?? REAL_TIMERS;
  const load = options.load ?? loadConfig;
  let cancelPending: () => void = () => undefined;
  let watcher: FSWatcher | undefined;
  let isClosed = false;

  let { secretFiles = [] } = options;
  let stopLooking: () => void = () => undefined;

  const complain = (message: string): void => options.onProblems([{ place: file, path: '', message }]);

  const attempt = async (): Promise<ConfigOutcome> => {
    try {
      return await load({ file, env: options.env });
    } catch (error) {
      return { problems: [{ place: file, path: '', message: messageOf(error) }] };
    }
  };

  const reload = async (): Promise<boolean> => {
    cancelPending();
    if (isClosed) return false;
    const outcome = await attempt();
    if (isClosed) return false;
    if ('problems' in outcome) {
      options.onProblems(outcome.problems);
      return false;
    }
    secretFiles = outcome.secretFiles;
    try {
      await options.onConfig(outcome);
      return true;
    } catch (error) {
      complain(`could not be put in place: ${messageOf(error)}`);
      return false;
    }
  };

  const look = (): void => {
    stopLooking = timers.after(LOOK_EVERY_MS, () => {
      if (isClosed) return;
      const changed = secretFiles.map(({ path }) => ({ path, stamp: stampOf(path) }));
      const isChanged = changed.some(({ stamp }, at) => stamp !== secretFiles[at]?.stamp);
      // Once for each change: a file that cannot be used now is reported once.
      secretFiles = changed;
      if (isChanged) void reload();
      look();
    });
  };
  look();

  // Watches the directory, not the file: editors and config maps replace the file, and a watch on the old one gets no
  // more events.
  try {
    watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (isClosed || (name !== null && name !== basename(file) && name !== CONFIG_MAP_LINK)) return;
      cancelPending();
      cancelPending = timers.after(WATCH_QUIET_MS, () => void reload());
    });
    watcher.on('error', (error) => complain(`can no longer be watched: ${messageOf(error)}`));
  } catch (error) {
    complain(`cannot be watched: ${messageOf(error)}`);
  }

  return {
    reload,
    close: () => {
      isClosed = true;
      cancelPending();
      stopLooking();
      watcher?.close();
    },
  };
};
