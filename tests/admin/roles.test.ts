/** The permissions of each role at every route of the admin API: what is not in this table is forbidden. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouteShape } from '../../packages/gateway/src/control/api/route.ts';
import { ADMIN_ROUTES, OPEN_ROUTES } from '../../packages/gateway/src/control/slices.ts';
import { ROLES, type Role } from '../../packages/gateway/src/people/accounts/rights.ts';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { Browser } from '../support/browser.ts';

type Least = Role | 'operator' | 'public';

/** By route name. Written by hand: a route is opened to a role on purpose, or not at all. */
const LEAST: Readonly<Record<Least, readonly string[]>> = {
  public: ['signIn', 'listSignInProviders', 'startSignIn', 'finishSignIn', 'openKeyLink'],
  viewer: [
    'getSession',
    'signOut',
    'getMe',
    'getAccount',
    'listMembers',
    'listViews',
    'saveView',
    'removeView',
    'findKeys',
    'listGrants',
    'endGrant',
    'listModels',
    'getModel',
    'listAccountRequests',
    'exportAccountRequestsCsv',
    'exportAccountRequestsNdjson',
    'getAccountRequestHistogram',
    'followAccountRequests',
    'getAccountRequest',
    'getAccountRecords',
    'getKeyRecords',
    'listKeys',
    'getKey',
    'getCredit',
    'listLedger',
    'exportLedger',
    'listBudgets',
    'listBudgetTemplates',
    'listBudgetTemplateValues',
    'listTags',
    'getFamily',
    'listOrders',
    'getOrder',
    'listWebhooks',
    'listWebhookDeliveries',
    'listAccountAlerts',
    'listTerms',
    'getUsage',
    'getUsageOfRequest',
    'getSpend',
    'getOverview',
    'exportSpendCsv',
    'exportSpendFocus',
    'listOperations',
    'showOperation',
  ],
  developer: ['callPlayground', 'createKey', 'changeKey', 'rotateKey', 'revokeKey'],
  admin: [
    'addMember',
    'changeMember',
    'removeMember',
    'makeSignInCode',
    'createKeyLink',
    'listKeyLinks',
    'withdrawKeyLink',
    'endMember',
    'reactivateMember',
    'setBudget',
    'removeBudget',
    'setBudgetTemplate',
    'removeBudgetTemplate',
    'declareTag',
    'withdrawTag',
    'listAccountAudit',
    'getAccountAuditEntry',
    'addWebhook',
    'changeWebhook',
    'testWebhook',
    'resendWebhookDelivery',
    'rotateWebhook',
    'removeWebhook',
    'cancelOperation',
    'changeAccountRecords',
    'changeKeyRecords',
    'eraseAccountContent',
    'getAccountRequestWire',
    'getAccountRequestStored',
    'replayAccountRequest',
    'applyDeclaredAccount',
    'previewPerson',
  ],
  owner: [],
  operator: [
    'applyDeclared',
    'exportDeclared',
    'listOwnModels',
    'setOwnModel',
    'removeOwnModel',
    'listModelAliases',
    'setModelAlias',
    'removeModelAlias',
    'changeAlertRule',
    'resetAlertRule',
    'setParent',
    'endPerson',
    'findMembers',
    'listAccountFigures',
    'listAccounts',
    'listAllOperations',
    'listRequests',
    'exportRequestsCsv',
    'exportRequestsNdjson',
    'getRequestHistogram',
    'followRequests',
    'getRequest',
    'getRequestWire',
    'getRequestStored',
    'replayRequest',
    'createAccount',
    'changeAccount',
    'payIn',
    'createOrder',
    'listAudit',
    'getAuditEntry',
    'verifyAudit',
    'listNodes',
    'getConfiguration',
    'diffConfiguration',
    'listProviders',
    'getProvider',
    'releaseProvider',
    'setCredential',
    'testCredential',
    'deleteCredential',
    'rewrapCredentials',
    'listAlerts',
    'listAlertRules',
    'previewAlertRule',
    'acknowledgeAlert',
    'listAlertDestinations',
    'addAlertDestination',
    'changeAlertDestination',
    'removeAlertDestination',
    'testAlertDestination',
    'listAlertDeliveries',
    'resendAlertDelivery',
    'listPrices',
    'setPrice',
    'withdrawPrice',
    'listManagedSettings',
    'listManagedSettingsVersions',
    'saveManagedSettings',
    'removeManagedSettings',
    'listPolicies',
    'resumeCanary',
    'savePolicy',
    'previewPolicy',
    'listPolicyVersions',
    'removePolicy',
    'whatIf',
    'getPriceVersion',
    'setTerms',
  ],
};

const ROUTES: readonly RouteShape[] = [...OPEN_ROUTES, ...ADMIN_ROUTES];
const least = (name: string): Least =>
  (Object.keys(LEAST) as Least[]).find((one) => LEAST[one].includes(name)) ?? 'operator';
const RANKS: readonly Least[] = ['public', ...ROLES, 'operator'];
const may = (who: Least, route: RouteShape): boolean => RANKS.indexOf(who) >= RANKS.indexOf(least(route.name));

test('the table has every route once, with its permission', () => {
  const tabled = Object.entries(LEAST).flatMap(([who, names]) => names.map((name) => [name, who]));
  const declared = ROUTES.map(({ name, permission }) => [name, permission]);
  expect(tabled.sort()).toEqual(declared.sort());
});

let stand: AdminStand;
let url: string;
const keys = new Map<Role, string>();
const browsers = new Map<Role, Browser>();
let plainKey: string;

beforeAll(async () => {
  stand = await openAdminStand({
    config: () => ({ listen: { host: '127.0.0.1', port: 0, trustedProxies: ['127.0.0.1'] } }),
  });
  url = stand.gateway.adminUrl;
  for (const id of ['acme', 'umbrella']) await stand.newAccount(id);
  for (const role of ROLES) {
    const { json } = await stand.admin('POST', '/accounts/acme/keys', { name: role, rights: { manages: role } });
    keys.set(role, json['secret'] as string);
    const member = await stand.admin('POST', '/accounts/acme/members', { name: role, role });
    const code = await stand.admin('POST', `/accounts/acme/members/${member.json['id']}/sign-in-code`);
    const browser = new Browser();
    await browser.api(url, 'POST', '/session', { code: code.json['code'] });
    browsers.set(role, browser);
  }
  plainKey = (await stand.admin('POST', '/accounts/acme/keys', { name: 'plain' })).json['secret'] as string;
});
afterAll(() => stand.close());

const pathOf = ({ path }: RouteShape, account: string): string =>
  path.replace('{account}', account).replaceAll(/\{\w+\}/g, 'none');
/** Live streams would stay open, and signing out would end the session of the next test. */
const isCalled = ({ name, path }: RouteShape): boolean => name !== 'signOut' && !path.endsWith('/live');
const CLOSED = ROUTES.filter((route) => isCalled(route) && least(route.name) !== 'public');

const statusOf = async (route: RouteShape, account: string, headers: Record<string, string>): Promise<number> => {
  const response = await fetch(`${url}/admin/v1${pathOf(route, account)}`, {
    method: route.method,
    redirect: 'manual',
    headers: { ...headers, ...(route.body !== undefined && { 'content-type': 'application/json' }) },
    // An invalid body, so that nothing is changed where the role is allowed.
    ...(route.body !== undefined && { body: '{"unknown":1}' }),
  });
  await response.body?.cancel();
  return response.status;
};

describe.each(CLOSED.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_, route) => {
  test.each(ROLES)('the route is open or forbidden to %s, by key and by session', async (role) => {
    const byKey = await statusOf(route, 'acme', { authorization: `Bearer ${keys.get(role)}` });
    const browser = browsers.get(role) as Browser;
    const cookie = [...browser.cookies(url)].map(([name, value]) => `${name}=${value}`).join('; ');
    const bySession = await statusOf(route, 'acme', { cookie, origin: url, 'x-trivium-csrf': browser.csrf });
    const refused = may(role, route) ? [false, false] : [true, true];
    expect([byKey === 403, bySession === 403]).toEqual(refused);
    expect([byKey, bySession]).not.toContain(401);
  });

  test.runIf(route.path.includes('{account}'))('the route is 404 for the owner of another account', async () => {
    const status = await statusOf(route, 'umbrella', { authorization: `Bearer ${keys.get('owner')}` });
    expect(status).toBe(404);
  });

  test('the route is refused without a credential and for a key that does not manage', async () => {
    expect(await statusOf(route, 'acme', {})).toBe(401);
    expect(await statusOf(route, 'acme', { cookie: 'trivium-session=made-up' })).toBe(401);
    expect(await statusOf(route, 'acme', { authorization: `Bearer ${plainKey}` })).toBe(403);
  });
});
