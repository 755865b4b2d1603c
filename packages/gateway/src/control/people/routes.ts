/** What a person would get, and why: for operators, and for admins of the person's account. */
import { OPERATOR } from '../../store/postgres/store.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { routeWith } from '../api/route.ts';
import { type Decision, PersonPreview, PersonQuery } from './contract.ts';
import { DECIDERS, type DecidedPerson, type PeoplePorts } from './deciders.ts';
import { type KnownPerson, knownPerson } from './rows.ts';

const route = routeWith<PeoplePorts>();

type Access = Pick<DecidedPerson, 'account' | 'role'> & { readonly decisions: readonly Decision[] };

/** By the rules of the issuers. Undefined: none lets these groups in as members. */
function accessBy(groups: readonly string[], issuer: string | undefined, { people }: PeoplePorts): Access | undefined {
  for (const { id, issuer: url, grants } of people.issuers()) {
    if (issuer !== undefined && issuer !== id && issuer !== url) continue;
    const at = grants.findIndex(({ group }) => group === undefined || groups.includes(group));
    const { role, account, group = null } = grants[at] ?? {};
    if (role === undefined || role === 'operator' || account === undefined) continue;
    const because = `signIn.issuers.${id}.grants[${at}]`;
    const decision = (what: 'account' | 'role', value: string): Decision => ({ what, name: '', value, because, group });
    return { account, role, decisions: [decision('account', account), decision('role', role)] };
  }
  return undefined;
}

/** As stored: no groups are known to decide by. */
const accessOf = ({ account, role, member }: KnownPerson): Access => ({
  account,
  role,
  decisions: (['account', 'role'] as const).map((what) => ({
    what,
    name: '',
    value: what === 'account' ? account : role,
    because: `member ${member}`,
    group: null,
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
          ? accessOf(known)
          : accessBy(groups, query.issuer ?? known?.issuer ?? undefined, ports);
      // What the rules of another account say is not for this one's admins.
      const isShown = access !== undefined && (tenant === OPERATOR || access.account === tenant);
      const preview = { email, member: known?.member ?? null, groups: [...groups], groupsFrom };
      if (!isShown) return { ...preview, account: null, decisions: [] };
      const { account, role, decisions } = access;
      const member = known?.account === account ? known.member : null;
      const decided = { account, role, member, groups, ports };
      const more = await Promise.all(DECIDERS.map((decide) => decide(decided)));
      return { ...preview, account, member, decisions: [...decisions, ...more.flat()] };
    },
  }),
];
