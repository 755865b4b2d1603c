// `trivium serve --workers N`: holds the addresses, keeps N workers serving them, and replaces them on SIGHUP.

import { randomBytes } from 'node:crypto';
import type { Log } from '@trivium/gateway/supervisor';
import { configFile } from '../config-option.ts';
import { openLog } from '../open-log.ts';
import { stopOnSignals } from '../shutdown.ts';
import type { Terminal } from '../terminal.ts';
import { type ClusterWorker, prepareCluster, startClusterWorker } from './cluster-worker.ts';
import { Fleet } from './fleet.ts';
import { FleetFigures, figuresOfSupervisor } from './fleet-figures.ts';
import { FleetLeases } from './leases.ts';
import { type ReloadedSettings, readSettings, type SupervisorSettings } from './settings.ts';
import { LOOK_EVERY_MS, Watchdog } from './watchdog.ts';

/** Time beyond the drain time for a worker to end its streams and write its last log lines. */
const END_MARGIN_MS = 5000;
const SEAL_KEY_BYTES = 32;

export async function supervise(size: number, named: string | undefined, terminal: Terminal): Promise<void> {
  const file = configFile(named, terminal.env);
  const read = await readSettings(file, terminal.env, 'start');
  if ('problems' in read) {
    for (const problem of read.problems) terminal.error(problem);
    terminal.setExitCode(1);
    return;
  }
  let current = read.settings;
  const log = openLog(current.level, terminal);
  for (const { place, path, message } of read.notices) log.warn('configuration', { place, path, problem: message });
  const stopping = new AbortController();
  const adopt = (settings: ReloadedSettings): void => {
    log.setLevel(settings.level);
    current = { ...current, ...settings };
  };
  const fleet = openFleet(size, log, terminal, { current: () => current, adopt }, stopping.signal);
  // On every exit path: workers without a supervisor would run on for the length of a drain.
  process.once('exit', () => fleet.killAll());
  // Before the first worker starts: SIGHUP without a listener ends the process.
  terminal.onSignal('SIGHUP', () => {
    void replaceAll(fleet, file, log, terminal, adopt);
  });
  const stopped = stopOnSignals(terminal, async (signal) => {
    log.info('stopping', { signal });
    stopping.abort();
    await fleet.stop({ handover: false, noticeMs: signal === 'SIGTERM' ? current.timeouts.drainNoticeMs : 0 });
    await log.close();
  });
  if (await fleet.start()) log.info('all workers ready');
  else if (!stopping.signal.aborted) {
    terminal.error('trivium: worker failed to start');
    terminal.setExitCode(1);
    return;
  }
  await stopped;
}

async function replaceAll(
  fleet: Fleet<ClusterWorker>,
  file: string,
  log: Log,
  terminal: Terminal,
  adopt: (settings: ReloadedSettings) => void,
): Promise<void> {
  const outcome = await readSettings(file, terminal.env).catch((error: Error) => ({ problems: [error.message] }));
  if ('problems' in outcome) {
    for (const problem of outcome.problems) log.error('rolling restart failed', { problem });
    return;
  }
  adopt(outcome.settings);
  void fleet.replaceAll();
}

/** The settings in force, and how a worker's reload changes them. */
type Settings = { readonly current: () => SupervisorSettings; adopt(settings: ReloadedSettings): void };

function openFleet(
  size: number,
  log: Log,
  terminal: Terminal,
  settings: Settings,
  stopping: AbortSignal,
): Fleet<ClusterWorker> {
  prepareCluster();
  const figures = new FleetFigures();
  const slices = new FleetLeases();
  const tellFigures = async (asker: ClusterWorker): Promise<void> =>
    asker.tell({
      kind: 'all-figures',
      ofWorkers: await figures.collect(fleet.workers),
      text: figuresOfSupervisor(fleet.census, watchdog.suspended),
    });
  const watchdog = openWatchdog(log, settings.current, (worker, isFrozen) => fleet.replaceFrozen(worker, isFrozen));
  // One key for all: workers with keys of their own could not open each other's envelopes.
  const env = {
    TRIVIUM_SEAL_KEY: terminal.env['TRIVIUM_SEAL_KEY'] ?? randomBytes(SEAL_KEY_BYTES).toString('base64url'),
    // They share the memory of the machine.
    TRIVIUM_WORKERS: String(size),
  };
  const fleet = new Fleet<ClusterWorker>(size, {
    start: () => {
      const worker = startClusterWorker(env, {
        onMessage: (from, message) => {
          if (message.kind === 'wants-replacement') void fleet.replace(from);
          else if (message.kind === 'alive') watchdog.heartbeat(from, message);
          else if (message.kind === 'all-figures-wanted') void tellFigures(from);
          else if (message.kind === 'reloaded') settings.adopt(message.settings);
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
    drainLimitMs: () => settings.current().timeouts.drainMs + END_MARGIN_MS,
  });
  return fleet;
}

function openWatchdog(
  log: Log,
  settings: () => SupervisorSettings,
  replace: (worker: ClusterWorker, isFrozen: () => boolean) => Promise<void>,
): Watchdog<ClusterWorker> {
  const watchdog = new Watchdog<ClusterWorker>({
    settings: () => settings().watchdog,
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
