// `trivium operations …`: an account's video operations.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import {
  type AdminOptions,
  callAdmin,
  listAdmin,
  part,
  printOne,
  printRows,
  type Row,
  withAdminOptions,
} from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

type ListOptions = AdminOptions & { readonly state?: string };
type WatchOptions = AdminOptions & { readonly every: string };

const COLUMNS = ['id', 'model', 'state', 'percent', 'videos', 'costUsd', 'createdAt'];
const OPEN_STATES = new Set(['submitting', 'running', 'unknown']);
const BAR_WIDTH = 24;
const MIN_PAUSE_MS = 100;

const pathOf = (account: string): string => `/accounts/${part(account)}/operations`;

const clockOf = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** `[########----------------]  33 %  running  1:12  google/veo-3.1` */
export const progressLine = (operation: Row, nowMs: number): string => {
  const { percent, state, model, createdAt, finishedAt } = operation;
  const share = state === 'done' ? 1 : typeof percent === 'number' ? Math.min(1, percent / 100) : 0;
  const filled = Math.round(share * BAR_WIDTH);
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
  const progress = typeof percent === 'number' || state === 'done' ? `${Math.round(share * 100)} %` : '…';
  const endMs = typeof finishedAt === 'string' ? Date.parse(finishedAt) : nowMs;
  const time = clockOf(Math.max(0, (endMs - Date.parse(String(createdAt))) / 1000));
  return `${bar} ${progress.padStart(5)}  ${String(state)}  ${time}  ${String(model)}`;
};

/** Runs until the operation ends. A terminal shows one line that is updated; otherwise, and as JSON, one line per change. */
async function watch(terminal: Terminal, account: string, id: string, options: WatchOptions): Promise<void> {
  const pauseMs = Math.max(MIN_PAUSE_MS, Number(options.every) * 1000 || MIN_PAUSE_MS);
  const showLive = options.json ? undefined : terminal.showLive;
  let last = '';
  for (;;) {
    const operation = await callAdmin(terminal, options, 'GET', `${pathOf(account)}/${part(id)}`);
    const isOpen = OPEN_STATES.has(String(operation['state']));
    const line = progressLine(operation, Date.now());
    const change = `${String(operation['state'])} ${String(operation['percent'])}`;
    if (showLive !== undefined) showLive(line, !isOpen);
    else if (change !== last) terminal.print(options.json ? JSON.stringify(operation) : line);
    last = change;
    if (!isOpen) {
      if (operation['problem'] !== null) terminal.error(String(operation['problem']));
      if (operation['state'] !== 'done') terminal.setExitCode(1);
      return;
    }
    await sleep(pauseMs);
  }
}

export const addOperations = (program: Command, terminal: Terminal): void => {
  const operations = program.command('operations').description('video operations of an account');
  withAdminOptions(operations.command('list').description('list operations, newest first').argument('<account>'))
    .option('--state <state>', 'only those in this state, e.g. running')
    .action(async (account: string, options: ListOptions) => {
      const query = options.state === undefined ? '' : `?state=${part(options.state)}`;
      printRows(terminal, options, await listAdmin(terminal, options, `${pathOf(account)}${query}`), COLUMNS);
    });
  const one = (name: string, description: string): Command =>
    withAdminOptions(operations.command(name).description(description).argument('<account>').argument('<operation>'));
  one('show', 'show one operation').action(async (account: string, id: string, options: AdminOptions) =>
    printOne(terminal, options, await callAdmin(terminal, options, 'GET', `${pathOf(account)}/${part(id)}`)),
  );
  one('cancel', 'cancel one; nothing is charged').action(async (account: string, id: string, options: AdminOptions) =>
    printOne(terminal, options, await callAdmin(terminal, options, 'POST', `${pathOf(account)}/${part(id)}/cancel`)),
  );
  one('watch', 'show its progress until it has ended')
    .option('--every <seconds>', 'poll interval in seconds', '1')
    .action((account: string, id: string, options: WatchOptions) => watch(terminal, account, id, options));
};
