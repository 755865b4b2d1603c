// `trivium keys list|show|create|rotate|revoke`: keys of a running gateway's database. `keys new` is for the file.

import type { Command } from 'commander';
import {
  type AdminOptions,
  callAdmin,
  listAdmin,
  part,
  printOne,
  printRows,
  printWithSecret,
  type Row,
  withAdminOptions,
} from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

interface RightsOptions {
  readonly models?: readonly string[];
  readonly providers?: readonly string[];
  readonly protocols?: readonly string[];
  readonly endpoints?: readonly string[];
  readonly addresses?: readonly string[];
  readonly tolerates?: readonly string[];
  readonly expires?: string;
  readonly strict?: true;
  readonly manages?: string;
  readonly rpm?: number;
  readonly burst?: number;
  readonly tpm?: number;
  readonly usdPerMinute?: number;
  readonly inFlight?: number;
}

type Created = AdminOptions & RightsOptions & { readonly name: string; readonly member?: string };

const rightsOf = ({
  models,
  providers,
  protocols,
  endpoints,
  addresses,
  tolerates,
  expires,
  strict,
  manages,
  rpm,
  burst,
  tpm,
  usdPerMinute,
  inFlight,
}: RightsOptions): Row => {
  const rates = given({ requestsPerMinute: rpm, burst, tokensPerMinute: tpm, usdPerMinute, inFlight });
  return given({
    ...{ models, providers, protocols, endpoints, addresses, tolerates, expiresAt: expires, strict, manages },
    rateLimits: Object.keys(rates).length === 0 ? undefined : rates,
  });
};

const given = (members: Row): Row =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

const listOf = (account: string): string => `/accounts/${part(account)}/keys`;

const withRightsOptions = (command: Command): Command =>
  command
    .option('--models <patterns...>', 'allowed models, e.g. openai/*')
    .option('--providers <ids...>', 'allowed providers')
    .option('--protocols <names...>', 'chat, messages, genai')
    .option('--endpoints <names...>', 'text, embed, image, video, count')
    .option('--addresses <ranges...>', 'source addresses it may be used from, e.g. 10.0.0.0/8')
    .option('--expires <time>', 'expiry time, ISO 8601 with time zone')
    .option('--strict', 'reject requests with parameters that would be dropped or changed')
    .option('--tolerates <paths...>', 'parameters a strict request may lose')
    .option('--rpm <count>', 'requests per minute', Number)
    .option('--burst <count>', 'requests that may come at once', Number)
    .option('--tpm <count>', 'tokens per minute, input and output', Number)
    .option('--usd-per-minute <amount>', 'US dollars per minute', Number)
    .option('--in-flight <count>', 'requests in progress at once', Number)
    .option('--manages <role>', 'role at the admin API: viewer, developer, admin, owner');

const addCreate = (keys: Command, terminal: Terminal): void => {
  withRightsOptions(
    withAdminOptions(
      keys.command('create').description('create an API key; prints the secret once').argument('<account>'),
    )
      .requiredOption('--name <name>', 'name of the key')
      .option('--member <member>', 'the member it belongs to'),
  ).action(async (account: string, options: Created) => {
    const { name, member } = options;
    const body = { name, rights: rightsOf(options), ...(member !== undefined && { memberId: member }) };
    printWithSecret(terminal, options, await callAdmin(terminal, options, 'POST', listOf(account), body), 'key');
  });
};

type Filters = {
  readonly search?: string;
  readonly state?: string;
  readonly member?: string;
  readonly model?: string;
  readonly expiringBefore?: string;
};

const queryOf = (account: string | undefined, filters: Filters): string => {
  const { search, state, member, model, expiringBefore } = filters;
  const members = given({ q: search, state, account, member, model, expiringBefore });
  return new URLSearchParams(Object.entries(members).map(([name, value]) => [name, String(value)])).toString();
};

const addList = (keys: Command, terminal: Terminal): void => {
  withAdminOptions(keys.command('list').description('list the keys of an account, or of all').argument('[account]'))
    .option('--search <text>', 'part of the name, or how the id or the secret starts')
    .option('--state <state>', 'active, expired or revoked')
    .option('--member <member>', 'keys of this member')
    .option('--model <model>', 'keys that may use this model')
    .option('--expiring-before <time>', 'keys that expire before this time, ISO 8601 with time zone')
    .action(async (account: string | undefined, options: AdminOptions & Filters) => {
      const found = await listAdmin(terminal, options, `/keys?${queryOf(account, options)}`);
      const columns = ['id', 'name', 'prefix', 'rights', 'state', 'lastUsedAt'];
      printRows(terminal, options, found, account === undefined ? ['accountId', ...columns] : columns);
    });
};

const addChange = (keys: Command, terminal: Terminal): void => {
  withRightsOptions(
    withAdminOptions(
      keys.command('change').description('rename a key or narrow its rights').argument('<account>').argument('<key>'),
    ).option('--name <name>', 'name of the key'),
  ).action(async (account: string, key: string, options: AdminOptions & RightsOptions & { readonly name?: string }) => {
    const rights = rightsOf(options);
    const body = given({ name: options.name, rights: Object.keys(rights).length === 0 ? undefined : rights });
    printOne(terminal, options, await callAdmin(terminal, options, 'PATCH', `${listOf(account)}/${part(key)}`, body));
  });
};

export const addKeys = (keys: Command, terminal: Terminal): void => {
  addList(keys, terminal);
  addChange(keys, terminal);
  withAdminOptions(keys.command('show').description('show one key').argument('<account>').argument('<key>')).action(
    async (account: string, key: string, options: AdminOptions) =>
      printOne(terminal, options, await callAdmin(terminal, options, 'GET', `${listOf(account)}/${part(key)}`)),
  );
  addCreate(keys, terminal);
  withAdminOptions(
    keys.command('rotate').description('give a key a new secret').argument('<account>').argument('<key>'),
  )
    .option('--grace <seconds>', 'seconds for which the old secret still works', '0')
    .action(async (account: string, key: string, options: AdminOptions & { readonly grace: string }) => {
      const path = `${listOf(account)}/${part(key)}/rotate`;
      printWithSecret(
        terminal,
        options,
        await callAdmin(terminal, options, 'POST', path, { graceSeconds: Number(options.grace) }),
        'key',
      );
    });
  withAdminOptions(
    keys
      .command('revoke')
      .description('revoke a key and the keys made with it')
      .argument('<account>')
      .argument('<key>'),
  )
    .option('--keep-children', 'do not revoke the keys made with it')
    .action(async (account: string, key: string, options: AdminOptions & { readonly keepChildren?: true }) => {
      const body = { children: options.keepChildren !== true };
      printOne(
        terminal,
        options,
        await callAdmin(terminal, options, 'POST', `${listOf(account)}/${part(key)}/revoke`, body),
      );
    });
};
