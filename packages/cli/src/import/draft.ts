// What an importer collects before a configuration is written: providers, models, and what could not be carried over.

import { problemsOfBaseUrl } from '@trivium/gateway/config';
import type { ImportCatalogue } from './catalogue.ts';

/** One way to a model, as another gateway has it. */
export interface Deployment {
  /** Id of a shipped provider, or of one that only the imported file knows. */
  readonly provider: string;
  readonly upstreamModel: string;
  /** Base URL of a server outside the catalogue; it becomes a custom provider. */
  readonly baseUrl?: string;
  readonly dialect?: string;
  readonly auth?: string;
  /** Environment variables with credentials, in the order in which they are used. */
  readonly credentials: readonly string[];
  /** Values for the variables of a provider's address. */
  readonly variables?: Readonly<Record<string, string>>;
  /** US dollars per million tokens, as decimal texts. */
  readonly price?: { readonly prompt: string; readonly completion: string };
}

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
  readonly variables: Readonly<Record<string, string>>;
  readonly credentials: readonly string[];
}

interface DraftEndpoint {
  readonly provider: string;
  readonly dialect?: string;
  readonly upstreamModel: string;
  readonly price?: Deployment['price'];
}

export interface DraftModel {
  readonly id: string;
  readonly endpoints: readonly DraftEndpoint[];
}

export interface DraftLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

/** Own models that have no owner in the other gateway get this one. */
const OWNER = 'imported';

export class ImportDraft {
  readonly providers = new Map<string, DraftProvider>();
  readonly models = new Map<string, DraftModel>();
  readonly aliases = new Map<string, string>();
  readonly limits = new Map<string, DraftLimits>();
  readonly notes: ImportNote[] = [];
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
    const { provider, baseUrl, dialect, auth, variables = {}, credentials } = deployment;
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
        });
        return id;
      }
      if (present.baseUrl !== baseUrl || JSON.stringify(present.variables) !== JSON.stringify(variables)) continue;
      this.providers.set(id, { ...present, credentials: [...new Set([...present.credentials, ...credentials])] });
      return id;
    }
  }

  /** A model name that callers use, and its targets; returns the id of the model. */
  addModel(name: string, deployments: readonly Deployment[]): string {
    const ids = deployments.map((deployment) => this.addProvider(deployment));
    const known = this.#catalogue.commonModel(
      deployments.map(({ provider, upstreamModel }) => ({ provider, upstreamModel })),
    );
    const isPlain = deployments.every(({ price, baseUrl }) => price === undefined && baseUrl === undefined);
    if (known !== undefined && isPlain) {
      if (this.#catalogue.idOf(name) !== known) this.aliases.set(name, known);
      return known;
    }
    const id = this.#ownId(name);
    this.models.set(id, {
      id,
      endpoints: deployments.map(({ upstreamModel, price, provider, dialect }, at) => {
        const format = dialect === undefined ? this.#catalogue.dialectFor(provider, upstreamModel) : undefined;
        return {
          provider: ids[at] ?? provider,
          upstreamModel,
          ...(format !== undefined && { dialect: format }),
          ...(price !== undefined && { price }),
        };
      }),
    });
    if (id !== name) this.aliases.set(name, id);
    return id;
  }

  #ownId(name: string): string {
    if (/^[a-z0-9][\w.-]*\/[\w.:*-]+$/i.test(name) && this.#catalogue.idOf(name) === undefined) return name;
    return `${OWNER}/${name.replaceAll(/[^\w.-]+/g, '-')}`;
  }
}
