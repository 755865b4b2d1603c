/** Secrets of stores: for settings that are read at a start or a reload, and for hosts; part of the composition root. */
import type { Config } from '../../config/config.ts';
import { type ConfigOutcome, type LoadConfigOptions, loadConfig } from '../../config/load.ts';
import { tickEveryMs } from '../../config/sections/timeouts.ts';
import { systemClock, systemTimer } from '../../kernel/clock.ts';
import { Timeouts } from '../../kernel/timeouts.ts';
import { isStoreReference } from '../../models/providers/signers/store-references.ts';
import { openUpstream } from '../../upstream/open-upstream.ts';
import { SecretBook, type Stores } from '../../upstream/secrets/secret-book.ts';
import { askThrough } from '../../upstream/signing/ask.ts';
import { readSmallFile } from '../../upstream/signing/machine.ts';
import { Signers } from '../../upstream/signing/signers.ts';

export type OpenSecrets = { readonly book: SecretBook; close(): Promise<void> };

/** With connections of its own, since settings that are read with it may be those of the others. */
export function openSecrets({ upstream: { connectionsPerOrigin, ca, proxy }, timeouts }: Config): OpenSecrets {
  const { connectMs, keepAliveMs } = timeouts;
  const connections = { connectionsPerOrigin, connectMs, keepAliveMs, ca };
  const upstream = openUpstream({ ...connections, ...(proxy !== undefined && { proxy }) });
  const ports = { upstream, clock: systemClock, timeouts: new Timeouts(systemTimer, tickEveryMs(timeouts)) };
  const sign = new Signers(ports).next();
  const book = new SecretBook({
    ask: askThrough(ports),
    clock: systemClock,
    readFile: readSmallFile,
    after: (ms, run) => {
      const timer = setTimeout(run, ms).unref();
      return () => clearTimeout(timer);
    },
    random: Math.random,
    sign,
  });
  return {
    book,
    close: async () => {
      book.close();
      await upstream.close();
    },
  };
}

/** Throws if a required secret cannot be read; others are looked up later, and their hosts are out until then. */
export async function readProviderSecrets({ book }: OpenSecrets, config: Config): Promise<void> {
  const references = Object.values(config.providers).flatMap(({ credential, spareCredentials = [] }) =>
    [...(credential === undefined ? [] : [credential]), ...spareCredentials].filter(isStoreReference),
  );
  const lacking = await book.want('providers', references, storesOf(config));
  const [first] = lacking;
  if (first !== undefined) throw new Error(`${first} cannot be read, and its store is required: ${whyOf(book, first)}`);
}

const storesOf = ({ secretStores }: Config): Stores => secretStores as Stores;

const whyOf = (book: SecretBook, reference: string): string =>
  book.states.find((state) => state.reference === reference)?.failure ?? 'it took too long';

export type LoadedWithSecrets = { readonly outcome: ConfigOutcome; readonly secrets: OpenSecrets | undefined };

/**
 * Reads the configuration twice if settings are in stores: what is said about the stores must be known before they can be
 * asked. `known`: of the configuration before; its last good values outlive an outage.
 */
export async function loadWithSecrets(options: LoadConfigOptions, known?: OpenSecrets): Promise<LoadedWithSecrets> {
  const wanted = new Set<string>();
  const stored = (reference: string) => void wanted.add(reference);
  const outcome = loadConfig({ ...options, stored });
  if (options.offline === true || 'problems' in outcome) return { outcome, secrets: known };
  const { config } = outcome;
  const secrets = known ?? openSecrets(config);
  const { book } = secrets;
  await book.want('settings', wanted, storesOf(config));
  if (wanted.size === 0) return { outcome, secrets };
  const read = loadConfig({
    ...options,
    stored: (reference) => {
      const value = book.held(reference)?.latest;
      return value !== undefined ? { value } : { problem: `cannot be read from its store: ${whyOf(book, reference)}` };
    },
  });
  return { outcome: read, secrets };
}
