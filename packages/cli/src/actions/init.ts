// What `trivium init` does: asks, writes a configuration that only its owner can read, and tests the credentials it names.

import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { loadConfig, providerNeeds, providerSet } from '@trivium/gateway/config';
import { hashSecret, newKeySecret } from '@trivium/gateway/keys';
import { DEFAULT_CONFIG_FILE } from '../config-option.ts';
import { printFindings } from '../findings.ts';
import { type Answers, collectAnswers, type InitOptions } from '../init/answers.ts';
import { configText, OWN_SECRETS } from '../init/config-text.ts';
import type { Terminal } from '../terminal.ts';

const OWNER_ONLY = 0o600;

/** Every variable that the file names and the environment does not have. */
const missingVariables = ({ providers, database, redis }: Answers, { env }: Terminal): readonly string[] =>
  [...new Set([...providers.map(({ variable }) => variable), database, redis, ...(database ? OWN_SECRETS : [])])]
    .filter((name) => name !== undefined)
    .filter((name) => (env[name]?.trim() ?? '') === '');

/** Credentials whose variables are not set are skipped. */
async function testCredentials(answers: Answers, missing: readonly string[], terminal: Terminal): Promise<void> {
  const { database: _database, redis: _redis, keepHours: _hours, ...rest } = answers;
  const providers = answers.providers.filter(({ variable }) => variable !== undefined && !missing.includes(variable));
  if (providers.length === 0) return;
  const outcome = loadConfig({ text: configText({ ...rest, providers }, hashSecret('')), env: terminal.env });
  if ('problems' in outcome)
    throw new Error(outcome.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
  terminal.print('');
  const { diagnoseProviders } = await import('@trivium/gateway');
  printFindings(await diagnoseProviders(outcome.config), terminal);
}

export async function init(options: InitOptions, terminal: Terminal): Promise<void> {
  const { output, force, offline, yes } = options;
  if (terminal.ask === undefined && yes !== true)
    throw new Error('this is not a terminal: pass --yes, and the answers as options; see trivium init --help');
  if (existsSync(output) && force !== true) throw new Error(`${output} exists; pass --force to replace it`);
  const known = new Map(providerSet().all.map((provider) => [provider.id, providerNeeds(provider)]));
  const answers = await collectAnswers(options, known, terminal);
  const secret = newKeySecret();
  const text = configText(answers, hashSecret(secret));
  const checked = loadConfig({ text, env: {}, offline: true });
  if ('problems' in checked)
    throw new Error(checked.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
  writeFileSync(output, text, { mode: OWNER_ONLY, flag: force === true ? 'w' : 'wx' });
  // `mode` above applies to new files only: an existing file would keep its permissions.
  chmodSync(output, OWNER_ONLY);
  const { paint, print } = terminal;
  print(`${paint('green', 'Wrote')} ${output}, which only you may read. Secrets stay in the environment.`);
  const missing = missingVariables(answers, terminal);
  if (offline !== true) await testCredentials(answers, missing, terminal);
  print(`\nAPI key "${answers.keyName}", shown this once: ${secret}`);
  print(`\n${paint('bold', 'Next:')}`);
  const isOwn = (name: string): boolean => OWN_SECRETS.some((own) => own === name);
  for (const name of missing) print(`  export ${name}=${isOwn(name) ? '$(openssl rand -hex 32)    # keep it' : '…'}`);
  const file = output === DEFAULT_CONFIG_FILE ? '' : ` --config ${output}`;
  print(`  trivium doctor${file}`);
  print(`  trivium serve${file}`);
}
