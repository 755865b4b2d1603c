// An entry of the audit log in lines: each member that was set, before and after.

import type { AuditEntry } from '@trivium/gateway/commands';
import { isRow } from '../admin-client.ts';
import { localTime } from '../table.ts';

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '-' : typeof value === 'string' ? value : JSON.stringify(value);

const line = ([name, before, after]: readonly string[], widths: readonly number[]): string =>
  [name?.padEnd(widths[0] ?? 0), before?.padEnd(widths[1] ?? 0), after].join('  ').trimEnd();

export function auditLines({ at, actor, action, subject, accountId, detail }: AuditEntry): readonly string[] {
  const { before, ...after } = detail;
  const head = `${localTime(at)}  ${action}  ${subject}${accountId === null ? '' : `  (account ${accountId})`}  by ${actor}`;
  const was = isRow(before) ? before : undefined;
  const names = [...new Set([...Object.keys(was ?? {}), ...Object.keys(after)])];
  const rows = names.map((name) => {
    const [old, now] = [textOf(was?.[name]), textOf(after[name])];
    return was === undefined ? [name, now] : [`${old === now ? ' ' : '*'} ${name}`, old, now];
  });
  const titled = was === undefined ? [['', 'set to'], ...rows] : [['', 'before', 'after'], ...rows];
  const widths = [0, 1].map((column) => Math.max(...titled.map((row) => row[column]?.length ?? 0)));
  return [head, ...(rows.length === 0 ? [] : titled.map((row) => line(row, widths)))];
}
