/**
 * Reads files of accounts, members, keys and budgets for `trivium apply`, checks them, and reports each problem with
 * its line.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { sentenceOf } from '../../control/api/forms.ts';
import { parseUsd } from '../../control/api/usd.ts';
import { fitsSchema } from '../reading/check-form.ts';
import { readDocument, type SourceDocument } from '../reading/document.ts';
import { type ConfigPath, type ConfigProblem, pathText, type Report } from '../reading/problem.ts';
import { secretResolver } from '../reading/secrets.ts';
import { resolveValues } from './resolve.ts';
import { AccountsFile, type FileAccount, type FileBudgets } from './schema.ts';

export { parseUsd } from '../../control/api/usd.ts';
export { excessOf, inheriting, type Rights } from '../../people/accounts/rights.ts';
export { describeConfigProblem } from '../reading/problem.ts';
export type { FileAccount, FileBudgets, FileKey, FileMember } from './schema.ts';

export interface PlacedAccount {
  readonly account: FileAccount;
  /** `accounts.yaml:12:5` for a path below the account, such as `['keys', 0]`. */
  placeOf(path: ConfigPath): string;
}

export type AccountsOutcome =
  | { readonly accounts: readonly PlacedAccount[] }
  | { readonly problems: readonly ConfigProblem[] };

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_BYTES = 16 * 1_048_576;
const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/** The file itself, or the YAML and JSON files of a folder by name. */
const filesAt = (path: string): readonly string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => EXTENSIONS.has(extname(name)))
        .sort()
        .map((name) => join(path, name))
    : [path];

const readText = (file: string): string => {
  const { size } = statSync(file);
  if (size > MAX_BYTES) throw new Error(`is larger than ${MAX_BYTES} bytes`);
  return readFileSync(file, 'utf8');
};

/** How a file names a member: by e-mail if it has one, else by name. */
export const memberLabel = ({ name, email }: { readonly name: string; readonly email?: string | null }): string =>
  email ?? name;

const reportTwice = (labels: readonly string[], what: string, path: ConfigPath, report: Report): void => {
  for (const [index, label] of labels.entries())
    if (labels.indexOf(label) < index) report([...path, index], `a second ${what} "${label}"`);
};

const checkBudgets = (budgets: FileBudgets | undefined, path: ConfigPath, report: Report): void => {
  for (const [span, usd] of Object.entries(budgets ?? {}))
    if (parseUsd(usd, span) < 0n) report([...path, 'budgets', span], 'must not be negative');
};

/** Checks beyond the schema: duplicate names and dangling references. */
const checkAccount = (account: FileAccount, path: ConfigPath, report: Report): void => {
  const { members = [], keys = [] } = account;
  if ((account.kind === 'postpaid') !== (account.creditLimitUsd !== undefined))
    report([...path, 'creditLimitUsd'], 'is required for postpaid accounts, and for no others');
  reportTwice(members.map(memberLabel), 'member', [...path, 'members'], report);
  reportTwice(
    keys.map(({ name }) => name),
    'key',
    [...path, 'keys'],
    report,
  );
  checkBudgets(account.budgets, path, report);
  for (const [index, { budgets }] of members.entries()) checkBudgets(budgets, [...path, 'members', index], report);
  for (const [index, { budgets }] of keys.entries()) checkBudgets(budgets, [...path, 'keys', index], report);
};

const placeIn =
  (file: string, document: SourceDocument) =>
  (path: ConfigPath, point: 'key' | 'value' = 'value'): string => {
    const { line, column } = document.placeOf(path, point);
    return `${file}:${line}:${column}`;
  };

const readAccounts = (file: string, env: Environment, problems: ConfigProblem[]): readonly PlacedAccount[] => {
  const document = readDocument(readText(file));
  for (const { place, message } of document.errors)
    problems.push({ place: `${file}:${place.line}:${place.column}`, path: '', message });
  if (document.errors.length > 0) return [];
  const placeOf = placeIn(file, document);
  const before = problems.length;
  const report: Report = (path, message, point) => {
    const place = placeOf(path, point);
    // An unresolved reference already has a problem: its type is not reported as well.
    if (!problems.slice(before).some((known) => known.place === place))
      problems.push({ place, path: pathText(path), message });
  };
  const data = resolveValues(document.data ?? {}, secretResolver(env, dirname(file)), report);
  const patternText = (pattern: string): string => sentenceOf(pattern) ?? `does not have the form ${pattern}`;
  if (!fitsSchema(AccountsFile, data, report, patternText) || problems.length > before) return [];
  const { accounts } = data as { readonly accounts: readonly FileAccount[] };
  return accounts.map((account, index) => {
    checkAccount(account, ['accounts', index], report);
    return { account, placeOf: (path) => placeOf(['accounts', index, ...path]) };
  });
};

export const readAccountsFiles = (path: string, env: Environment): AccountsOutcome => {
  const problems: ConfigProblem[] = [];
  const accounts: PlacedAccount[] = [];
  for (const file of filesAt(path)) accounts.push(...readAccounts(file, env, problems));
  const places = new Map<string, string>();
  for (const { account, placeOf } of accounts) {
    const first = places.get(account.id);
    if (first === undefined) places.set(account.id, placeOf([]));
    else problems.push({ place: placeOf([]), path: '', message: `account "${account.id}" stands at ${first} already` });
  }
  return problems.length > 0 ? { problems } : { accounts };
};
