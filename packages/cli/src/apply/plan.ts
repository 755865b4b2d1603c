// Computes the steps from the gateway's state to the one the files declare. Changes nothing itself.

import { isDeepStrictEqual } from 'node:util';
import {
  excessOf,
  type FileKey,
  type FileMember,
  inheriting,
  memberLabel,
  type PlacedAccount,
  parseUsd,
  type Rights,
} from '@trivium/gateway/accounts-file';
import { part, type Row } from '../admin-client.ts';
import type { AdminCalls, CurrentAccount, CurrentKey, CurrentMember } from './current.ts';
import { planBudgets } from './plan-budgets.ts';
import type { ApplyPlan, Planning } from './planning.ts';

const UNTOUCHED = undefined;

const given = (members: Row): Row =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

const planAccountItself = ({ plan, api, account, current, path }: Planning): void => {
  const { id, kind, status, creditLimitUsd, name = id } = account;
  if (current === undefined) {
    plan.steps.push({
      action: 'create',
      kind: 'account',
      name: id,
      after: given({ name, kind, creditLimitUsd, status }),
      run: async () => {
        await api.call('POST', '/accounts', given({ id, name, kind, creditLimitUsd }));
        if (status === 'suspended') await api.call('PATCH', path, { status });
        return UNTOUCHED;
      },
    });
    return;
  }
  const isLimitSame =
    creditLimitUsd === undefined ||
    (current.kind === kind && parseUsd(creditLimitUsd, 'creditLimitUsd') === parseUsd(current.creditLimitUsd, ''));
  const after = given({
    name: account.name !== undefined && name !== current.name ? name : undefined,
    kind: kind === current.kind ? undefined : kind,
    status: status === current.status ? undefined : status,
    creditLimitUsd: isLimitSame ? undefined : creditLimitUsd,
  });
  if (Object.keys(after).length === 0) return;
  const before = Object.fromEntries(Object.keys(after).map((member) => [member, Reflect.get(current, member)]));
  const run = async (): Promise<undefined> => void (await api.call('PATCH', path, after));
  plan.steps.push({ action: 'change', kind: 'account', name: id, before, after, run });
};

const isMember = (wanted: FileMember, has: CurrentMember): boolean =>
  wanted.email === undefined ? wanted.name === has.name : wanted.email.toLowerCase() === has.email?.toLowerCase();

const planMember = ({ plan, api, account, current, ids, path }: Planning, wanted: FileMember): void => {
  const label = memberLabel(wanted);
  const name = `${account.id}/${label}`;
  const { budgets: _own, ...body } = wanted;
  const has = current?.members.find((member) => isMember(wanted, member));
  if (has === undefined) {
    const run = async (): Promise<undefined> => {
      const made = await api.call('POST', `${path}/members`, body);
      ids.members.set(label, String(made['id']));
    };
    plan.steps.push({ action: 'create', kind: 'member', name, after: body, run });
    return;
  }
  ids.members.set(label, has.id);
  if (has.name === wanted.name && has.role === wanted.role) return;
  const after = { name: wanted.name, role: wanted.role };
  const before = { name: has.name, role: has.role };
  const run = async (): Promise<undefined> => void (await api.call('PATCH', `${path}/members/${part(has.id)}`, after));
  plan.steps.push({ action: 'change', kind: 'member', name, before, after, run });
};

const planMembers = (planning: Planning): void => {
  const { plan, api, account, current, path } = planning;
  if (account.members === undefined) return;
  for (const wanted of account.members) planMember(planning, wanted);
  for (const { id, ...before } of current?.members ?? [])
    if (!account.members.some((wanted) => isMember(wanted, { id, ...before })))
      plan.removals.push({
        action: 'remove',
        kind: 'member',
        name: `${account.id}/${memberLabel(before)}`,
        before,
        run: async () => void (await api.call('DELETE', `${path}/members/${part(id)}`)),
      });
};

/** The same rights however they are ordered. */
const sorted = (rights: Row): Row =>
  Object.fromEntries(
    Object.entries(rights).map(([name, value]) => [name, Array.isArray(value) ? [...value].sort() : value]),
  );

/** The label by which `ids` knows the member that a key names, in the file or in the gateway. */
const memberNamed = ({ account, current, ids }: Planning, named: string): string | undefined => {
  const inFile = account.members?.find(({ name, email }) => name === named || email === named);
  if (inFile !== undefined) return memberLabel(inFile);
  const has = current?.members.find(({ name, email }) => name === named || email === named);
  if (has !== undefined) ids.members.set(named, has.id);
  return has === undefined ? undefined : named;
};

const planNewKey = (planning: Planning, wanted: FileKey, member: string | undefined): void => {
  const { plan, api, account, ids, path } = planning;
  const { name, rights } = wanted;
  const run = async (): Promise<string> => {
    const memberId = member === undefined ? undefined : ids.members.get(member);
    const made = await api.call('POST', `${path}/keys`, given({ name, rights, memberId }));
    const { id } = made['key'] as { readonly id: string };
    ids.keys.set(name, id);
    return String(made['secret']);
  };
  const after = given({ member, rights });
  plan.steps.push({ action: 'create', kind: 'key', name: `${account.id}/${name}`, after, run });
};

/** Fewer rights without them, but a change of a key keeps the rights that it leaves out. */
const KEPT_IF_LEFT_OUT = ['manages', 'tolerates'];

const planKnownKey = (planning: Planning, wanted: FileKey, has: CurrentKey, at: number): void => {
  const { plan, api, account, current, path, report } = planning;
  const asked = (wanted.rights ?? {}) as Rights;
  // A key that a key created has the limits of its creator where the file leaves them out.
  const creator = has.parentId === null ? undefined : current?.ownKey;
  const rights = creator === undefined ? asked : inheriting(asked, creator.rights as Rights);
  if (isDeepStrictEqual(sorted(rights), sorted(has.rights))) return;
  const wider = excessOf(rights, has.rights as Rights);
  const fixed = [...wider, ...KEPT_IF_LEFT_OUT.filter((name) => name in has.rights && !(name in rights))];
  if (fixed.length > 0) {
    const members = fixed.map((name) => `rights.${name}`).join(', ');
    report(
      ['keys', at],
      `${members} of key "${wanted.name}" can only be narrowed, not left out: give it another name, which makes a new key, and prune the old one`,
    );
    return;
  }
  const run = async (): Promise<undefined> =>
    void (await api.call('PATCH', `${path}/keys/${part(has.id)}`, { rights }));
  plan.steps.push({
    action: 'change',
    kind: 'key',
    name: `${account.id}/${wanted.name}`,
    before: { rights: has.rights },
    after: { rights },
    run,
  });
};

const planKey = (planning: Planning, wanted: FileKey, at: number): void => {
  const { current, ids, report } = planning;
  const member = wanted.member === undefined ? undefined : memberNamed(planning, wanted.member);
  if (wanted.member !== undefined && member === undefined) {
    report(['keys', at, 'member'], `member "${wanted.member}" is neither in this account's list nor in the gateway`);
    return;
  }
  const [has, ...others] = current?.keys.filter(({ name }) => name === wanted.name) ?? [];
  if (has === undefined) {
    planNewKey(planning, wanted, member);
    return;
  }
  if (others.length > 0) {
    const all = [has, ...others].map(({ id }) => id).join(', ');
    report(['keys', at], `the gateway has several keys named "${wanted.name}" (${all}): rename or revoke all but one`);
    return;
  }
  ids.keys.set(wanted.name, has.id);
  if (member !== undefined && ids.members.get(member) !== has.memberId) {
    report(['keys', at, 'member'], `key "${wanted.name}" cannot be moved to another member: give it another name`);
    return;
  }
  planKnownKey(planning, wanted, has, at);
};

const planKeys = (planning: Planning): void => {
  const { plan, api, account, current, path } = planning;
  if (account.keys === undefined) return;
  for (const [at, wanted] of account.keys.entries()) planKey(planning, wanted, at);
  const names = new Set(account.keys.map(({ name }) => name));
  // The key this command runs with is not revoked: the gateway would refuse the steps after.
  for (const { id, name, prefix, rights } of current?.keys ?? [])
    if (!names.has(name) && id !== current?.ownKey?.id)
      plan.removals.push({
        action: 'remove',
        kind: 'key',
        name: `${account.id}/${name}`,
        before: { id, prefix, rights },
        run: async () => void (await api.call('POST', `${path}/keys/${part(id)}/revoke`, { children: true })),
      });
};

export const planAccount = (
  { account, placeOf }: PlacedAccount,
  current: CurrentAccount | undefined,
  api: AdminCalls,
): ApplyPlan => {
  const plan: ApplyPlan = { steps: [], removals: [], problems: [] };
  const planning: Planning = {
    plan,
    api,
    account,
    current,
    ids: { members: new Map(), keys: new Map() },
    path: `/accounts/${part(account.id)}`,
    report: (path, message) => plan.problems.push(`${placeOf(path)}: ${message}`),
  };
  planAccountItself(planning);
  planMembers(planning);
  planKeys(planning);
  planBudgets(planning);
  return plan;
};
