// What `trivium apply` does: reads the files, lets the gateway compare and change, and prints the changes.

import { closeSync, fchmodSync, openSync, writeSync } from 'node:fs';
import { type DeclaredFiles, describeConfigProblem, readDeclaredFiles } from '@trivium/gateway/accounts-file';
import { type AdminOptions, AdminRefusal, callAdmin, isRow, part, type Row } from '../admin-client.ts';
import type { Style, Terminal } from '../terminal.ts';

export type ApplyOptions = AdminOptions & {
  readonly file: string;
  readonly dryRun?: true;
  readonly prune?: true;
  readonly secrets?: string;
};

type Step = {
  readonly action: 'create' | 'change' | 'remove';
  readonly kind: string;
  /** `acme`, or `acme/production`. */
  readonly name: string;
  readonly before?: Row;
  readonly after?: Row;
  /** Changed or removed by hand since the last apply. */
  readonly drift?: 'changed' | 'removed';
  readonly why?: 'not-pruned' | 'made-by-hand';
};

type NewSecret = { readonly kind: string; readonly name: string; readonly secret: string };

type Applied = {
  readonly changes: readonly Step[];
  readonly leftAlone: readonly Step[];
  readonly secrets: readonly NewSecret[];
};

const OWNER_ONLY = 0o600;
const CHANGES_NEEDED = 2;
/** Thousands of keys take a while. */
const LIMIT_MS = 600_000;
const STYLES: Readonly<Record<Step['action'], Style>> = { create: 'green', change: 'yellow', remove: 'red' };
const SIGNS: Readonly<Record<Step['action'], string>> = { create: '+', change: '~', remove: '-' };

const shown = (value: unknown): string => (value === undefined || value === null ? 'none' : JSON.stringify(value));

/** `role "developer" → "admin"`, for each member that differs. */
const differences = (before: Row, after: Row): string =>
  Object.keys(after)
    .map((name) => `${name} ${shown(before[name])} → ${shown(after[name])}`)
    .join(', ');

const describe = ({ action, kind, name, before = {}, after = {}, drift }: Step): string => {
  const members = Object.entries(action === 'remove' ? before : after).filter(([, value]) => value != null);
  const detail =
    action === 'change'
      ? differences(before, after)
      : members.map(([member, value]) => `${member} ${shown(value)}`).join(', ');
  const byHand = drift === undefined ? '' : ` (${drift} by hand since the last apply)`;
  return `${SIGNS[action]} ${kind} ${name}${detail === '' ? '' : `: ${detail}`}${byHand}`;
};

/** Every problem of the document at its line. */
const atTheirLines = (error: unknown, { placeOf }: DeclaredFiles): unknown => {
  const { problems } = error instanceof AdminRefusal ? error.details : {};
  if (!Array.isArray(problems) || problems.length === 0) return error;
  const lines = problems
    .filter(isRow)
    .map(({ path, message }) => `${placeOf(Array.isArray(path) ? path : [])}: ${message}`);
  return new Error(`${lines.join('\n')}\nNothing was changed.`);
};

/** Operators declare an installation; a key that manages its account declares that account. */
const send = async (files: DeclaredFiles, options: ApplyOptions, terminal: Terminal): Promise<Applied> => {
  const { prune = false, dryRun = false } = options;
  const body = { declared: files.declared, prune, dryRun, takeSecrets: options.secrets !== undefined };
  const { actor } = await callAdmin(terminal, options, 'GET', '/me');
  if (actor === 'operator')
    return (await callAdmin(terminal, options, 'POST', '/declared', body, LIMIT_MS)) as unknown as Applied;
  const { accounts, ...others } = files.declared;
  const [account, ...more] = (accounts ?? []) as readonly Row[];
  if (account === undefined || more.length > 0 || Object.keys(others).length > 0)
    throw new Error('a key that manages an account declares that one account: use the secret of an operator for more');
  const path = `/accounts/${part(String(account['id']))}/declared`;
  return (await callAdmin(
    terminal,
    options,
    'POST',
    path,
    { ...body, declared: account },
    LIMIT_MS,
  )) as unknown as Applied;
};

const countOf = (steps: readonly Step[], action: Step['action']): number =>
  steps.filter((step) => step.action === action).length;

const summary = (steps: readonly Step[]): string =>
  steps.length === 0
    ? 'No changes.'
    : `${countOf(steps, 'create')} to create, ${countOf(steps, 'change')} to change, ${countOf(steps, 'remove')} to remove`;

const printPlan = ({ changes, leftAlone }: Applied, terminal: Terminal): void => {
  for (const step of changes) terminal.print(terminal.paint(STYLES[step.action], describe(step)));
  const headings = [
    ['not-pruned', 'Not in the files, and left alone without --prune:'],
    ['made-by-hand', 'Not in the files, and not made by an apply:'],
  ] as const;
  for (const [why, heading] of headings) {
    const steps = leftAlone.filter((step) => step.why === why);
    if (steps.length > 0) terminal.print(heading);
    for (const step of steps) terminal.print(terminal.paint('dim', `  ${describe(step)}`));
  }
  terminal.print(summary(changes));
};

/** Opened before the first change: a secret that cannot be written would be lost. */
const openSecretFile = (file: string): { write(made: NewSecret): void; close(): void } => {
  const descriptor = openSync(file, 'a', OWNER_ONLY);
  fchmodSync(descriptor, OWNER_ONLY);
  return {
    write: ({ kind, name, secret }) => void writeSync(descriptor, `${JSON.stringify({ [kind]: name, secret })}\n`),
    close: () => closeSync(descriptor),
  };
};

const NO_PLACE_FOR_SECRETS = /^takeSecrets: (.*): say where secrets go\..*$/;

export const applyFiles = async (options: ApplyOptions, terminal: Terminal): Promise<void> => {
  const files = readDeclaredFiles(options.file, terminal.env);
  if ('problems' in files) throw new Error(files.problems.map(describeConfigProblem).join('\n'));
  const file = options.secrets === undefined || options.dryRun ? undefined : openSecretFile(options.secrets);
  try {
    const applied = await send(files, options, terminal).catch((error: unknown) => {
      const [, made] = (error instanceof Error ? NO_PLACE_FOR_SECRETS.exec(error.message) : null) ?? [];
      throw made === undefined ? atTheirLines(error, files) : new Error(`${made}: give --secrets <file>`);
    });
    for (const made of applied.secrets) file?.write(made);
    const { changes, leftAlone } = applied;
    if (options.json) terminal.print(JSON.stringify({ changes, leftAlone }));
    else printPlan(applied, terminal);
    if (options.dryRun && changes.length > 0) terminal.setExitCode(CHANGES_NEEDED);
    if (!options.json && !options.dryRun && changes.length > 0) terminal.print('Applied.');
  } finally {
    file?.close();
  }
};
