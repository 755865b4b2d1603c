// Run by `settings.ts` as a process of its own: reads the configuration, tries at a start what it needs, sends what the supervisor needs of it, and ends.

import { describeConfigProblem, type LoadedConfig } from '@trivium/gateway/config';
import { readConfigWithSecrets } from '../read-config.ts';
import { reloadedSettings, type SettingsOutcome } from './settings.ts';

const settingsOf = (outcome: LoadedConfig): SettingsOutcome => {
  const { listen, admin } = outcome.config;
  return {
    settings: {
      listen,
      admin: {
        host: admin.host,
        port: admin.port,
        console: admin.console,
        ...(admin.members !== undefined && { members: admin.members }),
      },
      ...reloadedSettings(outcome.config),
    },
    notices: outcome.notices,
  };
};

/** At a start what it needs is tried here, too: once, and not by each worker. */
async function tried(): Promise<SettingsOutcome> {
  const [, , file, use] = process.argv;
  const { outcome, secrets } = await readConfigWithSecrets(file, process.env);
  await secrets?.close();
  if ('problems' in outcome) return { problems: outcome.problems.map(describeConfigProblem) };
  if (use === 'start') {
    const { requireStartable } = await import('@trivium/gateway/start');
    await requireStartable(outcome.config);
  }
  return settingsOf(outcome);
}

process.send?.(await tried().catch((error: Error) => ({ problems: [`trivium: ${error.message}`] })), () =>
  process.disconnect?.(),
);
