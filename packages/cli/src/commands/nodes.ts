// `trivium nodes`: the running processes. `trivium config show`: the settings one of them uses.

import type { Command } from 'commander';
import { type AdminOptions, callAdmin, isRow, printRows, type Row, withAdminOptions } from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

const rowsOf = (items: unknown): readonly Row[] => (Array.isArray(items) ? items.filter(isRow) : []);

const short = (value: unknown): unknown => (typeof value === 'object' ? JSON.stringify(value) : value);

const query = (parameters: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
};

export const addNodes = (program: Command, terminal: Terminal): void => {
  const nodes = program.command('nodes').description('processes that serve');
  withAdminOptions(
    nodes.command('list').description('list every process with its version, configuration and load'),
  ).action(async (options: AdminOptions) => {
    const { items } = await callAdmin(terminal, options, 'GET', '/nodes');
    printRows(terminal, options, rowsOf(items), [
      'id',
      'version',
      'startedAt',
      'unready',
      'generation',
      'configHash',
      'inFlight',
      'unpostedSettlements',
      'usageWaiting',
      'loopDelayMs',
      'seenAt',
    ]);
  });
};

export const addConfigShow = (parent: Command, terminal: Terminal): void => {
  withAdminOptions(
    parent
      .command('show')
      .description('show the settings of a running gateway and what says each; secrets are redacted')
      .option('--node <node>', 'of this node (default: the one that answers)')
      .option('--changed', 'only what is not a default'),
  ).action(async (options: AdminOptions & { readonly node?: string; readonly changed?: true }) => {
    const { items } = await callAdmin(terminal, options, 'GET', `/config${query({ node: options.node })}`);
    const rows = rowsOf(items).filter(({ source }) => options.changed !== true || source !== 'default');
    printSettings(terminal, options, rows, ['path', 'value', 'source', 'place']);
  });
};

export type RunningDiffOptions = AdminOptions & { readonly node?: string; readonly against?: string };

/** Exit code 1 if the file could not be loaded. */
export const printRunningDiff = async (terminal: Terminal, options: RunningDiffOptions): Promise<void> => {
  const { node, against } = options;
  const diff = await callAdmin(terminal, options, 'GET', `/config/diff${query({ node, against })}`);
  for (const { place, path, message } of rowsOf(diff['problems'])) {
    terminal.error([place, path, message].filter((part) => part !== '').join(': '));
    terminal.setExitCode(1);
  }
  printSettings(terminal, options, rowsOf(diff['items']), ['path', 'change', 'from', 'to', 'needsRestart']);
};

/** In JSON, values stay unformatted. */
const printSettings = (
  terminal: Terminal,
  options: AdminOptions,
  rows: readonly Row[],
  columns: readonly string[],
): void => {
  const shown = options.json
    ? rows
    : rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, short(value)])));
  printRows(terminal, options, shown, columns);
};
