/** Settings that both the file and the database contain, and which of them applies; part of the composition root. */
import type { Config } from '../config/config.ts';
import { withStoredCredentials } from '../config/stored.ts';
import { findAccount } from '../control/accounts/rows.ts';
import { keySource } from '../control/keys/rows.ts';
import { credentialIdentity, listCredentials, type StoredCredential } from '../control/providers/rows.ts';
import { Vault } from '../people/secrets/vault.ts';
import { OPERATOR, Store } from '../store/postgres/store.ts';
import { type DiffRow, priceRows, termsRows } from './price-diff.ts';

const NONE = '-';

function openAll(stored: readonly StoredCredential[], secrets: readonly string[]): ReadonlyMap<string, string> {
  const vault = new Vault(secrets);
  return new Map(
    stored.flatMap((row) => {
      try {
        return [[row.provider, vault.open(credentialIdentity(row.provider), row)] as const];
      } catch {
        return [];
      }
    }),
  );
}

async function credentialRows(config: Config, store: Store): Promise<readonly DiffRow[]> {
  const stored = await store.within(OPERATOR, listCredentials);
  const opened = openAll(stored, config.secrets.keys);
  const { used } = withStoredCredentials(config, opened);
  const inDatabase = new Set(stored.map(({ provider }) => provider));
  return [...new Set([...Object.keys(config.providers), ...inDatabase])].sort().map((name): DiffRow => {
    const inFile = config.providers[name]?.credential !== undefined;
    const readable = opened.has(name) ? 'stored' : 'stored, cannot be decrypted';
    return {
      what: 'credential',
      name,
      file: inFile ? 'given' : NONE,
      database: inDatabase.has(name) ? readable : NONE,
      used: inFile ? 'file' : used.has(name) ? 'database' : 'none',
    };
  });
}

async function keyRows(config: Config, store: Store): Promise<readonly DiffRow[]> {
  const keys = keySource(store);
  const rows = config.keys.map(async ({ name, hash }): Promise<DiffRow> => {
    const stored = await keys.find(hash);
    return {
      what: 'key',
      name,
      file: 'given',
      database: stored === undefined ? NONE : `the same secret as ${stored.keyId}`,
      used: 'file',
    };
  });
  return Promise.all(rows);
}

async function accountRows(config: Config, store: Store): Promise<readonly DiffRow[]> {
  const names = [...new Set(config.keys.map(({ account }) => account))].sort();
  const rows = names.map(async (name): Promise<DiffRow> => {
    const account = await store.within(name, (db) => findAccount(db, name));
    const database = account === undefined ? NONE : `${account.kind}, ${account.status}`;
    return {
      what: 'account',
      name,
      file: 'named by keys',
      database,
      used: account === undefined ? 'unlimited, made at start' : 'database',
    };
  });
  return Promise.all(rows);
}

export async function configDiff(config: Config): Promise<readonly DiffRow[]> {
  if (config.database === undefined) throw new Error('the configuration names no database');
  const store = new Store(config.database);
  try {
    return [
      ...(await credentialRows(config, store)),
      ...(await keyRows(config, store)),
      ...(await accountRows(config, store)),
      ...(await priceRows(config, store)),
      ...(await termsRows(config, store)),
    ];
  } finally {
    await store.close();
  }
}
