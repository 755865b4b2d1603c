// `trivium serve`: the gateway, with hot reload and a graceful end.

import { describeConfigProblem, loadConfig, startGateway, watchConfig } from '@trivium/gateway';
import type { Command } from 'commander';
import { openLog } from '../open-log.ts';
import { stopOnSignals } from '../shutdown.ts';
import type { Terminal } from '../terminal.ts';

export const serve = async (file: string | undefined, terminal: Terminal): Promise<void> => {
  const outcome = loadConfig({ env: terminal.env, ...(file === undefined ? {} : { file }) });
  if ('problems' in outcome) {
    for (const problem of outcome.problems) terminal.error(describeConfigProblem(problem));
    terminal.setExitCode(1);
    return;
  }
  const { config } = outcome;
  const log = openLog(config.log.level, terminal);
  for (const { place, path, message } of outcome.notices) log.warn('configuration', { place, path, problem: message });
  const gateway = await startGateway({ config, log });
  const watch =
    outcome.file === undefined
      ? undefined
      : watchConfig({
          file: outcome.file,
          env: terminal.env,
          onConfig: async (loaded) => {
            await gateway.reload(loaded.config);
            log.info('the new configuration is in place');
          },
          onProblems: (problems) => {
            for (const { place, path, message } of problems)
              log.error('the new configuration was not taken', { place, path, problem: message });
          },
        });
  terminal.onSignal('SIGHUP', () => void watch?.reload());
  await stopOnSignals(terminal, async (signal) => {
    log.info('stopping', { signal });
    watch?.close();
    // Whoever interrupts by hand sits in front of it and does not want to wait for load balancers.
    await gateway.close({ noticeMs: signal === 'SIGTERM' ? config.timeouts.drainNoticeMs : 0 });
    log.flush();
  });
};

export const addServe = (parent: Command, terminal: Terminal): void => {
  parent
    .command('serve')
    .description('run the gateway')
    .option('-c, --config <file>', 'configuration file; without it, the one TRIVIUM_CONFIG names')
    .action((options: { readonly config?: string }) => serve(options.config, terminal));
};
