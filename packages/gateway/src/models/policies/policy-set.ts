/**
 * The policy for a caller and a model: the most specific rule wins, member by member. Resolved once and found again by
 * reference; equal questions get the same object until policies change. Pure but for that memory.
 */
import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { PolicyDecision } from '../../kernel/record.ts';
import type { Tags } from '../../kernel/tags.ts';
import { type Compiled, FENCES, keyScope, type Rule } from './compile.ts';
import { POLICY_MEMBERS, type Policy, type PolicyMember, type PolicyOperation } from './contract.ts';
import { ResolvedPolicy, type Said } from './resolved-policy.ts';

/** What a request is matched by. `asked`: the name in the request, which may be an alias of the model. */
export type PolicyQuestion = {
  readonly asked: string;
  readonly modelId: string;
  readonly protocol: string;
  readonly operation: PolicyOperation;
};

/** Rules of one scope, and how specific the scope is. `tag`: the scope is of a tag, which the caller chose. */
type Scoped = { readonly rank: number; readonly tag: string | undefined; readonly rules: readonly Rule[] };

/** All rules for a kind of caller; callers with the same rules share one, and its memory. */
type ScopeList = { readonly scopes: readonly Scoped[]; readonly known: BoundedMap<string, ResolvedPolicy | null> };

const GATEWAY_RANK = 0;
/** Above every depth of an account. */
const KEY_RANK = 1_000;
const TAG_RANK = 2_000;

const MAX_LISTS = 10_000;
const MAX_QUESTIONS = 1_000;

export class PolicySet {
  readonly #compiled: Compiled;
  readonly #parentOf: (accountId: string) => string | undefined;
  readonly #ofCaller = new WeakMap<Caller, ScopeList>();
  readonly #lists = new BoundedMap<string, ScopeList>(MAX_LISTS);
  readonly #steppedBack: ReadonlyMap<string, unknown>;

  /** `steppedBack`: by policy. It may change at any time: a canary that steps back gets no further call. */
  constructor(
    compiled: Compiled,
    parentOf: (accountId: string) => string | undefined = () => undefined,
    steppedBack: ReadonlyMap<string, unknown> = new Map(),
  ) {
    this.#compiled = compiled;
    this.#parentOf = parentOf;
    this.#steppedBack = steppedBack;
  }

  isSteppedBack(policy: string): boolean {
    return this.#steppedBack.has(policy);
  }

  /** Undefined if no policy says anything. */
  of(caller: Caller, tags: Tags | undefined, question: PolicyQuestion): ResolvedPolicy | undefined {
    const list = this.#listOf(caller, tags);
    if (list.scopes.length === 0) return undefined;
    const key = `${question.protocol} ${question.operation} ${question.modelId} ${question.asked}`;
    let resolved = list.known.get(key);
    if (resolved === undefined) {
      resolved = resolve(list.scopes, question) ?? null;
      list.known.set(key, resolved);
    }
    return resolved ?? undefined;
  }

  #listOf(caller: Caller, tags: Tags | undefined): ScopeList {
    if (tags !== undefined && this.#compiled.byTag.size > 0) return this.#listFor(caller, tags);
    let list = this.#ofCaller.get(caller);
    if (list === undefined) {
      list = this.#listFor(caller, undefined);
      this.#ofCaller.set(caller, list);
    }
    return list;
  }

  #listFor({ accountId, keyId }: Caller, tags: Tags | undefined): ScopeList {
    const { gateway, byAccount, byKey, byTag } = this.#compiled;
    const chain = this.#chainOf(accountId);
    const scopes: Scoped[] = [];
    const names: string[] = [];
    const add = (name: string, scoped: Scoped): void => {
      scopes.push(scoped);
      names.push(name);
    };
    if (gateway.length > 0) add('', { rank: GATEWAY_RANK, tag: undefined, rules: gateway });
    for (const [depth, account] of chain.entries()) {
      const rules = byAccount.get(account);
      if (rules !== undefined) add(`account:${account}`, { rank: depth + 1, tag: undefined, rules });
    }
    const own = byKey.get(keyScope(accountId, keyId));
    if (own !== undefined) add(`key:${accountId} ${keyId}`, { rank: KEY_RANK, tag: undefined, rules: own });
    for (const key in tags)
      for (const { account, rules } of byTag.get(`${key}=${tags[key]}`) ?? []) {
        const depth = account === undefined ? -1 : chain.indexOf(account);
        if (account === undefined || depth >= 0)
          add(`tag:${key}=${tags[key]}@${account ?? ''}`, { rank: TAG_RANK + depth + 1, tag: key, rules });
      }
    return this.#lists.getOrInsertComputed(names.join('\n'), () => ({
      scopes,
      known: new BoundedMap(MAX_QUESTIONS),
    }));
  }

  /** From the top of the tree down to the account itself. A loop in the data ends the walk. */
  #chainOf(accountId: string): readonly string[] {
    const chain = [accountId];
    for (let above = this.#parentOf(accountId); above !== undefined && !chain.includes(above); ) {
      chain.unshift(above);
      above = this.#parentOf(above);
    }
    return chain;
  }
}

type Hit = {
  readonly policy: Policy;
  /** Rules of one channel replace one another; what holds of a fence in several channels holds together. */
  readonly channel: string;
  /** By scope, then name, then operation, then protocol. */
  readonly rank: readonly [scope: number, isAlias: number, name: number, operation: number, protocol: number];
};

/** An exact name is more specific than every prefix. */
const EXACT = 1_000;

/** -1: no match. */
const nameRank = ({ model, isPrefix }: Rule, name: string): number => {
  if (!isPrefix) return model === name ? EXACT : -1;
  return name.startsWith(model) ? model.length : -1;
};

function hitOf({ rank, tag }: Scoped, rule: Rule, question: PolicyQuestion): Hit | undefined {
  const { protocol, operation, policy } = rule;
  if (protocol !== undefined && protocol !== question.protocol) return undefined;
  if (operation !== undefined && operation !== question.operation) return undefined;
  const byId = nameRank(rule, question.modelId);
  const name = byId >= 0 ? byId : nameRank(rule, question.asked);
  if (name < 0) return undefined;
  // The caller chooses tags and aliases, so a rule for one must not replace a fence of the others.
  const alias = byId >= 0 ? 0 : 1;
  const channel = tag !== undefined ? `tag ${tag} ${rank}` : alias === 1 ? 'alias' : '';
  return {
    policy,
    channel,
    rank: [rank, alias, name, operation === undefined ? 0 : 1, protocol === undefined ? 0 : 1],
  };
}

/** Policies of equal rank say the same, or they would contradict: the first by name is the one that is recorded. */
const isAbove = (one: Hit, other: Hit): boolean => {
  for (const [place, value] of one.rank.entries()) if (value !== other.rank[place]) return value > other.rank[place]!;
  return one.policy.name < other.policy.name;
};

/** Says nothing in effect: it only replaces what a less specific rule says. */
const isLifted = (member: PolicyMember, value: unknown): boolean =>
  value === null ||
  (member === 'trains' && value === true) ||
  ((member === 'strict' || member === 'sticky') && value === false);

/** Vectors of two models do not mix, and a video is sent to one host, once. */
const isUnfit = (member: PolicyMember, { canary }: Policy, { operation }: PolicyQuestion): boolean =>
  operation === 'embed'
    ? member === 'fallbacks' || (member === 'canary' && canary?.model !== undefined)
    : operation === 'video' && member === 'canary';

function resolve(scopes: readonly Scoped[], question: PolicyQuestion): ResolvedPolicy | undefined {
  const hits = scopes.flatMap((scoped) => scoped.rules.flatMap((rule) => hitOf(scoped, rule, question) ?? []));
  const resolved: Partial<Record<PolicyMember, unknown>> = {};
  const decisions: PolicyDecision[] = [];
  for (const member of POLICY_MEMBERS) {
    const winners = winnersFor(member, hits)
      .filter(({ policy }) => !isLifted(member, policy[member]) && !isUnfit(member, policy, question))
      .map(({ policy }) => ({ value: policy[member], policy: policy.name }));
    if (winners.length === 0) continue;
    resolved[member] = FENCES.has(member) ? winners : winners[0];
    for (const { policy } of winners) decisions.push({ member, policy });
  }
  if (decisions.length === 0) return undefined;
  return new ResolvedPolicy(resolved as Said, decisions);
}

/** One; of a fence one of each channel, those that the caller did not choose first. */
function winnersFor(member: PolicyMember, hits: readonly Hit[]): readonly Hit[] {
  const best = new Map<string, Hit>();
  for (const hit of hits) {
    if (hit.policy[member] === undefined) continue;
    const channel = FENCES.has(member) ? hit.channel : '';
    const before = best.get(channel);
    if (before === undefined || isAbove(hit, before)) best.set(channel, hit);
  }
  const winners = [...best].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, hit]) => hit);
  // A policy may match by the model's id and by the alias.
  return winners.filter(({ policy }, at) => winners.findIndex((one) => one.policy === policy) === at);
}
