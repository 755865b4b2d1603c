/** What a person would get, and why: for operators, and for admins of the person's account. */
import { OPERATOR } from '../../store/postgres/store.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { routeWith } from '../api/route.ts';
import { type Decision, PersonPreview, PersonQuery } from './contract.ts';
import { DECIDERS, type DecidedPerson, type Given, type PeoplePorts } from './deciders.ts';
import { knownPerson } from './rows.ts';

const route = routeWith<PeoplePorts>();

type Access = Pick<DecidedPerson, 'account' | 'role' | 'given'> & { readonly decisions: readonly Decision[] };
type Grant = ReturnType<PeoplePorts['people']['issuers']>[number]['grants'][number];

/** `known`: the tags that the person has got of this grant, some of claims. */
function givenBy({ rights, tags = {}, group }: Grant, rule: string, known: Given['tags'] = {}): Given {
  const [values, claims]: [Record<string, string>, Record<string, string>] = [{}, {}];
  for (const [key, { value, claim = '' }] of Object.entries(tags)) {
    const text = value ?? known[key];
    if (text === undefined) claims[key] = claim;
    else values[key] = text;
  }
  return { rule, group: group ?? null, ...(rights !== undefined && { rights }), tags: values, claims };
}

/** By the rules of the issuers. Undefined: none lets these groups in as members. */
function accessBy(
  groups: readonly string[],
  issuer: string | undefined,
  { people }: PeoplePorts,
  known: Given['tags'],
): Access | undefined {
  for (const { id, issuer: url, grants } of people.issuers()) {
    if (issuer !== undefined && issuer !== id && issuer !== url) continue;
    // What operators have without an account does not count, as at a sign-in from a program.
    const at = grants.findIndex(
      ({ role, group }) => role !== 'operator' && (group === undefined || groups.includes(group)),
    );
    const grant = grants[at];
    if (grant?.account === undefined || grant.role === 'operator') continue;
    return accessWith(grant.account, grant.role, givenBy(grant, `signIn.issuers.${id}.grants[${at}]`, known));
  }
  return undefined;
}

const accessWith = (account: string, role: DecidedPerson['role'], given: Given): Access => ({
  account,
  role,
  given,
  decisions: (['account', 'role'] as const).map((what) => ({
    what,
    name: '',
    value: what === 'account' ? account : role,
    because: given.rule,
    group: given.group,
  })),
});

export const peopleRoutes = [
  route({
    method: 'GET',
    path: '/people/preview',
    name: 'previewPerson',
    summary: 'Shows what a person gets who signs in, and which rule and group decided it.',
    permission: 'admin',
    query: PersonQuery,
    answer: PersonPreview,
    run: async ({ actor, query, ...ports }): Promise<PersonPreview> => {
      const { email } = query;
      if (actor.kind !== 'operator' && query.groups !== undefined)
        throw new AdminProblem('forbidden', 'Only operators may ask with other groups.', 'groups');
      const tenant = actor.kind === 'operator' ? OPERATOR : actor.accountId;
      const known = await ports.store.within(tenant, (db) => knownPerson(db, email));
      if (known === undefined && query.groups === undefined) throw notFound('Person', email);
      const given = query.groups?.split(',').flatMap((group) => group.trim() || []);
      const groups = given ?? known?.groups ?? [];
      const groupsFrom: PersonPreview['groupsFrom'] =
        given !== undefined ? 'given' : known?.groups == null ? 'none' : 'sign-in';
      const access =
        known !== undefined && groupsFrom === 'none'
          ? // As stored: no groups are known to decide by.
            accessWith(known.account, known.role, { ...known.granted, rule: `member ${known.member}`, group: null })
          : accessBy(
              groups,
              query.issuer ?? known?.issuer ?? undefined,
              ports,
              groupsFrom === 'sign-in' ? known?.granted?.tags : undefined,
            );
      // What the rules of another account say is not for this one's admins.
      const isShown = access !== undefined && (tenant === OPERATOR || access.account === tenant);
      const preview = { email, member: known?.member ?? null, groups: [...groups], groupsFrom };
      if (!isShown) return { ...preview, account: null, decisions: [] };
      const { account, role, given: gives, decisions } = access;
      const member = known?.account === account ? known.member : null;
      const decided = { account, role, member, groups, given: gives, ports };
      const more = await Promise.all(DECIDERS.map((decide) => decide(decided)));
      return { ...preview, account, member, decisions: [...decisions, ...more.flat()] };
    },
  }),
];
