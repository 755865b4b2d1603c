// The command line as a tree of commands; each command lives in a file of its own.

import { Command } from 'commander';
import { addCatalogueCheck } from './commands/catalogue-check.ts';
import { addCatalogueList } from './commands/catalogue-list.ts';
import { addConfigCheck } from './commands/config-check.ts';
import { addConfigSchema } from './commands/config-schema.ts';
import { addDev } from './commands/dev.ts';
import { addKeysNew } from './commands/keys-new.ts';
import { addServe } from './commands/serve.ts';
import { addSimulate } from './commands/simulate.ts';
import type { Terminal } from './terminal.ts';

export const buildProgram = (terminal: Terminal): Command => {
  const program = new Command('trivium').description('One key, three protocols, every model.').showHelpAfterError();
  addServe(program, terminal);
  addDev(program, terminal);
  addSimulate(program, terminal);
  const config = program.command('config').description('the configuration file');
  addConfigCheck(config, terminal);
  addConfigSchema(config, terminal);
  const catalogue = program.command('catalogue').description('the models the gateway knows');
  addCatalogueCheck(catalogue, terminal);
  addCatalogueList(catalogue, terminal);
  const keys = program.command('keys').description('keys callers present');
  addKeysNew(keys, terminal);
  return program;
};
