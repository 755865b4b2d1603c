/**
 * Policies → rules, indexed by what they apply to. Two rules of equal specificity that disagree are a problem here, so
 * that no call can meet one.
 */
import { canonical } from '../../kernel/canonical.ts';
import { CANARY_RULES, POLICY_MEMBERS, type Policy, type PolicyMember, type PolicyOperation } from './contract.ts';

/** A policy for one pattern of names, one protocol and one operation, each of which may be any. */
export type Rule = {
  readonly policy: Policy;
  /** Without its `*`; empty for any model. */
  readonly model: string;
  readonly isPrefix: boolean;
  readonly protocol: string | undefined;
  readonly operation: PolicyOperation | undefined;
};

type TagRules = { readonly account: string | undefined; readonly rules: readonly Rule[] };

export type Compiled = {
  readonly size: number;
  readonly gateway: readonly Rule[];
  readonly byAccount: ReadonlyMap<string, readonly Rule[]>;
  /** By account and key. */
  readonly byKey: ReadonlyMap<string, readonly Rule[]>;
  /** By tag and value, e.g. `team=search`: one entry for each account that is named, or none. */
  readonly byTag: ReadonlyMap<string, readonly TagRules[]>;
};

export type PolicyProblem = { readonly policy: string; readonly other?: string; readonly message: string };

export const keyScope = (account: string, key: string): string => `${account} ${key}`;

const ANY = [undefined];

const rulesOf = (policy: Policy): readonly Rule[] => {
  const { models = ['*'], protocols = ANY, operations = ANY } = policy.match ?? {};
  return models.flatMap((pattern) => {
    const isPrefix = pattern.endsWith('*');
    const model = isPrefix ? pattern.slice(0, -1) : pattern;
    return operations.flatMap((operation) =>
      protocols.map((protocol) => ({ policy, model, isPrefix, protocol, operation })),
    );
  });
};

function orInsert<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

export function compilePolicies(policies: readonly Policy[]): {
  readonly compiled: Compiled;
  readonly problems: readonly PolicyProblem[];
} {
  const problems: PolicyProblem[] = [];
  const gateway: Rule[] = [];
  const byAccount = new Map<string, Rule[]>();
  const byKey = new Map<string, Rule[]>();
  const byTag = new Map<string, Map<string | undefined, Rule[]>>();
  const names = new Set<string>();
  const conflicts = new Conflicts(problems);
  for (const policy of policies) {
    const message = names.has(policy.name) ? 'has the name of another policy' : problemIn(policy);
    names.add(policy.name);
    if (message !== undefined) problems.push({ policy: policy.name, message });
    const { account, key, tag } = policy.scope ?? {};
    const rules = rulesOf(policy);
    if (tag !== undefined) {
      const accounts = orInsert(byTag, tag, () => new Map<string | undefined, Rule[]>());
      orInsert(accounts, account, () => []).push(...rules);
    } else if (account === undefined) gateway.push(...rules);
    else if (key === undefined) orInsert(byAccount, account, () => []).push(...rules);
    else orInsert(byKey, keyScope(account, key), () => []).push(...rules);
    conflicts.add(policy, rules);
  }
  const tagged = [...byTag].map(
    ([tag, accounts]) => [tag, [...accounts].map(([account, rules]) => ({ account, rules }))] as const,
  );
  return { compiled: { size: policies.length, gateway, byAccount, byKey, byTag: new Map(tagged) }, problems };
}

function problemIn({ scope = {}, match = {}, fallbacks, weights, canary, ...members }: Policy): string | undefined {
  if (scope.key !== undefined && scope.account === undefined) return '`scope.key` needs `scope.account`';
  if (scope.key !== undefined && scope.tag !== undefined) return '`scope` names a key and a tag: use one of them';
  if (match.models?.some((name) => name.slice(0, -1).includes('*')) === true)
    return '`match.models` may have a `*` at the end only';
  const isForEmbeddings = match.operations?.every((operation) => operation === 'embed') === true;
  if (fallbacks != null && isForEmbeddings)
    return '`fallbacks` are never used for embeddings: vectors of two models do not mix';
  if (weights != null && !Object.values(weights).some((weight) => weight > 0))
    return '`weights` needs a weight above 0';
  if (canary != null) {
    const { model, host, stepBack } = canary;
    if ((model === undefined) === (host === undefined)) return '`canary` needs either `model` or `host`';
    if (model !== undefined && isForEmbeddings)
      return '`canary.model` is never used for embeddings: vectors of two models do not mix';
    if (stepBack !== undefined && CANARY_RULES.every((rule) => stepBack[rule] === undefined))
      return `\`canary.stepBack\` needs one of ${CANARY_RULES.join(', ')}`;
  }
  const said = { fallbacks, weights, canary, ...members } as Partial<Record<PolicyMember, unknown>>;
  return POLICY_MEMBERS.every((member) => said[member] === undefined) ? 'says nothing' : undefined;
}

/** These hold together if several tags set them: each narrows, so they cannot disagree. */
export const FENCES: ReadonlySet<PolicyMember> = new Set([
  'only',
  'ignore',
  'maxPrice',
  'region',
  'retention',
  'trains',
  'strict',
]);

type Said = { readonly value: string; readonly policy: string };

/**
 * Rules of one scope are equally specific only if they have the same pattern, protocol and operation: two prefixes of
 * equal length that match the same name are the same. So a map finds every conflict, without comparing pairs.
 */
class Conflicts {
  readonly #problems: PolicyProblem[];
  readonly #said = new Map<string, Said>();
  /** What two tags say that one request may have: by tag, at most two different values. */
  readonly #tags = new Map<string, Map<string, Said[]>>();

  constructor(problems: PolicyProblem[]) {
    this.#problems = problems;
  }

  add(policy: Policy, rules: readonly Rule[]): void {
    const { account = null, key = null, tag } = policy.scope ?? {};
    const scope = JSON.stringify([account, key, tag ?? null]);
    const tagName = tag?.slice(0, tag.indexOf('='));
    const matches = rules.map(({ model, isPrefix, protocol, operation }) =>
      JSON.stringify([model, isPrefix, protocol, operation]),
    );
    for (const member of POLICY_MEMBERS) {
      const value = policy[member];
      if (value === undefined) continue;
      const said = { value: canonical(value), policy: policy.name };
      const isOfTags = tagName !== undefined && !FENCES.has(member);
      for (const match of matches) {
        const at = `${member} ${scope} ${match}`;
        const before = this.#said.get(at);
        if (before === undefined) this.#said.set(at, said);
        else this.#compare(before, said, member);
        if (isOfTags) this.#addTag(`${member} ${JSON.stringify(account)} ${match}`, tagName, said, member);
      }
    }
  }

  #addTag(at: string, tag: string, said: Said, member: PolicyMember): void {
    const tags = orInsert(this.#tags, at, () => new Map<string, Said[]>());
    for (const [other, values] of tags) {
      if (other === tag) continue;
      const different = values.find(({ value }) => value !== said.value);
      if (different !== undefined) this.#compare(different, said, member);
    }
    const own = orInsert(tags, tag, () => []);
    if (own.length < 2 && own.every(({ value }) => value !== said.value)) own.push(said);
  }

  #compare(one: Said, other: Said, member: PolicyMember): void {
    if (one.policy === other.policy || one.value === other.value) return;
    const known = this.#problems.some(({ policy, other: second }) => policy === other.policy && second === one.policy);
    if (!known)
      this.#problems.push({
        policy: other.policy,
        other: one.policy,
        message: `contradicts '${one.policy}': both set \`${member}\` for the same requests, and neither is more specific`,
      });
  }
}
