// `trivium doctor`: whether a gateway could run here, and what to do if not.

import type { Command } from 'commander';
import type { DoctorOptions } from '../actions/doctor.ts';
import { withConfigOption } from '../config-option.ts';
import type { Terminal } from '../terminal.ts';

export const addDoctor = (parent: Command, terminal: Terminal): void => {
  withConfigOption(
    parent
      .command('doctor')
      .description('check Node.js, configuration, ports, database, Redis, clocks, disk and providers'),
  )
    .option('--offline', 'call no provider')
    .option('--json', 'print JSON')
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('../actions/doctor.ts');
      await doctor(options, terminal);
    });
};
