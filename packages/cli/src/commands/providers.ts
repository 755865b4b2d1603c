// `trivium providers …`: hosts and their stored credentials. A credential is read from the environment or a file, never typed
// where the shell's history would keep it.

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import {
  type AdminOptions,
  callAdmin,
  isRow,
  listAdmin,
  part,
  printOne,
  printRows,
  withAdminOptions,
} from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

type FromOptions = AdminOptions & { readonly fromEnv?: string; readonly fromFile?: string };

const credentialOf = ({ fromEnv, fromFile }: FromOptions, terminal: Terminal): string => {
  if ((fromEnv === undefined) === (fromFile === undefined)) throw new Error('give either --from-env or --from-file');
  const text = fromEnv === undefined ? readFileSync(fromFile ?? '', 'utf8') : (terminal.env[fromEnv] ?? '');
  if (text.trim() === '') throw new Error('the credential is empty');
  return text.trim();
};

/** `ECONNREFUSED · The upstream provider cannot be reached.` */
const reasonOf = (error: unknown): string | null => {
  if (!isRow(error)) return null;
  const { code, text, upstreamRequestId } = error;
  return [code, text, upstreamRequestId].filter((one) => one !== undefined).join(' · ');
};

const path = (id: string): string => `/providers/${part(id)}/credential`;

export const addProviders = (program: Command, terminal: Terminal): void => {
  const providers = program.command('providers').description('providers and their stored credentials');
  withAdminOptions(
    providers.command('list').description('list providers and where their credential comes from'),
  ).action(async (options: AdminOptions) =>
    printRows(terminal, options, await listAdmin(terminal, options, '/providers'), [
      'id',
      'credential',
      'storedAt',
      'models',
      'openCircuits',
    ]),
  );
  withAdminOptions(
    providers
      .command('show')
      .description('show the circuit breakers of a provider, as the process that answers sees them')
      .argument('<provider>'),
  ).action(async (host: string, options: AdminOptions) => {
    const provider = await callAdmin(terminal, options, 'GET', `/providers/${part(host)}`);
    if (options.json) {
      terminal.print(JSON.stringify(provider, null, 2));
      return;
    }
    const { targets, history, ...facts } = provider;
    printOne(terminal, options, facts);
    terminal.print('');
    const columns = ['model', 'state', 'why', 'since', 'until', 'failuresInRow'];
    printRows(terminal, options, Array.isArray(targets) ? targets.filter(isRow) : [], columns);
  });
  withAdminOptions(
    providers
      .command('release')
      .description('close the open circuits of a provider on all nodes')
      .argument('<provider>')
      .option('--model <model>', 'only of this model'),
  ).action(async (host: string, options: AdminOptions & { readonly model?: string }) => {
    const body = options.model === undefined ? {} : { model: options.model };
    printOne(terminal, options, await callAdmin(terminal, options, 'POST', `/providers/${part(host)}/release`, body));
  });
  withAdminOptions(
    providers.command('set').description('store or replace the credential of a provider').argument('<provider>'),
  )
    .option('--from-env <name>', 'environment variable with the credential')
    .option('--from-file <path>', 'file with the credential')
    .action(async (host: string, options: FromOptions) => {
      const credential = credentialOf(options, terminal);
      printOne(terminal, options, await callAdmin(terminal, options, 'POST', path(host), { credential }));
    });
  withAdminOptions(
    providers
      .command('test')
      .description('test a credential by listing the models of the provider')
      .argument('<provider>'),
  )
    .option('--from-env <name>', 'environment variable with a credential to test')
    .option('--from-file <path>', 'file with a credential to test')
    .action(async (host: string, options: FromOptions) => {
      const isGiven = options.fromEnv !== undefined || options.fromFile !== undefined;
      const body = isGiven ? { credential: credentialOf(options, terminal) } : {};
      const answer = await callAdmin(terminal, options, 'POST', `/providers/${part(host)}/test`, body);
      printOne(terminal, options, options.json ? answer : { ...answer, error: reasonOf(answer['error']) });
      if (answer['verdict'] !== 'works') terminal.setExitCode(1);
    });
  withAdminOptions(
    providers.command('forget').description('delete the stored credential of a provider').argument('<provider>'),
  ).action(async (host: string, options: AdminOptions) => {
    await callAdmin(terminal, options, 'DELETE', path(host));
    terminal.print(options.json ? '{}' : 'deleted');
  });
  withAdminOptions(
    providers.command('rewrap').description('encrypt all stored credentials anew with the first of secrets.keys'),
  ).action(async (options: AdminOptions) =>
    printOne(terminal, options, await callAdmin(terminal, options, 'POST', '/providers/rewrap', {})),
  );
};
