/** Installations and requests that are made up from a seed: small, so that policies meet each other often. */
import { Random } from '../ledger-model/random.ts';

export type Facts = {
  readonly region?: string;
  readonly retentionDays?: number;
  readonly trains?: boolean;
  /** USD per million tokens, of input and output. */
  readonly price?: number;
};

export type Members = {
  readonly fallbacks?: readonly { readonly model: string; readonly on?: readonly string[] }[] | null;
  readonly strategy?: 'cost' | 'priority' | null;
  readonly order?: readonly string[] | null;
  readonly weights?: Readonly<Record<string, number>> | null;
  readonly only?: readonly string[] | null;
  readonly ignore?: readonly string[] | null;
  readonly maxPrice?: { readonly promptUsdPerMillion: number } | null;
  readonly region?: readonly string[] | null;
  readonly retention?: number | null;
  readonly trains?: boolean;
  readonly strict?: boolean;
  readonly timeouts?: { readonly totalMs: number } | null;
  readonly sticky?: boolean;
  readonly canary?: { readonly model?: string; readonly host?: string; readonly percent: number } | null;
};

export type MadePolicy = Members & {
  readonly name: string;
  readonly scope?: { readonly account?: string; readonly key?: string; readonly tag?: string };
  readonly match?: {
    readonly models?: readonly string[];
    readonly protocols?: readonly string[];
    readonly operations?: readonly string[];
  };
};

export type Wishes = {
  readonly providers?: readonly string[];
  readonly only?: readonly string[];
  readonly ignore?: readonly string[];
  readonly order?: readonly string[];
  readonly factor?: 'cost';
  readonly region?: string;
  readonly zeroRetention?: true;
  readonly noTraining?: true;
  readonly noFallback?: true;
  readonly models?: readonly string[];
};

export type Installation = {
  /** Hosts of each model, in the order of the catalogue. */
  readonly models: Readonly<Record<string, readonly string[]>>;
  readonly facts: Readonly<Record<string, Facts>>;
  readonly policies: readonly MadePolicy[];
  /** Policies whose canary has stepped back. */
  readonly steppedBack: readonly string[];
};

export type MadeRequest = {
  readonly account: string;
  readonly key: string;
  readonly tags: Readonly<Record<string, string>>;
  /** A model, an alias, or a model with its one host. */
  readonly asked: string;
  readonly protocol: 'chat' | 'messages';
  readonly operation: 'text' | 'embed';
  readonly wishes: Wishes;
  /** Models the key may use; absent: all. */
  readonly mayUse?: readonly string[];
  /** Hosts that are out of service. */
  readonly out: readonly string[];
  /** What a call without a conversation draws. */
  readonly draw: number;
  /** How the conversation begins, and how many turns it has by now; absent: the call belongs to none. */
  readonly conversation?: { readonly opening: string; readonly turns: number };
};

/** What the same words draw, always: the chance that is controlled here. */
export const chanceOf = (...words: readonly string[]): number => {
  let hash = 2_166_136_261;
  for (const character of words.join('|')) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  return new Random(hash >>> 0).next();
};

export const HOSTS = ['e', 'n', 's', 'w'] as const;
const MODELS = ['p/a', 'p/b', 'q/a'] as const;
export const ALIASES: Readonly<Record<string, string>> = { fast: 'p/a', slow: 'q/a' };
/** From the bottom up. */
export const PARENTS: Readonly<Record<string, string>> = { squad: 'team', team: 'acme' };
const ACCOUNTS = ['acme', 'team', 'squad', 'other'] as const;
const KEYS = ['k1', 'k2'] as const;
const TAGS = { team: ['x', 'y'], env: ['prod'] } as const;
const PATTERNS = ['*', 'p/*', 'q/*', 'p/a', 'p/b', 'q/a', 'fast', 'f*'] as const;

export class Maker {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#random.between(0, list.length - 1)]!;
  }

  #maybe<T>(chance: number, make: () => T): T | undefined {
    return this.#random.happens(chance) ? make() : undefined;
  }

  #some<T>(list: readonly T[], most: number): T[] {
    const shuffled = [...list].map((item) => ({ item, at: this.#random.next() })).sort((a, b) => a.at - b.at);
    return shuffled.slice(0, this.#random.between(1, most)).map(({ item }) => item);
  }

  installation(): Installation {
    const facts = Object.fromEntries(
      HOSTS.map((host) => [
        host,
        present({
          region: this.#maybe(0.7, () => this.#one(['eu', 'us'])),
          retentionDays: this.#maybe(0.7, () => this.#one([0, 30])),
          trains: this.#maybe(0.7, () => this.#random.happens(0.3)),
          price: this.#maybe(0.8, () => this.#random.between(1, 4)),
        }),
      ]),
    );
    const models = Object.fromEntries(MODELS.map((model) => [model, this.#some(HOSTS, 4)]));
    const policies = Array.from({ length: this.#random.between(1, 6) }, (_, index) => this.#policy(`p${index}`));
    const steppedBack = policies.filter(() => this.#random.happens(0.2)).map(({ name }) => name);
    return { models, facts, policies, steppedBack };
  }

  #policy(name: string): MadePolicy {
    return present({ name, scope: this.#scope(), match: this.#match(), ...this.#members() });
  }

  #scope(): MadePolicy['scope'] {
    const account = this.#one(ACCOUNTS);
    const tag = this.#one(['team=x', 'team=y', 'env=prod']);
    return this.#one([
      undefined,
      { account },
      { account },
      { account, key: this.#one(KEYS) },
      { tag },
      { account, tag },
    ]);
  }

  #match(): MadePolicy['match'] {
    const match = present({
      models: this.#maybe(0.6, () => this.#some(PATTERNS, 2)),
      protocols: this.#maybe(0.2, () => this.#some(['chat', 'messages'], 2)),
      operations: this.#maybe(0.2, () => this.#some(['text', 'embed'], 2)),
    });
    return Object.keys(match).length === 0 ? undefined : match;
  }

  #members(): Members {
    const all = {
      fallbacks: () => this.#fallbacks(),
      strategy: () => this.#one(['cost', 'priority', null] as const),
      order: () => this.#one([null, this.#some(HOSTS, 2)]),
      weights: () => Object.fromEntries(this.#some(HOSTS, 3).map((host) => [host, this.#random.between(1, 9)])),
      only: () => this.#one([null, this.#some(HOSTS, 3), this.#some(HOSTS, 3)]),
      ignore: () => this.#some(HOSTS, 2),
      maxPrice: () => this.#one([null, { promptUsdPerMillion: this.#random.between(1, 3) }]),
      region: () => this.#one([null, ['eu'], ['us'], ['eu', 'us']]),
      retention: () => this.#one([null, 0, 30]),
      trains: () => this.#random.happens(0.3),
      strict: () => this.#random.happens(0.5),
      timeouts: () => this.#one([null, { totalMs: this.#random.between(100, 103) }]),
      sticky: () => this.#random.happens(0.8),
      canary: () => this.#canary(),
    };
    const names = this.#some(Object.keys(all) as (keyof typeof all)[], 2);
    // The others are met often enough.
    if (this.#random.happens(0.3)) names.push('fallbacks');
    if (this.#random.happens(0.3)) names.push('canary');
    if (this.#random.happens(0.2)) names.push('weights', 'sticky');
    return Object.fromEntries(names.map((name) => [name, all[name]()]));
  }

  #canary(): Members['canary'] {
    const percent = this.#one([0, 30, 50, 100]);
    return this.#one([
      null,
      { host: this.#one(HOSTS), percent },
      { host: this.#one(HOSTS), percent },
      { model: this.#one([...MODELS, 'slow']), percent },
      { model: this.#one([...MODELS, 'slow']), percent },
    ]);
  }

  #fallbacks(): Members['fallbacks'] {
    const kinds = ['error', 'over-rate', 'context-exceeded', 'content-filter'] as const;
    return this.#some([...MODELS, 'slow'], 2).map((model) =>
      present({ model, on: this.#maybe(0.5, () => this.#some(kinds, 2)) }),
    );
  }

  request({ models }: Installation): MadeRequest {
    const model = this.#one(MODELS);
    const pinned = `${model}:${this.#one(models[model]!)}`;
    const asked = this.#one([model, model, 'fast', 'slow', pinned, `fast:${this.#one(models['p/a']!)}`]);
    return present({
      account: this.#one(ACCOUNTS),
      key: this.#one(KEYS),
      tags: present({
        team: this.#maybe(0.6, () => this.#one(TAGS.team)),
        env: this.#maybe(0.6, () => 'prod'),
      }) as Record<string, string>,
      asked,
      protocol: this.#one(['chat', 'messages'] as const),
      operation: this.#random.happens(0.2) ? ('embed' as const) : ('text' as const),
      wishes: this.#wishes(),
      mayUse: this.#maybe(0.2, () => this.#some(MODELS, 2)),
      out: this.#maybe(0.3, () => this.#some(HOSTS, 2)) ?? [],
      draw: this.#random.next(),
      conversation: this.#maybe(0.6, () => ({
        opening: this.#one(['hi', 'hello', 'good day']),
        turns: this.#random.between(1, 3),
      })),
    });
  }

  #wishes(): Wishes {
    return present({
      providers: this.#maybe(0.1, () => this.#some(HOSTS, 3)),
      only: this.#maybe(0.1, () => this.#some(HOSTS, 3)),
      ignore: this.#maybe(0.15, () => this.#some(HOSTS, 2)),
      order: this.#maybe(0.1, () => this.#some(HOSTS, 2)),
      factor: this.#maybe(0.1, () => 'cost' as const),
      region: this.#maybe(0.1, () => this.#one(['eu', 'us'])),
      zeroRetention: this.#maybe(0.1, () => true as const),
      noTraining: this.#maybe(0.1, () => true as const),
      noFallback: this.#maybe(0.1, () => true as const),
      models: this.#maybe(0.15, () => this.#some(MODELS, 3)),
    });
  }
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}
