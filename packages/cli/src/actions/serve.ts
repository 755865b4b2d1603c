// What `trivium serve` does: runs the gateway with hot reload and graceful shutdown; alone, or as one of several workers.

import {
  type Config,
  describeConfigProblem,
  type Gateway,
  type LoadedConfig,
  type Log,
  loadWithSecrets,
  type OpenSecrets,
  requireStartable,
  settingsNeedingRestart,
  startGateway,
  warmUp,
  watchConfig,
} from '@trivium/gateway';
import { showFirstSecret } from '../first-secret.ts';
import { openLog } from '../open-log.ts';
import { readConfigWithSecrets } from '../read-config.ts';
import { stopOnSignals } from '../shutdown.ts';
import { leasesOfSupervisor } from '../supervisor/leases.ts';
import { reloadedSettings } from '../supervisor/settings.ts';
import { type SelfLimits, watchSelf } from '../supervisor/watch-self.ts';
import { allFigures, isWorker, serveSupervised } from '../supervisor/worker.ts';
import { tell } from '../supervisor/worker-channel.ts';
import type { Terminal } from '../terminal.ts';

type Loaded = LoadedConfig & { readonly secrets?: OpenSecrets };

export const serve = async (file: string | undefined, terminal: Terminal): Promise<void> => {
  const { outcome, secrets } = await readConfigWithSecrets(file, terminal.env);
  if ('problems' in outcome) {
    await secrets?.close();
    for (const problem of outcome.problems) terminal.error(describeConfigProblem(problem));
    terminal.setExitCode(1);
    return;
  }
  const loaded: Loaded = { ...outcome, ...(secrets !== undefined && { secrets }) };
  const { config } = loaded;
  const log = openLog(config.log.level, terminal);
  if (isWorker()) await serveAsWorker(loaded, log, terminal);
  else {
    await requireStartable(config);
    for (const { place, path, message } of loaded.notices) log.warn('configuration', { place, path, problem: message });
    await serveAlone(loaded, log, terminal);
  }
};

/** Optional: if the warm-up fails, the gateway serves all the same. */
async function warmUpFor({ warmUp: { enabled, forMs } }: Config, log: Log): Promise<void> {
  if (!enabled) return;
  const startedMs = performance.now();
  try {
    const calls = [...(await warmUp(forMs)).values()].reduce((sum, count) => sum + count, 0);
    log.info('warmed up', { calls, durationMs: Math.round(performance.now() - startedMs) });
  } catch (error) {
    log.warn('warm-up failed', { error });
  }
}

async function serveAlone(loaded: Loaded, log: Log, terminal: Terminal): Promise<void> {
  const { config, secrets } = loaded;
  let { drainNoticeMs } = config.timeouts;
  let watch: ReturnType<typeof followFile>;
  // Before anything else: SIGHUP without a listener ends the process.
  terminal.onSignal('SIGHUP', () => void watch?.reload());
  await warmUpFor(config, log);
  const gateway = await startGateway({
    config,
    log,
    showFirstSecret: showFirstSecret(config, log, terminal),
    ...(secrets !== undefined && { secrets }),
  });
  const selfWatch = watchSelf(standstill(config), (error) => log.error('watchdog thread failed to start', { error }));
  watch = followFile(loaded, gateway, log, terminal, async (next) => {
    await gateway.reload(next);
    selfWatch.setLimits(standstill(next));
    drainNoticeMs = next.timeouts.drainNoticeMs;
  });
  await stopOnSignals(terminal, async (signal) => {
    log.info('stopping', { signal });
    watch?.close();
    // Ctrl-C comes from a person at the terminal: no wait for load balancers.
    await gateway.close({ noticeMs: signal === 'SIGTERM' ? drainNoticeMs : 0 });
    selfWatch.stop();
    await log.close();
  });
}

const standstill = ({ watchdog: { enabled, replaceMs, busyMs } }: Config): SelfLimits => ({
  replaceMs: enabled ? replaceMs : 0,
  busyMs,
});

async function serveAsWorker(loaded: Loaded, log: Log, terminal: Terminal): Promise<void> {
  const { config, secrets } = loaded;
  await warmUpFor(config, log);
  const gateway = await startGateway({
    config,
    log,
    renderFigures: allFigures,
    slices: leasesOfSupervisor(),
    showFirstSecret: showFirstSecret(config, log, terminal),
    ...(secrets !== undefined && { secrets }),
  });
  const watch = followFile(loaded, gateway, log, terminal, async (next) => {
    await gateway.reload(next);
    await tell({ kind: 'reloaded', settings: reloadedSettings(next) });
  });
  // A signal to the process group also reaches the supervisor, which decides.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) terminal.onSignal(signal, () => undefined);
  await serveSupervised(gateway, (listener) => terminal.onSignal('SIGTERM', listener));
  watch?.close();
  await log.close();
  terminal.exit(0);
}

function followFile(
  { file, config: started, secretFiles }: LoadedConfig,
  { secrets }: Gateway,
  log: Log,
  terminal: Terminal,
  reload: (config: Config) => Promise<void>,
): ReturnType<typeof watchConfig> | undefined {
  if (file === undefined) return undefined;
  const watch = watchConfig({
    file,
    secretFiles,
    load: async (options) => (await loadWithSecrets(options, secrets)).outcome,
    env: terminal.env,
    onConfig: async ({ config }) => {
      await reload(config);
      const settings = settingsNeedingRestart(started, config).join(', ');
      if (settings === '') log.info('configuration reloaded');
      else log.warn('configuration reloaded; some settings need a restart', { settings });
    },
    onProblems: (problems) => {
      for (const { place, path, message } of problems)
        log.error('configuration reload rejected', { place, path, problem: message });
    },
  });
  secrets.book.onSetting = () => void watch.reload();
  return watch;
}
