// What an importer collects before anything is written: providers, models, policies, accounts, and what could not be carried over.

import { problemsOfBaseUrl } from '@trivium/gateway/config';
import type { ImportCatalogue } from './catalogue.ts';
import { type Deployment, type DraftEndpoint, type DraftModel, ownModel } from './own-model.ts';

/** What could not be carried over, and what to do about it. */
export interface ImportNote {
  readonly what: string;
  readonly instead: string;
}

export interface DraftProvider {
  readonly id: string;
  readonly baseUrl?: string;
  readonly dialect?: string;
  readonly auth?: string;
  readonly quirks?: object;
  readonly variables: Readonly<Record<string, string>>;
  readonly credentials: readonly string[];
}

export interface DraftLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

export interface DraftFallback {
  readonly model: string;
  readonly on?: readonly string[];
}

/** Members of a routing policy, but for its name and what it applies to. */
export interface DraftRules {
  fallbacks?: readonly DraftFallback[];
  strategy?: string;
  order?: readonly string[];
  only?: readonly string[];
  weights?: Readonly<Record<string, number>>;
}

/** A name that callers use, with its deployments. */
export interface DraftGroup {
  readonly name: string;
  /** Id of its model here. */
  readonly id: string;
  readonly isOwn: boolean;
  /** Where each deployment is now, in their order: a provider, and the position of its credential there. */
  readonly places: readonly { readonly provider: string; readonly credential: number }[];
  /** Other names for the same. */
  readonly names: string[];
  readonly rules: DraftRules;
}

export class ImportDraft {
  readonly providers = new Map<string, DraftProvider>();
  readonly models = new Map<string, DraftModel>();
  readonly aliases = new Map<string, string>();
  readonly groups = new Map<string, DraftGroup>();
  readonly limits = new Map<string, DraftLimits>();
  readonly notes: ImportNote[] = [];
  /** Rules for all requests. */
  readonly rules: DraftRules = {};
  /** What belongs to the database, as `trivium apply` reads it. */
  readonly accounts: Readonly<Record<string, unknown>>[] = [];
  databaseVariable: string | undefined;
  redisVariable: string | undefined;
  maxAttempts: number | undefined;
  totalMs: number | undefined;
  readonly #catalogue: ImportCatalogue;

  constructor(catalogue: ImportCatalogue) {
    this.#catalogue = catalogue;
  }

  isShipped(provider: string): boolean {
    return this.#catalogue.isShipped(provider);
  }

  isKnownModel(name: string): boolean {
    return this.#catalogue.idOf(name) !== undefined;
  }

  note(what: string, instead: string): void {
    if (!this.notes.some((note) => note.what === what)) this.notes.push({ what, instead });
  }

  /** False, with a note, if the configuration would refuse its address. The address may hold a secret, so the note omits it. */
  isAccepted({ baseUrl, variables = {} }: Deployment, what: string): boolean {
    const [problem] = baseUrl === undefined ? [] : problemsOfBaseUrl(baseUrl, variables, false);
    if (problem !== undefined) this.note(what, `left out: it ${problem}`);
    return problem === undefined;
  }

  /** Returns its id in the new file: a different one if a provider with that id is already there with another address. */
  addProvider(deployment: Deployment): string {
    const { provider, sameAs, baseUrl, dialect, auth, variables = {}, credentials } = deployment;
    for (let count = 1; ; count++) {
      const id = count === 1 ? provider : `${provider}-${count}`;
      const present = this.providers.get(id);
      if (present === undefined && count > 1 && baseUrl === undefined) {
        this.note(
          `a second ${provider} with other settings (${JSON.stringify(variables)})`,
          `it shares the first one's; give it a provider of its own with dialect, baseUrl and auth`,
        );
        return provider;
      }
      if (present === undefined) {
        this.providers.set(id, {
          id,
          variables,
          credentials,
          ...(baseUrl !== undefined && { baseUrl }),
          ...(dialect !== undefined && { dialect }),
          ...(auth !== undefined && { auth }),
          ...(sameAs !== undefined && { quirks: this.#catalogue.quirksOf(sameAs, dialect ?? '') }),
        });
        return id;
      }
      if (present.baseUrl !== baseUrl || JSON.stringify(present.variables) !== JSON.stringify(variables)) continue;
      this.providers.set(id, { ...present, credentials: [...new Set([...present.credentials, ...credentials])] });
      return id;
    }
  }

  /** A model name that callers use, and its targets. */
  addModel(name: string, deployments: readonly Deployment[]): DraftGroup {
    const ids = deployments.map((deployment) => this.addProvider(deployment));
    const places = deployments.map(({ credentials }, at) => {
      const provider = ids[at] ?? '';
      const [variable = ''] = credentials;
      return { provider, credential: (this.providers.get(provider)?.credentials.indexOf(variable) ?? -1) + 1 };
    });
    const known = new Set(deployments.map((deployment) => this.#catalogue.modelAt(deployment)));
    const [id] = known;
    const isPlain = deployments.every(({ price, baseUrl }) => price === undefined && baseUrl === undefined);
    const isOwn = id === undefined || known.size > 1 || !isPlain;
    const group = { name, id: isOwn ? this.#ownId(name) : id, isOwn, places, names: [], rules: {} };
    if (isOwn) this.#addOwn(group, deployments);
    else if (this.#catalogue.idOf(name) !== id) this.aliases.set(name, id);
    this.groups.set(name, group);
    return group;
  }

  /** Another name for a name that callers use. */
  addAlias(alias: string, name: string): void {
    this.aliases.set(alias, this.aliases.get(name) ?? name);
    this.groups.get(name)?.names.push(alias);
  }

  /** A name that a fallback may lead to. */
  isServed(name: string): boolean {
    return this.groups.has(name) || this.aliases.has(name) || [...this.models.keys()].some((id) => covers(id, name));
  }

  /** Names that policies for a group match. Own models are matched by their id, so that aliases are included. */
  namesOf({ name, id, isOwn, names }: DraftGroup): readonly string[] {
    return isOwn ? [id] : [name, ...names];
  }

  /** A model of the catalogue is served by other configured providers, too: those that the file does not name are excluded. */
  fenceGroups(): void {
    for (const { id, isOwn, places, rules } of this.groups.values()) {
      const own = new Set(places.map(({ provider }) => provider));
      if (isOwn || rules.only !== undefined) continue;
      const others = this.#catalogue.providersOf(id).filter((one) => this.providers.has(one) && !own.has(one));
      if (others.length > 0) rules.only = [...own];
    }
  }

  #addOwn({ name, id, places }: DraftGroup, deployments: readonly Deployment[]): void {
    const { model, unpriced, taken } = ownModel(id, deployments, this.#catalogue);
    const endpoints: DraftEndpoint[] = [];
    for (const [at, endpoint] of model.endpoints.entries()) {
      const provider = places[at]?.provider ?? endpoint.provider;
      const twin = endpoints.find((one) => one.provider === provider);
      if (twin === undefined) endpoints.push({ ...endpoint, provider });
      else if (twin.upstreamModel !== endpoint.upstreamModel)
        this.note(
          `${name}: ${endpoint.upstreamModel} at ${provider}`,
          `left out: a model has one endpoint at a provider, here ${twin.upstreamModel}`,
        );
    }
    this.models.set(id, { ...model, endpoints });
    if (id !== name) this.aliases.set(name, id);
    for (const { upstreamModel, as, provider } of taken)
      this.note(
        `${name}: ${upstreamModel} at ${provider}`,
        `taken for ${as}, with its price there: change pricings if it is another model`,
      );
    if (unpriced.length > 0)
      this.note(
        `${name}: no price for ${unpriced.map((one) => `${one.upstreamModel} at ${one.provider}`).join(', ')}`,
        `accounts with credit or budgets get a 402 for ${id} until each endpoint has pricings; "0" if it costs nothing`,
      );
  }

  #ownId(name: string): string {
    if (/^[a-z0-9][\w.-]*\/[\w.:*-]+$/i.test(name) && this.#catalogue.idOf(name) === undefined) return name;
    const id = `${OWNER}/${name.replaceAll(/[^\w.-]+/g, '-')}`;
    for (let count = 1; ; count++) {
      const one = count === 1 ? id : `${id}-${count}`;
      if (!this.models.has(one)) return one;
    }
  }
}

/** Own models that have no owner in the other gateway get this one. */
const OWNER = 'imported';

const covers = (id: string, name: string): boolean =>
  id.endsWith('/*') ? name.startsWith(id.slice(0, -1)) : id === name;
