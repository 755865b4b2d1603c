/** What decides over a person, one function each: the list is all that a preview shows. */
import { formatNanoUsd } from '../../kernel/usd.ts';
import type { Role } from '../../people/accounts/rights.ts';
import { roleRank } from '../../people/accounts/rights.ts';
import type { SignInIssuer } from '../../people/identity/issuers.ts';
import { matchedBy } from '../../people/managed/managed-settings.ts';
import { OPERATOR } from '../../store/postgres/store.ts';
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
      boundsOf(role: Role): { readonly models?: readonly string[] };
    };
  };

/** A person who may sign in. */
export type DecidedPerson = {
  readonly account: string;
  readonly role: Role;
  readonly member: string | null;
  readonly groups: readonly string[];
  readonly ports: PeoplePorts;
};

type Decider = (decided: DecidedPerson) => Promise<readonly Decision[]>;

const models: Decider = async ({ role, ports }) => {
  const listed = ports.people.boundsOf(role).models;
  const value = roleRank(role) < roleRank('developer') ? 'none' : (listed?.join(', ') ?? 'all');
  return [{ what: 'models', name: '', value, because: `signIn.keys.${role}`, group: null }];
};

/** Those of one key or tag hold for calls, not for people. */
const policies: Decider = async ({ account, ports }) => {
  const { above } = await ports.money.family(account);
  const line = [account, ...above];
  const stored = await ports.store.within(OPERATOR, policiesInForce);
  const all = [...ports.policies.ofFile(), ...stored.flatMap(({ policy }) => policy ?? [])];
  return all.flatMap(({ name, scope, match, ...rules }): Decision[] => {
    const of = scope?.account;
    if (scope?.key !== undefined || scope?.tag !== undefined || (of !== undefined && !line.includes(of))) return [];
    const because = of === undefined ? 'the policy is for all accounts' : `scope.account: ${of}`;
    const value = `${Object.keys(rules).join(', ')}${match?.models === undefined ? '' : ` of ${match.models.join(', ')}`}`;
    return [{ what: 'policy', name, value, because, group: null }];
  });
};

const budgets: Decider = async ({ account, member, ports }) => {
  const mine = `member:${member}`;
  const own = (await ports.money.budgets(account)).filter(({ scope }) => scope === 'account' || scope === mine);
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
    const because = `${asked.join(' and ') || 'for everybody'}, priority ${entry.priority}`;
    const value = `version ${version}: ${Object.keys(entry.settings).join(', ') || 'nothing'}`;
    return [{ what: 'managed-settings', name, value, because, group }];
  }
  return [];
};

export const DECIDERS: readonly Decider[] = [models, policies, budgets, managed];
