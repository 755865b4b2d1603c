// The tree of commands, one file per command. Gateway and simulator take long to load, so a command imports them when it runs;
// longer actions are in `actions`.

import { readFileSync } from 'node:fs';
import { Command, CommanderError, type HelpConfiguration } from 'commander';
import { addAccounts, addMembers } from './commands/accounts.ts';
import { addAlerts } from './commands/alerts.ts';
import { addApply } from './commands/apply.ts';
import { addAudit, addOperator } from './commands/audit.ts';
import { addCatalogueCheck } from './commands/catalogue-check.ts';
import { addCatalogueList } from './commands/catalogue-list.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfigCheck } from './commands/config-check.ts';
import { addConfigDiff } from './commands/config-diff.ts';
import { addConfigSchema } from './commands/config-schema.ts';
import { addConnect } from './commands/connect.ts';
import { addBudgets, addCredits, addLedgerEntries } from './commands/credits.ts';
import { addDev } from './commands/dev.ts';
import { addDoctor } from './commands/doctor.ts';
import { addHealth } from './commands/health.ts';
import { addImport } from './commands/import.ts';
import { addInit } from './commands/init.ts';
import { addKeys } from './commands/keys.ts';
import { addKeysNew } from './commands/keys-new.ts';
import { addLedgerAudit } from './commands/ledger-audit.ts';
import { addMigrate } from './commands/migrate.ts';
import { addModels } from './commands/models.ts';
import { addConfigShow, addNodes } from './commands/nodes.ts';
import { addOperations } from './commands/operations.ts';
import { addOrders } from './commands/orders.ts';
import { addPrices } from './commands/prices.ts';
import { addProviders } from './commands/providers.ts';
import { addRequests } from './commands/requests.ts';
import { addServe } from './commands/serve.ts';
import { addSimulate } from './commands/simulate.ts';
import { addTags } from './commands/tags.ts';
import { addUsage } from './commands/usage.ts';
import { addWebhooks } from './commands/webhooks.ts';
import type { Terminal } from './terminal.ts';

const ownVersion = (): string => {
  const own: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return typeof own === 'object' && own !== null && 'version' in own ? String(own.version) : 'unknown';
};

const argumentTerm = (name: string, isRequired: boolean): string => (isRequired ? `<${name}>` : `[${name}]`);

/** Titles and names in colour; commander strips the colours if the output has none. */
const help = ({ paint }: Terminal): HelpConfiguration => ({
  subcommandTerm: (command) =>
    [
      command.name(),
      ...command.registeredArguments.map((argument) => argumentTerm(argument.name(), argument.required)),
    ].join(' '),
  styleTitle: (text) => paint('bold', text),
  styleCommandText: (text) => paint('bold', text),
  styleSubcommandText: (text) => paint('bold', text),
  styleOptionText: (text) => paint('dim', text),
  styleArgumentText: (text) => paint('dim', text),
});

/** The tree of commands; the CLI reference page is generated from it. */
export const buildProgram = (terminal: Terminal): Command => {
  // Set before the commands are added, since commands inherit these from their parent.
  const program = new Command('trivium')
    .description('One key, three protocols, every model.')
    .usage('<command> [options]')
    .version(ownVersion(), '-V, --version', 'print the version')
    .option('--verbose', 'print the stack trace of an error')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .configureHelp(help(terminal))
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.error(text.trimEnd()),
      // Whether there are any is decided where they are made.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
    });
  program.commandsGroup('Run:');
  addServe(program, terminal);
  addDev(program, terminal);
  addSimulate(program, terminal);
  program.commandsGroup('Set up and check:');
  addInit(program, terminal);
  addImport(program, terminal);
  addConnect(program, terminal);
  addDoctor(program, terminal);
  addHealth(program, terminal);
  const config = program.command('config').description('check, compare and describe configuration files');
  addConfigCheck(config, terminal);
  addConfigSchema(config, terminal);
  addConfigDiff(config, terminal);
  addConfigShow(config, terminal);
  const catalogue = program.command('catalogue').description('models that this release knows');
  addCatalogueCheck(catalogue, terminal);
  addCatalogueList(catalogue, terminal);
  addMigrate(program, terminal);
  const ledger = program.command('ledger').description('entries of an account, and the check of the ledger');
  addLedgerAudit(ledger, terminal);
  addLedgerEntries(ledger, terminal);
  addOperator(program, terminal);
  addCompletion(program, terminal);
  program.commandsGroup('Manage a running gateway:');
  addApply(program, terminal);
  addAccounts(program, terminal);
  addMembers(program, terminal);
  const keys = program.command('keys').description('API keys of an account, or for the configuration file');
  addKeysNew(keys, terminal);
  addKeys(keys, terminal);
  addCredits(program, terminal);
  addBudgets(program, terminal);
  addTags(program, terminal);
  addOrders(program, terminal);
  addPrices(program, terminal);
  addUsage(program, terminal);
  addRequests(program, terminal);
  addModels(program, terminal);
  addProviders(program, terminal);
  addNodes(program, terminal);
  addOperations(program, terminal);
  addWebhooks(program, terminal);
  addAlerts(program, terminal);
  addAudit(program, terminal);
  finish(program, terminal);
  return program;
};

/** Errors on one line: what is wrong, a suggestion, and where to read more. */
function finish(command: Command, terminal: Terminal, parentPath = ''): void {
  const path = `${parentPath} ${command.name()}`.trim();
  command.helpCommand(false).configureOutput({
    outputError: (text) => {
      const [message = '', ...more] = text
        .trim()
        .replace(/^error: /, '')
        .replace(' is invalid. ', ' is invalid: ')
        .split('\n');
      const hint = more.join(' ').replace(/^\(Did you mean (.*)\?\)$/, 'did you mean $1?');
      terminal.error(errorLine(`${message}; ${hint === '' ? `see ${path} --help` : hint}`, terminal));
    },
  });
  for (const child of command.commands) finish(child, terminal, path);
}

const errorLine = (message: string, { paintError }: Terminal): string => `${paintError('red', 'trivium:')} ${message}`;

/** Never throws: errors go to the terminal and the exit code. */
export const runCommandLine = async (args: readonly string[], terminal: Terminal): Promise<void> => {
  const program = buildProgram(terminal);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      terminal.setExitCode(error.exitCode);
      return;
    }
    terminal.error(errorLine(messageOf(error), terminal));
    const isVerbose = program.opts<{ readonly verbose?: true }>().verbose === true || Boolean(terminal.env['DEBUG']);
    if (isVerbose && error instanceof Error) terminal.error(terminal.paintError('dim', error.stack ?? ''));
    terminal.setExitCode(1);
  }
};

/** The first of several causes, such as two addresses that refuse the connection. */
const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const [first] = error instanceof AggregateError ? error.errors : [];
  return error.message || (first === undefined ? error.name : messageOf(first));
};
