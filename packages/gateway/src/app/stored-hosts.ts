/** The hosts of the file with the credentials of the database; part of the composition root. */

import type { Config } from '../config/config.ts';
import { withStoredCredentials } from '../config/stored.ts';
import type { HostsPort } from '../control/providers/ports.ts';
import { providerSet } from '../models/providers/provider-set.ts';
import { Vault } from '../people/secrets/vault.ts';
import type { Log } from '../telemetry/log.ts';
import type { Backing } from './backing.ts';

export class StoredHosts implements HostsPort {
  readonly #backing: Backing | undefined;
  readonly #log: Log;
  #file: Config;
  #used: ReadonlySet<string> = new Set();
  #taken = '';
  #current: Config;

  constructor(file: Config, backing: Backing | undefined, log: Log) {
    this.#file = file;
    this.#current = file;
    this.#backing = backing;
    this.#log = log;
  }

  /** Takes a new file, and adds the database's credentials. */
  async take(file: Config): Promise<Config> {
    if (this.#backing === undefined || file.secrets.keys.length === 0) {
      this.#file = file;
      this.#current = file;
      return file;
    }
    const stored = await this.#backing.credentials(file.secrets.keys);
    this.#taken = fingerprint(stored);
    return this.#merge(file, stored);
  }

  /** The configuration returned last. */
  get current(): Config {
    return this.#current;
  }

  /** Providers whose stored credential is used. */
  get fromDatabase(): readonly string[] {
    return [...this.#used];
  }

  /** Undefined if the database has not changed. */
  async changed(): Promise<Config | undefined> {
    if (this.#backing === undefined || this.#file.secrets.keys.length === 0) return undefined;
    const stored = await this.#backing.credentials(this.#file.secrets.keys);
    if (fingerprint(stored) === this.#taken) return undefined;
    this.#taken = fingerprint(stored);
    return this.#merge(this.#file, stored);
  }

  readonly vault = (): Vault | undefined => {
    const { keys } = this.#file.secrets;
    return keys.length === 0 ? undefined : new Vault(keys);
  };

  readonly configured = (): readonly string[] => Object.keys(this.#file.providers);

  readonly known = (): Iterable<string> => new Set([...providerSet().ids, ...this.configured()]);

  readonly isKnown = (id: string): boolean => this.#file.providers[id] !== undefined || providerSet().ids.has(id);

  readonly sourceOf = (id: string): 'file' | 'database' | 'none' => {
    if (this.#file.providers[id]?.credential !== undefined) return 'file';
    return this.#used.has(id) ? 'database' : 'none';
  };

  readonly problemWith = (id: string, credential: string): string | undefined =>
    withStoredCredentials(this.#file, new Map([[id, credential]])).problems[0];

  #merge(file: Config, stored: ReadonlyMap<string, string>): Config {
    const { config, used, problems } = withStoredCredentials(file, stored);
    for (const problem of problems) this.#log.warn('stored credential ignored', { problem });
    this.#file = file;
    this.#used = used;
    this.#current = config;
    return config;
  }
}

const fingerprint = (stored: ReadonlyMap<string, string>): string => JSON.stringify([...stored]);
