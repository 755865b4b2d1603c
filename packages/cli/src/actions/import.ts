// What `trivium import` does: reads the file, writes a configuration that passes the check, and reports what it could not import.

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { loadConfig, readDocument } from '@trivium/gateway/config';
import { openImportCatalogue } from '../import/catalogue.ts';
import { importedConfigText } from '../import/config-text.ts';
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
  readonly force?: true;
}

export async function importConfig(source: string, options: ImportOptions, { print, paint }: Terminal): Promise<void> {
  const { file, output, force } = options;
  if (existsSync(output) && force !== true) throw new Error(`${output} exists; pass --force to replace it`);
  const data = await readSource(file);
  const catalogue = await openImportCatalogue();
  const draft = new ImportDraft(catalogue);
  if (source === 'litellm') fromLiteLlm(data, draft);
  else if (source === 'portkey') fromPortkey(data, draft);
  else if (source === 'openrouter') fromOpenRouter(data, draft, catalogue);
  else fromChannels(data, source === 'new-api' ? NEW_API : ONE_API, draft);
  const { providers, models, aliases, notes } = draft;
  const report = notes.map(({ what, instead }) => `  ${what}: ${instead}`);
  if (providers.size === 0)
    throw new Error([`${file}: found no provider to import; is it a file of ${NAMES[source]}?`, ...report].join('\n'));
  const text = importedConfigText(NAMES[source] ?? source, draft);
  const checked = loadConfig({ text, env: {}, offline: true });
  if ('problems' in checked)
    throw new Error(
      `what was read cannot be written: ${checked.problems.map(({ path, message }) => `${path}: ${message}`).join('; ')}`,
    );
  writeFileSync(output, text, { mode: OWNER_ONLY });
  chmodSync(output, OWNER_ONLY);
  print(
    `${paint('green', 'Wrote')} ${output}: ${providers.size} providers, ${models.size} own models, ${aliases.size} aliases. No secret was copied.`,
  );
  if (notes.length > 0) print(paint('bold', `\nNot carried over, or for you to finish (${notes.length}):`));
  for (const line of report) print(line);
  print(
    `\n${paint('bold', 'Next:')}\n  trivium config check --offline --config ${output}\n  trivium doctor --config ${output}`,
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
