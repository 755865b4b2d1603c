// Run by `settings.ts` as a process of its own: reads the configuration, sends what the supervisor needs of it, and ends.

import { describeConfigProblem } from '@trivium/gateway/config';
import { readConfig } from '../read-config.ts';
import { reloadedSettings, type SettingsOutcome } from './settings.ts';

const read = (file: string | undefined): SettingsOutcome => {
  const outcome = readConfig(file, process.env);
  if ('problems' in outcome) return { problems: outcome.problems.map(describeConfigProblem) };
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

process.send?.(read(process.argv[2]), () => process.disconnect?.());
