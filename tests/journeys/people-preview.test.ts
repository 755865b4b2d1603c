/** What a person gets: as the gateway says beforehand, and as the person's program then finds it, with a real identity provider. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { OPERATOR_SECRET } from '../support/admin-stand.ts';
import { openProgramsStand, type ProgramsStand } from '../support/programs-stand.ts';

let stand: ProgramsStand;
let token: string;
beforeAll(async () => {
  stand = await openProgramsStand({
    ann: ['everyone', 'team-data'],
    cat: ['readers'],
    dan: ['strangers'],
    eve: ['contractors'],
  });
  await stand.newAccount('other');
  for (const [path, body] of [
    ['/managed-settings', { name: 'data', match: { groups: ['team-data'] }, settings: { model: 'claude-sonnet-5' } }],
    ['/managed-settings', { name: 'rest', priority: 900, settings: {} }],
    ['/policies', { name: 'in-eu', scope: { account: 'data' }, region: ['eu', 'us'] }],
    ['/policies', { name: 'of-others', scope: { account: 'other' }, region: ['eu'] }],
    ['/accounts/data/budget-templates', { each: 'member', per: 'month', usd: '500' }],
    ['/accounts/data/budgets', { scope: 'account', span: 'day', usd: '1000' }],
  ] as const)
    expect((await stand.admin('POST', path, body)).status, path).toBeLessThan(300);
  token = (await stand.signIn('ann')).access_token;
});
afterAll(() => stand.close());

type Preview = {
  account: string | null;
  member: string | null;
  groups: string[];
  groupsFrom: string;
  decisions: { what: string; name: string; value: string; because: string; group: string | null }[];
};
const preview = async (query: string, secret?: string) => {
  const { status, json } = await stand.admin('GET', `/people/preview?${query}`, undefined, secret);
  return { status, preview: json as Preview };
};
const rows = ({ decisions }: Preview) =>
  decisions.map(({ what, name, value, because, group }) => [what, name, value, because, group]);

describe('an operator sees', () => {
  test('each thing that a person gets who has signed in, with the rule and the group that decided', async () => {
    const { status, preview: ann } = await preview('email=Ann@example.com');
    expect(status).toBe(200);
    expect(ann).toMatchObject({ account: 'data', groups: ['everyone', 'team-data'], groupsFrom: 'sign-in' });
    expect(ann.member).toMatch(/^mem/);
    expect(rows(ann)).toEqual([
      ['account', '', 'data', 'signIn.issuers.corp.grants[1]', 'team-data'],
      ['role', '', 'developer', 'signIn.issuers.corp.grants[1]', 'team-data'],
      ['models', '', 'all', 'signIn.keys.developer', null],
      ['policy', 'in-eu', 'region', 'scope.account: data', null],
      ['budget', 'account per day', '$1000', 'budget of account', null],
      ['budget', 'member per month', '$500', 'budget template for each member', null],
      ['managed-settings', 'data', 'version 1: model', 'match.groups, priority 100', 'team-data'],
    ]);
  });

  test('that the program of this person finds the same', async () => {
    const get = (path: string) => fetch(`${stand.at}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const settings = (await (await get('/managed/settings')).json()) as { settings: object };
    expect(settings.settings).toEqual({ model: 'claude-sonnet-5' });
    const usage = (await (await get('/api/oauth/usage')).json()) as {
      extra_usage: { monthly_limit: number };
      limits: { group: string }[];
    };
    expect(usage.limits.map(({ group }) => group).sort()).toEqual(['daily', 'monthly']);
    expect([50_000, 100_000]).toContain(usage.extra_usage.monthly_limit);
  });

  test('what other groups would give, also to people who have never signed in', async () => {
    const { preview: reader } = await preview('email=new@example.com&groups=strangers,readers');
    expect(reader).toMatchObject({ account: 'data', member: null, groupsFrom: 'given' });
    expect(rows(reader).slice(1, 3)).toEqual([
      ['role', '', 'viewer', 'signIn.issuers.corp.grants[3]', 'readers'],
      ['models', '', 'none', 'signIn.keys.viewer', null],
    ]);
    expect(rows(reader).at(-1)).toEqual([
      'managed-settings',
      'rest',
      'version 1: nothing',
      'for everyone, priority 900',
      null,
    ]);
    expect((await preview('email=new@example.com&groups=strangers')).preview).toMatchObject({
      account: null,
      decisions: [],
    });
    expect((await preview('email=new@example.com')).status).toBe(404);
    expect((await preview('email=nonsense')).status).toBe(400);
  });

  test('the limits and tags of a group, the policies and budgets of these tags, and what only a sign-in will tell', async () => {
    for (const [path, body] of [
      ['/accounts/data/tags', { key: 'team' }],
      ['/policies', { name: 'of-guests', scope: { account: 'data', tag: 'team=guests' }, trains: false }],
      ['/policies', { name: 'of-staff', scope: { tag: 'team=staff' }, trains: false }],
      ['/accounts/data/budgets', { scope: 'tag:team=guests', span: 'month', usd: '70' }],
    ] as const)
      expect((await stand.admin('POST', path, body)).status, path).toBeLessThan(300);
    const rule = 'signIn.issuers.corp.grants[4]';
    const decided = (costs: string) => [
      ['account', '', 'data', rule, 'contractors'],
      ['role', '', 'developer', rule, 'contractors'],
      ['models', '', 'priced/model', `${rule}.rights.models`, 'contractors'],
      ['rights', 'rateLimits', 'requestsPerMinute 20', `${rule}.rights.rateLimits`, 'contractors'],
      ['tag', 'cost-centre', costs, `${rule}.tags`, 'contractors'],
      ['tag', 'team', 'guests', `${rule}.tags`, 'contractors'],
      ['policy', 'in-eu', 'region', 'scope.account: data', null],
      ['policy', 'of-guests', 'trains', 'scope.account: data and scope.tag: team=guests', null],
      ['budget', 'account per day', '$1000', 'budget of account', null],
      ['budget', 'tag:team=guests per month', '$70', 'budget of tag:team=guests', null],
      ['budget', 'member per month', '$500', 'budget template for each member', null],
      ['managed-settings', 'rest', 'version 1: nothing', 'for everyone, priority 900', null],
    ];
    const before = await preview('email=eve@example.com&groups=contractors');
    expect(rows(before.preview)).toEqual(decided('(department)'));
    const { access_token } = await stand.signIn('eve');
    const { preview: eve } = await preview('email=eve@example.com');
    expect(rows(eve)).toEqual(decided('Costs of eve'));
    const listed = await fetch(`${stand.at}/v1/models`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(((await listed.json()) as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual(['priced/model']);
  });

  test('an operator as a member, as programs do, if another group makes one', async () => {
    const { preview: both } = await preview('email=new@example.com&groups=platform,leads');
    expect(rows(both).slice(0, 2)).toEqual([
      ['account', '', 'data', 'signIn.issuers.corp.grants[2]', 'leads'],
      ['role', '', 'admin', 'signIn.issuers.corp.grants[2]', 'leads'],
    ]);
  });

  test('it at the command line', async () => {
    const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET });
    await runCommandLine(['people', 'preview', 'ann@example.com'], terminal);
    expect(terminal.errors).toEqual([]);
    expect(terminal.output.join('\n')).toContain('signIn.issuers.corp.grants[1]');
  });
});

test('admins see the people of their account alone, by the groups these have; others see nobody', async () => {
  const key = async (account: string, manages: string): Promise<string> => {
    const made = await stand.admin('POST', `/accounts/${account}/keys`, { name: manages, rights: { manages } });
    return made.json['secret'] as string;
  };
  const [admin, developer, foreign] = [
    await key('data', 'admin'),
    await key('data', 'developer'),
    await key('other', 'owner'),
  ];
  expect((await preview('email=ann@example.com', admin)).preview.account).toBe('data');
  expect((await preview('email=ann@example.com&groups=platform', admin)).status).toBe(403);
  expect((await preview('email=ann@example.com', developer)).status).toBe(403);
  const hidden = await stand.admin('GET', '/people/preview?email=ann@example.com', undefined, foreign);
  const unknown = await stand.admin('GET', '/people/preview?email=nobody@example.com', undefined, foreign);
  expect([hidden.status, hidden.text.replace('ann', 'nobody')]).toEqual([404, unknown.text]);
  expect([401, 403]).toContain((await preview('email=ann@example.com', token)).status);
});

test('what has no rule to decide it is as it is stored', async () => {
  await stand.admin('POST', '/accounts/other/members', { name: 'Hal', email: 'hal@example.com', role: 'admin' });
  const { preview: hal } = await preview('email=hal@example.com');
  expect(hal).toMatchObject({ account: 'other', groupsFrom: 'none', groups: [] });
  expect(rows(hal)[1]).toEqual(['role', '', 'admin', `member ${hal.member}`, null]);
});

test('a change of settings reaches the program of a signed-in person', async () => {
  await stand.admin('DELETE', '/managed-settings/data');
  await vi.waitFor(async () => {
    const reply = await fetch(`${stand.at}/managed/settings`, { headers: { authorization: `Bearer ${token}` } });
    expect(((await reply.json()) as { settings: object }).settings).toEqual({});
  }, 20_000);
});
