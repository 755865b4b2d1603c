// `trivium serve --workers N`: holds the addresses, keeps N workers serving them, and replaces them on SIGHUP.

import { randomBytes } from 'node:crypto';
import { type Config, describeConfigProblem, type Log } from '@trivium/gateway';
import { readConfig } from '../read-config.ts';
import { stopOnSignals } from '../shutdown.ts';
import type { Terminal } from '../terminal.ts';
import { type ClusterWorker, prepareCluster, startClusterWorker } from './cluster-worker.ts';
import { Fleet } from './fleet.ts';
import { FleetFigures } from './fleet-figures.ts';
import { FleetLeases } from './leases.ts';
import { LOOK_EVERY_MS, Watchdog } from './watchdog.ts';

export interface SuperviseOptions {
  readonly size: number;
  readonly file: string | undefined;
  readonly config: Config;
  readonly log: Log;
  readonly terminal: Terminal;
}

/** What a worker may take beyond its drain time, for the last words of streams and its own last lines. */
const END_MARGIN_MS = 5000;
const SEAL_KEY_BYTES = 32;

export async function supervise({ size, file, config, log, terminal }: SuperviseOptions): Promise<void> {
  let current = config;
  const stopping = new AbortController();
  const fleet = openFleet(size, log, terminal, () => current, stopping.signal);
  // However we end: workers that lost their supervisor would go on for the length of a drain.
  process.once('exit', () => fleet.killAll());
  // Before the first worker is started: a signal nobody listens to would end us.
  terminal.onSignal('SIGHUP', () => {
    const outcome = readConfig(file, terminal);
    if ('problems' in outcome) {
      for (const problem of outcome.problems)
        log.error('rolling restart failed', { problem: describeConfigProblem(problem) });
      return;
    }
    current = outcome.config;
    void fleet.replaceAll();
  });
  const stopped = stopOnSignals(terminal, async (signal) => {
    log.info('stopping', { signal });
    stopping.abort();
    await fleet.stop({ handover: false, noticeMs: signal === 'SIGTERM' ? current.timeouts.drainNoticeMs : 0 });
    log.flush();
  });
  if (await fleet.start()) log.info('all workers ready');
  else if (!stopping.signal.aborted) {
    terminal.error('trivium: worker failed to start');
    terminal.setExitCode(1);
    return;
  }
  await stopped;
}

function openFleet(
  size: number,
  log: Log,
  terminal: Terminal,
  config: () => Config,
  stopping: AbortSignal,
): Fleet<ClusterWorker> {
  prepareCluster();
  const figures = new FleetFigures();
  const slices = new FleetLeases();
  const tellFigures = async (asker: ClusterWorker): Promise<void> =>
    asker.tell({
      kind: 'all-figures',
      text: await figures.render(fleet.workers, fleet.census, watchdog.suspended),
    });
  const watchdog = openWatchdog(log, config, (worker, isFrozen) => fleet.replaceFrozen(worker, isFrozen));
  // Workers that made keys of their own could not read each other's envelopes.
  const env = {
    TRIVIUM_SEAL_KEY: terminal.env['TRIVIUM_SEAL_KEY'] ?? randomBytes(SEAL_KEY_BYTES).toString('base64url'),
  };
  const fleet = new Fleet<ClusterWorker>(size, {
    start: () => {
      const worker = startClusterWorker(env, {
        onMessage: (from, message) => {
          if (message.kind === 'wants-replacement') void fleet.replace(from);
          else if (message.kind === 'alive') watchdog.heard(from, message);
          else if (message.kind === 'all-figures-wanted') void tellFigures(from);
          else if (message.kind === 'slices-wanted') slices.answer(from, message);
        },
        writeLog: terminal.writeLog ?? ((lines) => void process.stdout.write(lines)),
        writeError: (lines) => terminal.error(lines.trimEnd()),
      });
      figures.follow(worker);
      void worker.ready.then((isReady) => isReady && watchdog.follow(worker));
      void worker.ended.then(() => watchdog.forget(worker));
      return worker;
    },
    log,
    pause: (ms) => pauseUnless(stopping, ms),
    nowMs: () => performance.now(),
    drainLimitMs: () => config().timeouts.drainMs + END_MARGIN_MS,
  });
  return fleet;
}

function openWatchdog(
  log: Log,
  config: () => Config,
  replace: (worker: ClusterWorker, isFrozen: () => boolean) => Promise<void>,
): Watchdog<ClusterWorker> {
  const watchdog = new Watchdog<ClusterWorker>({
    settings: () => config().watchdog,
    log,
    giveUp: (worker) => void replace(worker, () => watchdog.isSilent(worker)),
  });
  let lookedAtMs = performance.now();
  setInterval(() => {
    const nowMs = performance.now();
    watchdog.look(nowMs - lookedAtMs);
    lookedAtMs = nowMs;
  }, LOOK_EVERY_MS).unref();
  return watchdog;
}

const pauseUnless = (signal: AbortSignal, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
