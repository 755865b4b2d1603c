/**
 * The secrets of stores that are in use: what is referred to is read at the start, with one bounded wait, and looked up
 * again from time to time. Values are in memory only.
 */
import type { CredentialState, RequestSigner } from '../../kernel/upstream.ts';
import { secretsIn } from '../../models/providers/signers/credentials.ts';
import type { SigningScheme } from '../../models/providers/signers/schemes.ts';
import {
  readStoreReference,
  type StoreKind,
  type StoreReference,
} from '../../models/providers/signers/store-references.ts';
import { unreadable } from '../signing/ask.ts';
import { notSetUp } from '../signing/machine.ts';
import {
  AWS_SECRETS,
  AZURE_SECRETS,
  awsSecret,
  azureSecret,
  GOOGLE_SECRETS,
  googleSecret,
  type SignedAsk,
  signedAsk,
} from './cloud-stores.ts';
import { HeldSecret, type HeldSecretPorts } from './held-secret.ts';
import { type StorePorts, type VaultSettings, VaultStore } from './vault-store.ts';

export type StoreOfSecrets = Partial<VaultSettings> & {
  readonly kind: StoreKind;
  readonly mount: string;
  readonly identity?: string;
  readonly region?: string;
  readonly project?: string;
  readonly everyMs: number;
  readonly waitMs: number;
  readonly required: boolean;
};
export type Stores = Readonly<Record<string, StoreOfSecrets>>;

export type BookPorts = StorePorts &
  Pick<HeldSecretPorts, 'after'> & {
    readonly random: () => number;
    readonly sign: (
      scheme: SigningScheme,
      settings: { readonly credential: string; readonly variables: Readonly<Record<string, string>> },
    ) => RequestSigner | undefined;
  };

type Source = {
  readonly look: (name: string) => Promise<Content>;
  readonly lookBefore?: (name: string) => Promise<Content>;
};
type Content = string | Readonly<Record<string, unknown>>;
type Entry = { readonly reference: StoreReference; readonly held: HeldSecret; readonly uses: Set<Use> };
/** Who refers to it: hosts of models, or other settings of the file. */
export type Use = 'providers' | 'settings';
export type StoreState = CredentialState & { readonly identity: string; readonly reference: string };

/** A secret that was never read is looked up more often. */
const RETRY_MS = 5000;
const JITTER = 0.1;
const MAX_LENGTH = 65_536;

export class SecretBook {
  readonly #ports: BookPorts;
  readonly #entries = new Map<string, Entry>();
  readonly #sources = new Map<string, { readonly settings: string; readonly source: Source }>();
  readonly #beats = new Map<string, () => void>();
  #stores: Stores = {};
  #values: readonly string[] = [];
  #isClosed = false;
  /** There is another value. */
  onValue: () => void = () => undefined;
  /** A secret that settings other than providers refer to has another value: they must be read again. */
  onSetting: () => void = () => undefined;

  constructor(ports: BookPorts) {
    this.#ports = ports;
  }

  /** All values in use, with the secrets inside them. Another list whenever there is another value. */
  get values(): readonly string[] {
    return this.#values;
  }

  get states(): readonly StoreState[] {
    return [...this.#entries].map(([text, { reference, held }]) => ({
      ...held.state,
      identity: `${reference.kind}:${reference.store}`,
      reference: text,
    }));
  }

  /** Of a reference that is wanted. */
  readonly held = (reference: string): HeldSecret | undefined => this.#entries.get(reference)?.held;

  /**
   * What is referred to from now on, by those of this use. Waits for new ones, no longer than their stores say; one that
   * could not be read is looked up later. Returns those that are required and have no value.
   */
  async want(use: Use, references: Iterable<string>, stores: Stores): Promise<readonly string[]> {
    this.#stores = stores;
    const wanted = new Set(references);
    for (const text of wanted) this.#add(text, use);
    for (const [text, { uses }] of this.#entries) {
      if (!wanted.has(text)) uses.delete(use);
      if (uses.size === 0) this.#entries.delete(text);
    }
    const fresh = [...this.#entries.values()].filter(({ held }) => held.latest === undefined);
    await Promise.all(
      fresh.map(({ reference, held }) => this.#bounded(held.look(), this.#stores[reference.store]?.waitMs ?? 0)),
    );
    for (const name of new Set([...this.#entries.values()].map(({ reference }) => reference.store)))
      if (!this.#beats.has(name)) this.#beat(name);
    return [...wanted].filter((text) => {
      const entry = this.#entries.get(text);
      return entry !== undefined && entry.held.latest === undefined && this.#settingsOf(entry.reference).required;
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#beats.values()) cancel();
  }

  #add(text: string, use: Use): void {
    const known = this.#entries.get(text);
    if (known !== undefined) {
      known.uses.add(use);
      return;
    }
    const reference = readStoreReference(text);
    if (reference === undefined) return;
    const { clock, after } = this.#ports;
    const uses = new Set([use]);
    const look = async (): Promise<string> => textIn(await this.#sourceOf(reference).look(reference.name), reference);
    const lookBefore = async (): Promise<string> => {
      const { lookBefore: before } = this.#sourceOf(reference);
      if (before === undefined) throw unreadable('none before it');
      return textIn(await before(reference.name), reference);
    };
    const held = new HeldSecret(look, reference.kind === 'aws-sm' ? lookBefore : undefined, {
      clock,
      after,
      onValue: (isRotation) => {
        this.#values = [...this.#entries.values()].flatMap((entry) => entry.held.values.flatMap(secretsIn));
        this.onValue();
        if (isRotation && uses.has('settings')) this.onSetting();
      },
    });
    this.#entries.set(text, { reference, held, uses });
  }

  /** Looks all secrets of a store up again, one after the other; in between those that were never read. */
  #beat(name: string, allAtMs = this.#nextOf(name)): void {
    const { clock, after } = this.#ports;
    const of = (): readonly Entry[] => [...this.#entries.values()].filter(({ reference }) => reference.store === name);
    const run = async (): Promise<void> => {
      const areAll = clock.nowMs() >= allAtMs;
      for (const { held } of of()) if (areAll || held.latest === undefined) await held.look();
      if (this.#isClosed || of().length === 0) this.#beats.delete(name);
      else this.#beat(name, areAll ? this.#nextOf(name) : allAtMs);
    };
    const isLacking = of().some(({ held }) => held.latest === undefined);
    const waitMs = Math.max(0, allAtMs - clock.nowMs());
    this.#beats.set(
      name,
      after(isLacking ? Math.min(waitMs, RETRY_MS) : waitMs, () => void run()),
    );
  }

  #nextOf(name: string): number {
    const { everyMs = RETRY_MS } = this.#stores[name] ?? {};
    return this.#ports.clock.nowMs() + everyMs * (1 + JITTER * (2 * this.#ports.random() - 1));
  }

  async #bounded(work: Promise<void>, waitMs: number): Promise<void> {
    let cancel = (): void => undefined;
    const enough = new Promise<void>((resolve) => {
      cancel = this.#ports.after(waitMs, resolve);
    });
    await Promise.race([work, enough]);
    cancel();
  }

  #settingsOf({ store }: StoreReference): StoreOfSecrets {
    const settings = this.#stores[store];
    if (settings === undefined) throw notSetUp(`secretStores lacks ${store}`);
    return settings;
  }

  /** Made anew when the store's settings change. */
  #sourceOf(reference: StoreReference): Source {
    const settings = this.#settingsOf(reference);
    const text = JSON.stringify(settings);
    const known = this.#sources.get(reference.store);
    if (known?.settings === text) return known.source;
    const source = this.#make(settings);
    this.#sources.set(reference.store, { settings: text, source });
    return source;
  }

  #make(settings: StoreOfSecrets): Source {
    const { kind, region = '', project = '' } = settings;
    if (kind === 'vault') {
      const vault = new VaultStore(settings as VaultSettings, this.#ports);
      return { look: (name) => vault.read(name) };
    }
    if (kind === 'aws-sm') {
      const ask = this.#signed(AWS_SECRETS, settings);
      const suffix = region.startsWith('cn-') ? '.cn' : '';
      const { address = `https://secretsmanager.${region}.amazonaws.com${suffix}` } = settings;
      return {
        look: (name) => awsSecret(ask, address, name, 'AWSCURRENT'),
        lookBefore: (name) => awsSecret(ask, address, name, 'AWSPREVIOUS'),
      };
    }
    if (kind === 'gcp-sm') {
      const ask = this.#signed(GOOGLE_SECRETS, settings);
      const { address = 'https://secretmanager.googleapis.com' } = settings;
      return { look: (name) => googleSecret(ask, address, project, name) };
    }
    const ask = this.#signed(AZURE_SECRETS, settings);
    return { look: (name) => azureSecret(ask, settings.address ?? '', name) };
  }

  #signed(scheme: SigningScheme, { identity = '', region = '' }: StoreOfSecrets): SignedAsk {
    const signer = this.#ports.sign(scheme, { credential: identity, variables: { region } });
    if (signer === undefined) throw notSetUp('the identity of the store does not fit it');
    return signedAsk(this.#ports.ask, signer, scheme === AWS_SECRETS);
  }
}

/** The member that a reference names, or the only one. */
function textIn(content: Content, { member }: StoreReference): string {
  const value = typeof content === 'string' && member === undefined ? content : memberIn(content, member);
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '' || text.length > MAX_LENGTH) throw notSetUp('the secret in the store is no text');
  return text;
}

function memberIn(content: Content, member: string | undefined): unknown {
  const members = typeof content === 'string' ? objectIn(content) : content;
  const names = Object.keys(members);
  const name = member ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined || !Object.hasOwn(members, name))
    throw notSetUp('the secret in the store lacks the member of the reference');
  return members[name];
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === 'object' && read !== null) return read as Readonly<Record<string, unknown>>;
  } catch {
    // Reported below.
  }
  throw notSetUp('the secret in the store has no members');
}
