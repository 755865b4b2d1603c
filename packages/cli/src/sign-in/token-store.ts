/**
 * Who is signed in where: one file that only its owner may read, with the tokens in the system's keychain where there is
 * one. Several programs renew at once, so renewal takes a lock.
 */
import { mkdirSync, readFileSync, renameSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRow } from '../admin-client.ts';
import type { Tokens } from './authorization-server.ts';
import { type Keychain, systemKeychain } from './keychain.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Entry = { readonly email?: string | undefined; readonly tokens: Tokens | 'keychain' };
type Contents = { readonly last?: string | undefined; readonly gateways: Readonly<Record<string, Entry>> };

const [OWNER_ONLY, OWNER_ONLY_FOLDER] = [0o600, 0o700];
const LOCK_STALE_MS = 30_000;
const LOCK_PATIENCE_MS = 45_000;
const LOCK_LOOK_MS = 50;

export class TokenStore {
  readonly path: string;
  readonly #keychain: Promise<Keychain | undefined>;

  constructor(env: Env) {
    const config = env['XDG_CONFIG_HOME'] || (process.platform === 'win32' && env['LOCALAPPDATA']) || undefined;
    this.path = join(config ?? join(env['HOME'] ?? homedir(), '.config'), 'trivium', 'sign-in.json');
    this.#keychain = systemKeychain(env);
  }

  /** The gateway of the newest sign-in. */
  get last(): string | undefined {
    return this.#contents().last;
  }

  async read(gateway: string): Promise<Tokens | undefined> {
    const tokens = this.#contents().gateways[gateway]?.tokens;
    if (tokens !== 'keychain') return tokens;
    const text = await (await this.#keychain)?.read(gateway);
    const found: unknown = text === undefined ? undefined : JSON.parse(text);
    return isTokens(found) ? found : undefined;
  }

  /** Where they are now, in words. */
  async write(gateway: string, tokens: Tokens): Promise<string> {
    const keychain = await this.#keychain;
    await keychain?.write(gateway, JSON.stringify(tokens));
    const { gateways } = this.#contents();
    const entry: Entry = { email: tokens.email, tokens: keychain === undefined ? tokens : 'keychain' };
    this.#save({ last: gateway, gateways: { ...gateways, [gateway]: entry } });
    return keychain?.name ?? this.path;
  }

  async remove(gateway: string): Promise<void> {
    const { last, gateways } = this.#contents();
    if (gateways[gateway]?.tokens === 'keychain') await (await this.#keychain)?.remove(gateway);
    const { [gateway]: _, ...others } = gateways;
    this.#save({ last: last === gateway ? Object.keys(others).at(-1) : last, gateways: others });
  }

  /** One process at a time. A folder is made by one only; one that was left behind by a killed process is taken over. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    const lock = `${this.path}.lock`;
    mkdirSync(dirname(lock), { recursive: true, mode: OWNER_ONLY_FOLDER });
    for (let waitedMs = 0; !isTaken(lock); waitedMs += LOCK_LOOK_MS) {
      if (waitedMs > LOCK_PATIENCE_MS)
        throw new Error(`${lock} is held by another process: remove it if there is none`);
      await sleep(LOCK_LOOK_MS);
    }
    try {
      return await work();
    } finally {
      removeFolder(lock);
    }
  }

  #contents(): Contents {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if (isRow(error) && error['code'] === 'ENOENT') return { gateways: {} };
      throw error;
    }
    const found: unknown = JSON.parse(text);
    if (!isRow(found) || !isRow(found['gateways'])) throw new Error(`${this.path} is not what trivium login wrote`);
    return found as Contents;
  }

  /** Replaced as a whole, so that no reader sees half of it. */
  #save(contents: Contents): void {
    mkdirSync(dirname(this.path), { recursive: true, mode: OWNER_ONLY_FOLDER });
    const next = `${this.path}.${process.pid}`;
    writeFileSync(next, `${JSON.stringify(contents, null, 2)}\n`, { mode: OWNER_ONLY });
    renameSync(next, this.path);
  }
}

const isTokens = (value: unknown): value is Tokens =>
  isRow(value) && typeof value['accessToken'] === 'string' && typeof value['expiresAtMs'] === 'number';

function isTaken(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (!isRow(error) || error['code'] !== 'EEXIST') throw error;
  }
  const madeAtMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (Date.now() - madeAtMs > LOCK_STALE_MS) removeFolder(lock);
  return false;
}

function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Another process has taken it over.
  }
}
