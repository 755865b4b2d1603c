// The command line as a tree of commands; each command lives in a file of its own. Gateway and simulator take long to load, so
// a command imports them when it runs; what more it then does with them stands in `actions`.

import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addAccounts, addMembers } from './commands/accounts.ts';
import { addAudit, addOperator } from './commands/audit.ts';
import { addCatalogueCheck } from './commands/catalogue-check.ts';
import { addCatalogueList } from './commands/catalogue-list.ts';
import { addConfigCheck } from './commands/config-check.ts';
import { addConfigDiff } from './commands/config-diff.ts';
import { addConfigSchema } from './commands/config-schema.ts';
import { addBudgets, addCredits } from './commands/credits.ts';
import { addDev } from './commands/dev.ts';
import { addKeys } from './commands/keys.ts';
import { addKeysNew } from './commands/keys-new.ts';
import { addLedgerAudit } from './commands/ledger-audit.ts';
import { addMigrate } from './commands/migrate.ts';
import { addOperations } from './commands/operations.ts';
import { addOrders } from './commands/orders.ts';
import { addPrices } from './commands/prices.ts';
import { addProviders } from './commands/providers.ts';
import { addServe } from './commands/serve.ts';
import { addSimulate } from './commands/simulate.ts';
import { addUsage } from './commands/usage.ts';
import { addWebhooks } from './commands/webhooks.ts';
import type { Terminal } from './terminal.ts';

const ownVersion = (): string => {
  const own: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return typeof own === 'object' && own !== null && 'version' in own ? String(own.version) : 'unknown';
};

const buildProgram = (terminal: Terminal): Command => {
  // Set before the commands are added, since they take these over from their parent.
  const program = new Command('trivium')
    .description('One key, three protocols, every model.')
    .version(ownVersion(), '-V, --version', 'print the version')
    .showHelpAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.error(text.trimEnd()),
    });
  addServe(program, terminal);
  addDev(program, terminal);
  addSimulate(program, terminal);
  addMigrate(program, terminal);
  const config = program.command('config').description('the configuration file');
  addConfigCheck(config, terminal);
  addConfigSchema(config, terminal);
  addConfigDiff(config, terminal);
  const catalogue = program.command('catalogue').description('the model catalogue');
  addCatalogueCheck(catalogue, terminal);
  addCatalogueList(catalogue, terminal);
  const keys = program.command('keys').description('API keys');
  addKeysNew(keys, terminal);
  addKeys(keys, terminal);
  addAccounts(program, terminal);
  addMembers(program, terminal);
  addCredits(program, terminal);
  addBudgets(program, terminal);
  addOrders(program, terminal);
  addLedgerAudit(program.command('ledger').description('the ledger of all accounts'), terminal);
  addProviders(program, terminal);
  addWebhooks(program, terminal);
  addPrices(program, terminal);
  addUsage(program, terminal);
  addOperations(program, terminal);
  addAudit(program, terminal);
  addOperator(program, terminal);
  return program;
};

/** Never throws: what went wrong is said on the terminal and in the exit code. */
export const runCommandLine = async (args: readonly string[], terminal: Terminal): Promise<void> => {
  try {
    await buildProgram(terminal).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      terminal.setExitCode(error.exitCode);
      return;
    }
    terminal.error(`trivium: ${error instanceof Error ? error.message : String(error)}`);
    terminal.setExitCode(1);
  }
};
