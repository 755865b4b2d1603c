// `trivium accounts …` and `trivium members …`: who pays, and who may act for them.

import type { Command } from 'commander';
import {
  type AdminOptions,
  callAdmin,
  listAdmin,
  part,
  printOne,
  printRows,
  withAdminOptions,
} from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';
import { addCapture } from './capture.ts';

const COLUMNS = ['id', 'name', 'kind', 'status', 'parentId', 'createdAt'];

type Created = AdminOptions & Limited & { readonly id?: string; readonly name?: string; readonly kind: string };
type Changed = AdminOptions & Limited & Rated & { readonly name?: string; readonly kind?: string };
type Searched = AdminOptions & {
  readonly search?: string;
  readonly kind?: string;
  readonly status?: string;
  readonly sort: string;
};
type Limited = { readonly limit?: string };

type Rated = {
  readonly rates: boolean;
  readonly rpm?: number;
  readonly burst?: number;
  readonly tpm?: number;
  readonly usdPerMinute?: number;
  readonly inFlight?: number;
};

/** Replaces all rate limits of the account; without an option they stay as they are. */
const ratesOf = ({ rates, rpm, burst, tpm, usdPerMinute, inFlight }: Rated) => {
  if (!rates) return { rateLimits: null };
  const rateLimits = {
    ...(rpm !== undefined && { requestsPerMinute: rpm }),
    ...(burst !== undefined && { burst }),
    ...(tpm !== undefined && { tokensPerMinute: tpm }),
    ...(usdPerMinute !== undefined && { usdPerMinute }),
    ...(inFlight !== undefined && { inFlight }),
  };
  return Object.keys(rateLimits).length === 0 ? {} : { rateLimits };
};

const LIMIT = ['--limit <usd>', 'credit limit of a postpaid account (USD)'] as const;
const limitOf = ({ limit }: Limited) => (limit === undefined ? {} : { creditLimitUsd: limit });

export const addAccounts = (program: Command, terminal: Terminal): void => {
  const accounts = program.command('accounts').description('accounts: who pays');
  withAdminOptions(accounts.command('list').description('list accounts'))
    .option('--search <text>', 'part of the id or the name')
    .option('--kind <kind>', 'prepaid, postpaid or unlimited')
    .option('--status <status>', 'active or suspended')
    .option('--sort <column>', 'id, name or createdAt', 'id')
    .action(async (options: Searched) => {
      const { search, kind, status, sort } = options;
      const query = new URLSearchParams(
        Object.entries({ q: search, kind, status, sort }).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      );
      printRows(terminal, options, await listAdmin(terminal, options, `/accounts?${query}`), COLUMNS);
    });
  withAdminOptions(accounts.command('show').description('show one account').argument('<account>')).action(
    async (account: string, options: AdminOptions) =>
      printOne(terminal, options, await callAdmin(terminal, options, 'GET', `/accounts/${part(account)}`)),
  );
  withAdminOptions(accounts.command('create').description('create an account'))
    .option('--id <id>', 'account id (default: generated)')
    .option('--name <name>', 'display name (default: the id)')
    .option('--kind <kind>', 'prepaid, postpaid or unlimited', 'prepaid')
    .option(...LIMIT)
    .action(async (options: Created) => {
      const { id, kind } = options;
      const name = options.name ?? id ?? 'account';
      const body = { name, kind, ...limitOf(options), ...(id !== undefined && { id }) };
      printOne(terminal, options, await callAdmin(terminal, options, 'POST', '/accounts', body));
    });
  withAdminOptions(
    accounts
      .command('change')
      .description('change the name, kind, credit limit or rate limits of an account')
      .argument('<account>'),
  )
    .option('--name <name>', 'display name')
    .option('--kind <kind>', 'prepaid, postpaid or unlimited')
    .option(...LIMIT)
    .option('--rpm <count>', 'requests per minute, of all its keys together', Number)
    .option('--burst <count>', 'requests that may come at once', Number)
    .option('--tpm <count>', 'tokens per minute, input and output', Number)
    .option('--usd-per-minute <usd>', 'USD per minute', Number)
    .option('--in-flight <count>', 'requests at once', Number)
    .option('--no-rates', 'rate limits as the configuration has them')
    .action(async (account: string, options: Changed) => {
      const { name, kind } = options;
      const body = {
        ...(name !== undefined && { name }),
        ...(kind !== undefined && { kind }),
        ...limitOf(options),
        ...ratesOf(options),
      };
      printOne(terminal, options, await callAdmin(terminal, options, 'PATCH', `/accounts/${part(account)}`, body));
    });
  withAdminOptions(
    accounts
      .command('parent')
      .description('show or set the account above another, e.g. the company of a team')
      .argument('<account>')
      .argument('[parent]', 'the account above; `none` for none'),
  ).action(async (account: string, parent: string | undefined, options: AdminOptions) => {
    const path = `/accounts/${part(account)}/parent`;
    const body = { parentId: parent === 'none' ? null : (parent ?? null) };
    const [method, given] = parent === undefined ? (['GET', undefined] as const) : (['POST', body] as const);
    printOne(terminal, options, await callAdmin(terminal, options, method, path, given));
  });
  for (const [verb, status] of [
    ['suspend', 'suspended'],
    ['restore', 'active'],
  ] as const)
    withAdminOptions(accounts.command(verb).description(`${verb} an account`).argument('<account>')).action(
      async (account: string, options: AdminOptions) =>
        printOne(
          terminal,
          options,
          await callAdmin(terminal, options, 'PATCH', `/accounts/${part(account)}`, { status }),
        ),
    );
  addCapture(accounts, terminal);
};

type NewMember = AdminOptions & { readonly name: string; readonly email?: string; readonly role: string };

export const addMembers = (program: Command, terminal: Terminal): void => {
  const members = program.command('members').description('members of an account');
  const listOf = (account: string): string => `/accounts/${part(account)}/members`;
  withAdminOptions(members.command('list').description('list the members').argument('<account>')).action(
    async (account: string, options: AdminOptions) =>
      printRows(terminal, options, await listAdmin(terminal, options, listOf(account)), [
        'id',
        'name',
        'email',
        'role',
      ]),
  );
  withAdminOptions(members.command('add').description('add a member').argument('<account>'))
    .requiredOption('--name <name>', 'display name')
    .option('--email <email>', 'e-mail address')
    .option('--role <role>', 'viewer, developer, admin or owner', 'developer')
    .action(async (account: string, options: NewMember) => {
      const { name, email, role } = options;
      const body = { name, role, ...(email !== undefined && { email }) };
      printOne(terminal, options, await callAdmin(terminal, options, 'POST', listOf(account), body));
    });
  withAdminOptions(
    members
      .command('role')
      .description("change a member's role")
      .argument('<account>')
      .argument('<member>')
      .argument('<role>'),
  ).action(async (account: string, member: string, role: string, options: AdminOptions) =>
    printOne(
      terminal,
      options,
      await callAdmin(terminal, options, 'PATCH', `${listOf(account)}/${part(member)}`, { role }),
    ),
  );
  withAdminOptions(
    members
      .command('sign-in')
      .description('print a link that signs a member in once, within 10 minutes')
      .argument('<account>')
      .argument('<member>'),
  ).action(async (account: string, member: string, options: AdminOptions) =>
    printOne(
      terminal,
      options,
      await callAdmin(terminal, options, 'POST', `${listOf(account)}/${part(member)}/sign-in-code`),
    ),
  );
  withAdminOptions(
    members
      .command('remove')
      .description('remove a member and revoke its keys')
      .argument('<account>')
      .argument('<member>'),
  ).action(async (account: string, member: string, options: AdminOptions) =>
    printOne(terminal, options, await callAdmin(terminal, options, 'DELETE', `${listOf(account)}/${part(member)}`)),
  );
};
