// The tree of commands, one file per command. Gateway and simulator take long to load, so a command imports them when it runs;
// longer actions are in `actions`.

import { readFileSync } from 'node:fs';
import { ADMIN_COMMANDS } from '@trivium/gateway/commands';
import { Command, CommanderError, type HelpConfiguration } from 'commander';
import { addGroup } from './admin-commands.ts';
import { addApply } from './commands/apply.ts';
import { addBackup, addRestore } from './commands/backup.ts';
import { addCatalogueCheck } from './commands/catalogue-check.ts';
import { addCatalogueList } from './commands/catalogue-list.ts';
import { addCheckLive } from './commands/check-live.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfigCheck } from './commands/config-check.ts';
import { addConfigDiff } from './commands/config-diff.ts';
import { addConfigSchema } from './commands/config-schema.ts';
import { addConnect } from './commands/connect.ts';
import { addDev } from './commands/dev.ts';
import { addDoctor } from './commands/doctor.ts';
import { addHealth } from './commands/health.ts';
import { addImport } from './commands/import.ts';
import { addInit } from './commands/init.ts';
import { addKeysNew } from './commands/keys-new.ts';
import { addLedgerAudit } from './commands/ledger-audit.ts';
import { addMigrate } from './commands/migrate.ts';
import { addOperator } from './commands/operator.ts';
import { addServe } from './commands/serve.ts';
import { addSignIn } from './commands/sign-in.ts';
import { addSimulate } from './commands/simulate.ts';
import { SPECIAL } from './special-commands.ts';
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
  const addAdmin = (name: string): void => {
    const [group] = ADMIN_COMMANDS.filter(({ group }) => group === name);
    if (group === undefined) return;
    if (name === 'keys') addKeysNew(program.command(name), terminal);
    addGroup(program, terminal, group, SPECIAL);
  };
  program.commandsGroup('Run:');
  addServe(program, terminal);
  addDev(program, terminal);
  addSimulate(program, terminal);
  program.commandsGroup('Set up and check:');
  addInit(program, terminal);
  addImport(program, terminal);
  addConnect(program, terminal);
  addDoctor(program, terminal);
  addCheckLive(program, terminal);
  addHealth(program, terminal);
  const config = program.command('config').description('check, compare and describe configuration files');
  addConfigCheck(config, terminal);
  addConfigSchema(config, terminal);
  addConfigDiff(config, terminal);
  addAdmin('config');
  const catalogue = program.command('catalogue').description('models that this release knows');
  addCatalogueCheck(catalogue, terminal);
  addCatalogueList(catalogue, terminal);
  addMigrate(program, terminal);
  addBackup(program, terminal);
  addRestore(program, terminal);
  const ledger = program.command('ledger').description('entries of an account, and the check of the ledger');
  addLedgerAudit(ledger, terminal);
  addAdmin('ledger');
  addOperator(program, terminal);
  addCompletion(program, terminal);
  program.commandsGroup('Sign in and start agents:');
  addSignIn(program, terminal);
  program.commandsGroup('Manage a running gateway:');
  addApply(program, terminal);
  for (const { group } of ADMIN_COMMANDS.filter(({ group }) => group !== 'config' && group !== 'ledger'))
    addAdmin(group);
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
