/** What decides over a person, one function each: the list is all that a preview shows. */
import { formatNanoUsd } from '../../kernel/usd.ts';
import { type Rights, type Role, roleRank, withinCeiling } from '../../people/accounts/rights.ts';
import type { SignInIssuer } from '../../people/identity/issuers.ts';
import { matchedBy } from '../../people/managed/managed-settings.ts';
import { OPERATOR } from '../../store/postgres/store.ts';
import type { MemberGranted } from '../accounts/member-rows.ts';
import type { MoneyPorts } from '../api/credit-port.ts';
import { managedInForce } from '../managed-settings/rows.ts';
import type { PolicyPorts } from '../policies/ports.ts';
import { policiesInForce } from '../policies/rows.ts';
import type { Decision } from './contract.ts';

export type PeoplePorts = MoneyPorts &
  PolicyPorts & {
    readonly people: {
      issuers(): readonly SignInIssuer[];
      /** Bounds of what members of this role may make and call with; absent: none. */
      boundsOf(role: Role): Rights;
    };
  };

/** A person who may sign in. */
export type DecidedPerson = {
  readonly account: string;
  readonly role: Role;
  readonly member: string | null;
  readonly groups: readonly string[];
  readonly given: Given;
  readonly ports: PeoplePorts;
};

/** What the group gives besides account and role. */
export type Given = MemberGranted & {
  /** The claims whose text is not known before the person signs in, by tag. */
  readonly claims?: Readonly<Record<string, string>>;
  /** The rule that gives it. */
  readonly rule: string;
  readonly group: string | null;
};

type Decider = (decided: DecidedPerson) => Promise<readonly Decision[]>;

const LISTS = ['models', 'providers', 'protocols', 'endpoints'] as const;

/** What the person's programs and keys may do at most: what the role's bounds and the group's ceiling both allow. */
const rights: Decider = async ({ role, given, ports }) => {
  const bounds = ports.people.boundsOf(role);
  const most = roleRank(role) < roleRank('developer') ? { models: [] } : withinCeiling(bounds, given.rights);
  const decision = (name: keyof Rights, value: string): Decision => {
    const isGroups = given.rights?.[name as keyof typeof given.rights] !== undefined;
    const isRoles = bounds[name] !== undefined || !isGroups;
    const rules = [isRoles && `signIn.keys.${role}`, isGroups && `${given.rule}.rights.${name}`];
    return {
      what: name === 'models' ? name : 'rights',
      name: name === 'models' ? '' : name,
      value,
      because: rules.filter((rule) => rule !== false).join(' and '),
      group: isGroups ? given.group : null,
    };
  };
  const lists = LISTS.flatMap((name) => {
    const list = most[name] ?? (name === 'models' ? ['all'] : undefined);
    return list === undefined ? [] : decision(name, list.join(', ') || 'none');
  });
  const rates = Object.entries(most.rateLimits ?? {}).map(([name, rate]) => `${name} ${rate}`);
  return rates.length === 0 ? lists : [...lists, decision('rateLimits', rates.join(', '))];
};

const tags: Decider = async ({ given: { tags: known = {}, claims = {}, rule, group } }) => {
  const values = { ...Object.fromEntries(Object.entries(claims).map(([key, claim]) => [key, `(${claim})`])), ...known };
  const because = `${rule}.tags`;
  return Object.entries(values)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => ({ what: 'tag', name, value, because, group }));
};

/** As scopes name them. */
const tagsOf = ({ tags: known = {} }: Given): readonly string[] =>
  Object.entries(known).map(([key, value]) => `${key}=${value}`);

/** Those of one key hold for its calls, not for people. */
const policies: Decider = async ({ account, given, ports }) => {
  const own = tagsOf(given);
  const { above } = await ports.money.family(account);
  const line = [account, ...above];
  const stored = await ports.store.within(OPERATOR, policiesInForce);
  const all = [...ports.policies.ofFile(), ...stored.flatMap(({ policy }) => policy ?? [])];
  return all.flatMap(({ name, scope, match, ...rules }): Decision[] => {
    const of = scope?.account;
    const isOthers = scope?.tag !== undefined && !own.includes(scope.tag);
    if (scope?.key !== undefined || isOthers || (of !== undefined && !line.includes(of))) return [];
    const asked = [of !== undefined && `scope.account: ${of}`, scope?.tag !== undefined && `scope.tag: ${scope.tag}`];
    const because = asked.filter((each) => each !== false).join(' and ') || 'the policy is for all accounts';
    const value = `${Object.keys(rules).join(', ')}${match?.models === undefined ? '' : ` of ${match.models.join(', ')}`}`;
    return [{ what: 'policy', name, value, because, group: null }];
  });
};

const budgets: Decider = async ({ account, member, given, ports }) => {
  const mine = `member:${member}`;
  const scopes = ['account', mine, ...tagsOf(given).map((tag) => `tag:${tag}`)];
  const own = (await ports.money.budgets(account)).filter(({ scope }) => scopes.includes(scope));
  const each = (await ports.templates.list(account)).filter(({ each }) => ['account', 'member', mine].includes(each));
  const decision = (name: string, nano: bigint, per: string, because: string): Decision => ({
    what: 'budget',
    name: `${name} per ${per}`,
    value: `$${formatNanoUsd(nano)}`,
    because,
    group: null,
  });
  return [
    ...own.map(({ scope, span, mostNano }) => decision(scope, mostNano, span, `budget of ${scope}`)),
    ...each
      .filter(
        ({ each, span }) =>
          !own.some(({ scope, span: per }) => per === span && scope === (each === 'member' ? mine : each)),
      )
      .map(({ each, span, limit }) => decision(each, limit, span, `budget template for each ${each}`)),
  ];
};

const managed: Decider = async ({ account: accountId, groups, ports }) => {
  for (const { name, version, entry } of await ports.store.within(OPERATOR, managedInForce)) {
    const group = matchedBy(entry, { accountId, groups });
    if (group === undefined) continue;
    const asked = Object.keys(entry.match ?? {}).map((member) => `match.${member}`);
    const because = `${asked.join(' and ') || 'for everyone'}, priority ${entry.priority}`;
    const value = `version ${version}: ${Object.keys(entry.settings).join(', ') || 'nothing'}`;
    return [{ what: 'managed-settings', name, value, because, group }];
  }
  return [];
};

export const DECIDERS: readonly Decider[] = [rights, tags, policies, budgets, managed];
