// What `trivium import` does: reads the file, writes a configuration that passes the check, and reports what it could not import.

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { declaredText } from '@trivium/gateway/accounts-file';
import { loadConfig, readDocument } from '@trivium/gateway/config';
import { openImportCatalogue } from '../import/catalogue.ts';
import { accountsText, importedConfigText } from '../import/config-text.ts';
import { ImportDraft } from '../import/draft.ts';
import { fromChannels, NEW_API, ONE_API } from '../import/from-channels.ts';
import { fromLiteLlm } from '../import/from-litellm.ts';
import { fromOpenRouter } from '../import/from-openrouter.ts';
import { fromPortkey } from '../import/from-portkey.ts';
import type { Terminal } from '../terminal.ts';

const OWNER_ONLY = 0o600;
const SQLITE_MARK = 'SQLite format 3';
const NAMES: Readonly<Record<string, string>> = {
  litellm: 'LiteLLM',
  portkey: 'Portkey',
  'one-api': 'one-api',
  'new-api': 'new-api',
  openrouter: 'OpenRouter',
};

interface ImportOptions {
  readonly file: string;
  readonly output: string;
  readonly accounts?: string;
  readonly teams?: string;
  readonly force?: true;
}

export async function importConfig(source: string, options: ImportOptions, { print, paint }: Terminal): Promise<void> {
  const { file, output, accounts = join(dirname(output), 'accounts.yaml'), teams, force } = options;
  const requireFree = (path: string): void => {
    if (existsSync(path) && force !== true) throw new Error(`${path} exists; pass --force to replace it`);
  };
  requireFree(output);
  const data = await readSource(file);
  const teamList = teams === undefined ? undefined : await readSource(teams);
  const catalogue = await openImportCatalogue();
  const draft = new ImportDraft(catalogue);
  if (source === 'litellm') fromLiteLlm(data, teamList, draft);
  else if (source === 'portkey') fromPortkey(data, draft, catalogue);
  else if (source === 'openrouter') fromOpenRouter(data, draft, catalogue);
  else fromChannels(data, source === 'new-api' ? NEW_API : ONE_API, draft);
  const { providers, models, aliases, notes } = draft;
  if (draft.accounts.length > 0) requireFree(accounts);
  const report = notes.map(({ what, instead }) => `  ${what}: ${instead}`);
  if (providers.size === 0)
    throw new Error([`${file}: found no provider to import; is it a file of ${NAMES[source]}?`, ...report].join('\n'));
  const text = importedConfigText(NAMES[source] ?? source, draft);
  const checked = loadConfig({ text, env: {}, offline: true });
  if ('problems' in checked)
    throw new Error(
      `what was read cannot be written: ${checked.problems.map(({ path, message }) => `${path}: ${message}`).join('; ')}`,
    );
  const { config } = checked;
  const write = (path: string, content: string): void => {
    writeFileSync(path, content, { mode: OWNER_ONLY });
    chmodSync(path, OWNER_ONLY);
  };
  write(output, text);
  print(
    `${paint('green', 'Wrote')} ${output}: ${providers.size} providers, ${models.size} own models, ${aliases.size} aliases, ${config.policies.length} policies. No secret was copied.`,
  );
  if (draft.accounts.length > 0) {
    write(accounts, accountsText(NAMES[source] ?? source, declaredText({ accounts: draft.accounts })));
    print(`${paint('green', 'Wrote')} ${accounts}: ${draft.accounts.length} accounts with their budgets.`);
  }
  if (notes.length > 0) print(paint('bold', `\nNot carried over, or for you to finish (${notes.length}):`));
  for (const line of report) print(line);
  print(
    `\n${paint('bold', 'Next:')}\n  trivium config check --offline --config ${output}\n  trivium doctor --config ${output}${draft.accounts.length > 0 ? `\n  trivium apply -f ${accounts} --dry-run` : ''}`,
  );
}

async function readSource(file: string): Promise<unknown> {
  const bytes = readFileSync(file);
  if (bytes.toString('latin1', 0, SQLITE_MARK.length) === SQLITE_MARK) return readChannelTable(file);
  const { data, errors } = readDocument(bytes.toString('utf8'));
  const [first] = errors;
  if (first !== undefined) throw new Error(`${file}:${first.place.line}:${first.place.column}: ${first.message}`);
  return data;
}

async function readChannelTable(file: string): Promise<unknown> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare('select * from channels').all();
  } finally {
    database.close();
  }
}
