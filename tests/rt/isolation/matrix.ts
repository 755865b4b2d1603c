/**
 * Every route that takes an id × {own, other tenant, unknown, malformed} × every credential header: an id of another
 * tenant is answered exactly like an unknown one. The routes come from the route table, so that a new one cannot be forgotten.
 */

import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { RouteShape } from '../../../packages/gateway/src/control/api/route.ts';
import { ADMIN_ROUTES } from '../../../packages/gateway/src/control/slices.ts';
import { callAdmin } from '../../support/admin-stand.ts';
import { ask, chatQuestion } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { type MadeKey, newKey, operate } from '../parts/operator.ts';
import { waitFor } from '../parts/wait.ts';
import { PAYMENTS, VIDEO_MODEL, WORKING_MODEL } from './canaries.ts';

export const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'] as const;

const credential = (header: string, secret: string): Record<string, string> => ({
  [header]: header === 'authorization' ? `Bearer ${secret}` : secret,
});

type Case = 'own' | 'other' | 'unknown' | 'malformed';
type Place = { readonly account: string; readonly id: string };
type Answer = { readonly status: number; readonly text: string };

const UNKNOWN_ID = `key_${'0'.repeat(32)}`;
const MALFORMED = ['%00', '..%2F..', "'%20or%201=1--", '%F0%9F%92%A5', '*', 'x'.repeat(190)];

const STORED_WITHIN_MS = 15_000;
const WEBHOOK = { url: 'https://receiver.example/' };

/** A valid body for each route, so that only the id decides. */
const BODIES: Readonly<Record<string, unknown>> = {
  changeAccount: { name: 'changed' },
  addMember: { name: 'm', role: 'viewer' },
  changeMember: { name: 'changed' },
  changeKey: { name: 'changed' },
  createKey: { name: 'k' },
  createKeyLink: { name: 'k' },
  rotateKey: {},
  revokeKey: {},
  addWebhook: WEBHOOK,
  changeWebhook: { events: null },
  rotateWebhook: {},
  payIn: { usd: '1' },
  changeAccountRecords: { bodies: 'off' },
  changeKeyRecords: { bodies: 'inherit' },
  replayAccountRequest: { keyId: 'none' },
  // A scope that matches no key: an account budget would refuse models without a price, and the records below would not exist.
  setParent: { parentId: null },
  declareTag: { key: 'team' },
  applyDeclaredAccount: { declared: { id: 'acme', kind: 'unlimited' } },
  setBudget: { scope: 'key:key_none', span: 'total', usd: '1' },
  setBudgetTemplate: { each: 'key:key_none', per: 'total', usd: '1' },
};

/** Routes that refuse even the caller's own id: nothing is captured here. */
const OWN_STATUS: Readonly<Record<string, number>> = { replayAccountRequest: 409 };

const takesIds = ({ path }: RouteShape): boolean => /\{(account|id)\}/.test(path);

/** `manager`: the secret of a key that manages the account. */
type MakeId = (gateway: GatewayProcess, account: string, manager: string) => Promise<string>;

const made =
  (list: string, body: object): MakeId =>
  async (gateway, account) =>
    (await operate(gateway, 'POST', `/accounts/${account}/${list}`, body))['id'] as string;

const newWebhook: MakeId = async (gateway, account) => {
  const answer = await operate(gateway, 'POST', `/accounts/${account}/webhooks`, WEBHOOK);
  return (answer['webhook'] as { readonly id: string }).id;
};

/** The number of webhooks per account is limited: routes that do not remove one share it. */
const shared = new Map<string, Promise<string>>();
const onePerAccount =
  (make: MakeId): MakeId =>
  (gateway, account, manager) => {
    const key = `${gateway.adminUrl} ${account}`;
    const made = shared.get(key) ?? make(gateway, account, manager);
    shared.set(key, made);
    return made;
  };

const finishedRequest: MakeId = async (gateway, account) => {
  const { secret } = await newKey(gateway, account);
  const headers = credential('authorization', secret);
  const { headers: got } = await ask({ ...chatQuestion(gateway.url, WORKING_MODEL), headers });
  const id = String(got['x-request-id']);
  const isStored = (): Promise<boolean> =>
    operate(gateway, 'GET', `/accounts/${account}/usage/${id}`).then(
      () => true,
      () => false,
    );
  await waitFor('the request is stored', isStored, STORED_WITHIN_MS);
  return id;
};

/** The id of its operation. */
async function orderedVideo(gatewayUrl: string, secret: string): Promise<string> {
  const [owner, model] = VIDEO_MODEL.split('/');
  const url = `${gatewayUrl}/api/vertex-ai/v1/publishers/${owner}/models/${model}:predictLongRunning`;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` };
  const body = JSON.stringify({ instances: [{ prompt: 'a cat' }] });
  const response = await fetch(url, { method: 'POST', headers, body });
  const { name } = (await response.json()) as { readonly name?: string };
  if (name === undefined) throw new Error(`no video was ordered: ${response.status}`);
  return name.split('/').at(-1) ?? '';
}

async function stored(gatewayUrl: string, secret: string, path: string, body?: object): Promise<StoredThing> {
  const headers = { 'content-type': 'application/json', ...credential('authorization', secret) };
  const asked = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${gatewayUrl}/api/v1/${path}`, { ...asked, headers });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as StoredThing;
}

type StoredThing = { readonly id: string; readonly first_id: string };

const storedResponse = async (gatewayUrl: string, model: string, secret: string): Promise<string> =>
  (await stored(gatewayUrl, secret, 'responses', { model, input: 'Hello' })).id;

async function storedConversation(gatewayUrl: string, secret: string) {
  const items = [{ role: 'user', content: 'Hello' }];
  const { id } = await stored(gatewayUrl, secret, 'conversations', { items });
  const { first_id: item } = await stored(gatewayUrl, secret, `conversations/${id}/items`);
  return { conversation: id, item };
}

/** The kind of an id in a path, by the segment before it. */
const MAKERS: Readonly<Record<string, MakeId>> = {
  members: made('members', { name: 'm', role: 'viewer' }),
  keys: async (gateway, account) => (await newKey(gateway, account)).id,
  'key-links': made('key-links', { name: 'k' }),
  orders: made('orders', { provider: PAYMENTS, amountMinor: 100, currency: 'usd', creditUsd: '1' }),
  webhooks: onePerAccount(newWebhook),
  deliveries: async (gateway, account, manager) => {
    const webhook = await onePerAccount(newWebhook)(gateway, account, manager);
    return (await operate(gateway, 'POST', `/accounts/${account}/webhooks/${webhook}/test`))['id'] as string;
  },
  operations: async (gateway, account) => {
    const { secret } = await newKey(gateway, account);
    return orderedVideo(gateway.url, secret);
  },
  views: async ({ adminUrl }, _account, manager) => {
    const body = { page: 'requests', name: 'v', search: '' };
    const made = await callAdmin(adminUrl, 'POST', '/views', body, credential('x-api-key', manager));
    return made.json['id'] as string;
  },
  // Not of an account: only operators may address providers, prices and destinations.
  providers: async () => 'openai',
  alerts: async () => 'alr_1',
  destinations: async () => 'dst_1',
  rules: async () => 'budget.reached',
  prices: async () => '1',
  policies: async () => 'none',
  'managed-settings': async () => 'none',
  'price-versions': async () => '1',
  audit: async (gateway, account) => {
    const { items } = (await operate(gateway, 'GET', `/accounts/${account}/audit?limit=1`)) as {
      readonly items: readonly { readonly id: string }[];
    };
    return items[0]?.id ?? '';
  },
  usage: finishedRequest,
  requests: finishedRequest,
};

/** A person who is signed in from a program, as sign-ins leave it in the database. */
const newGrant =
  (databaseUrl: string): MakeId =>
  async (_gateway, account) => {
    const owner = new Client({ connectionString: databaseUrl });
    await owner.connect();
    try {
      const [id, name] = ['grant', 'mem'].map((what) => `${what}_${randomUUID().replaceAll('-', '')}`);
      await owner.query(`insert into members (account_id, id, name, role) values ($1, $2, 'm', 'developer')`, [
        account,
        name,
      ]);
      await owner.query(
        `insert into grants (account_id, id, member_id, client, label, issuer, subject, scope, selector, verifier)
         values ($1, $2::text, $3, 'trivium-cli', 'l', 'corp', $2::text, 'calls', sha256(convert_to($2::text, 'UTF8')), sha256('v'))`,
        [account, id, name],
      );
      return id ?? '';
    } finally {
      await owner.end();
    }
  };

/** For routes with an id in the query: a query with such an id. */
const QUERIES: Readonly<Record<string, MakeId>> = {
  withdrawTag: async (gateway, account) => {
    const key = `t${randomUUID().slice(0, 8)}`;
    await operate(gateway, 'POST', `/accounts/${account}/tags`, { key });
    return `?key=${key}`;
  },
  // Members remove only the budgets that members have set.
  removeBudget: async ({ adminUrl }, account, manager) => {
    const budget = { scope: `key:none_${randomUUID()}`, span: 'total' };
    const path = `/accounts/${account}/budgets`;
    await callAdmin(adminUrl, 'POST', path, { ...budget, usd: '1' }, credential('x-api-key', manager));
    return `?${new URLSearchParams(budget)}`;
  },
  removeBudgetTemplate: async ({ adminUrl }, account, manager) => {
    const template = { each: `key:none_${randomUUID()}`, per: 'week' };
    const path = `/accounts/${account}/budget-templates`;
    await callAdmin(adminUrl, 'POST', path, { ...template, usd: '1' }, credential('x-api-key', manager));
    return `?${new URLSearchParams(template)}`;
  },
  listBudgetTemplateValues: async () => '?each=key&per=total',
};

function makerOf({ path, name }: RouteShape, makers: typeof MAKERS): MakeId {
  if (name === 'removeWebhook') return newWebhook;
  const word = /\/([\w-]+)\/\{id\}/.exec(path)?.[1];
  if (word === undefined) return QUERIES[name] ?? (async () => '');
  const maker = makers[word];
  if (maker === undefined) throw new Error(`${name}: say in MAKERS how to make one of /${word}/{id}`);
  return maker;
}

const fill = (path: string, { account, id }: Place): string =>
  (path.includes('{id}') ? path.replace('{id}', id) : path + id).replace('{account}', account);

export type MatrixFigures = {
  readonly routes: number;
  readonly probes: number;
  /** Own ids that could not be reached: the matrix would prove nothing. */
  readonly ownUnreachable: readonly string[];
  /** Ids of another tenant that were answered differently from unknown ones. */
  readonly differences: readonly string[];
  /** Malformed ids answered with anything but a refusal. */
  readonly malformedTaken: readonly string[];
};

export async function playMatrix(
  gateway: GatewayProcess,
  managers: Readonly<Record<string, MadeKey>>,
  databaseUrl: string,
): Promise<MatrixFigures> {
  const makers = { ...MAKERS, grants: newGrant(databaseUrl) };
  const { acme } = managers;
  if (acme === undefined) throw new Error('no manager of acme');
  const routes = ADMIN_ROUTES.filter(takesIds);
  const differences: string[] = [];
  const ownUnreachable: string[] = [];
  const malformedTaken: string[] = [];
  let probes = 0;
  for (const route of routes) {
    const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : BODIES[route.name];
    const makeId = makerOf(route, makers);
    const idIn = (account: string): Promise<string> => makeId(gateway, account, managers[account]?.secret ?? '');
    const play = async (header: string): Promise<void> => {
      const ask = async (place: Place): Promise<Answer> => {
        probes++;
        const path = fill(route.path, place);
        const answer = await callAdmin(gateway.adminUrl, route.method, path, body, credential(header, acme.secret));
        // The answer may repeat the requested id.
        const text = answer.text.replaceAll(`\\"${place.account}\\"`, '…').replaceAll(`\\"${place.id}\\"`, '…');
        return { ...answer, text };
      };
      const name = (what: Case): string => `${route.name} ${header} ${what}`;
      const own = await ask({ account: 'acme', id: await idIn('acme') });
      // Operator routes are refused on the caller's own account with another status than 404.
      const ownRefusal = route.permission === 'operator' ? 403 : undefined;
      const expected = ownRefusal ?? OWN_STATUS[route.name] ?? route.status ?? 200;
      if (own.status !== expected) ownUnreachable.push(`${name('own')}: ${own.status} ${own.text}`);
      const foreign = await idIn('umbrella');
      const pairs: [Place, Place][] = [
        [
          { account: 'umbrella', id: foreign },
          { account: 'nobody', id: foreign },
        ],
        ...(route.path.includes('{id}')
          ? [
              [
                { account: 'acme', id: foreign },
                { account: 'acme', id: UNKNOWN_ID },
              ] as [Place, Place],
            ]
          : []),
      ];
      for (const [other, unknown] of pairs) {
        const [theirs, nothing] = [await ask(other), await ask(unknown)];
        if (theirs.status !== nothing.status || theirs.text !== nothing.text || theirs.status < 400)
          differences.push(`${name('other')}: ${theirs.status} ${theirs.text} ≠ ${nothing.status} ${nothing.text}`);
      }
      for (const bad of MALFORMED) {
        const { status, text } = await ask(
          route.path.includes('{id}') ? { account: 'acme', id: bad } : { account: bad, id: '' },
        );
        if (status !== 404 && status !== 400 && status !== ownRefusal)
          malformedTaken.push(`${name('malformed')} ${bad}: ${status} ${text}`);
      }
    };
    await Promise.all(CREDENTIAL_HEADERS.map(play));
  }
  return { routes: routes.length, probes, ownUnreachable, differences, malformedTaken };
}

export type ReportFigures = Pick<MatrixFigures, 'probes' | 'ownUnreachable' | 'differences' | 'malformedTaken'>;

/** Data-plane paths with an id, and of what; `{own}` is the caller's own conversation. */
export const REPORTS = [
  ['generation?id={id}', 'request'],
  ['requests/{id}', 'request'],
  ['videos/video_{id}', 'video'],
  ['responses/{id}', 'response'],
  ['responses/{id}/input_items', 'response'],
  ['conversations/{id}', 'conversation'],
  ['conversations/{id}/items', 'conversation'],
  ['conversations/{own}/items/{id}', 'item'],
] as const;

/** The same for the callers' own requests on the data plane. */
export async function playReports(
  gateway: GatewayProcess,
  model: string,
  mine: MadeKey,
  theirs: MadeKey,
): Promise<ReportFigures> {
  const differences: string[] = [];
  const ownUnreachable: string[] = [];
  const malformedTaken: string[] = [];
  let probes = 0;
  const requestOf = async ({ secret }: MadeKey): Promise<string> => {
    const { headers } = await ask({
      ...chatQuestion(gateway.url, model),
      headers: credential('authorization', secret),
    });
    return String(headers['x-request-id']);
  };
  const idsOf = async (of: MadeKey) => ({
    request: await requestOf(of),
    video: await orderedVideo(gateway.url, of.secret),
    response: await storedResponse(gateway.url, model, of.secret),
    ...(await storedConversation(gateway.url, of.secret)),
  });
  const [owns, others] = [await idsOf(mine), await idsOf(theirs)];
  const play = async ([path, kind]: (typeof REPORTS)[number], header: string): Promise<void> => {
    const [own, other] = [owns[kind], others[kind]];
    const unknown = `${other.slice(0, -4)}${other.endsWith('0000') ? '1111' : '0000'}`;
    const name = `${path} ${header}`;
    const read = async (id: string): Promise<Answer> => {
      probes++;
      const place = path.replace('{own}', owns.conversation).replace('{id}', id);
      const response = await fetch(`${gateway.url}/api/v1/${place}`, { headers: credential(header, mine.secret) });
      return { status: response.status, text: (await response.text()).replaceAll(id, '…') };
    };
    await waitFor('the own request can be read', async () => (await read(own)).status === 200, STORED_WITHIN_MS).catch(
      async () => ownUnreachable.push(`${name}: ${JSON.stringify(await read(own))}`),
    );
    const [foreign, missing] = [await read(other), await read(unknown)];
    if (foreign.status !== missing.status || foreign.text !== missing.text || foreign.status < 400)
      differences.push(`${name}: ${JSON.stringify(foreign)} ≠ ${JSON.stringify(missing)}`);
    for (const bad of MALFORMED) {
      const { status, text } = await read(bad);
      if (status !== 404 && status !== 400) malformedTaken.push(`${name} ${bad}: ${status} ${text}`);
    }
  };
  for (const report of REPORTS) for (const header of CREDENTIAL_HEADERS) await play(report, header);
  return { probes, ownUnreachable, differences, malformedTaken };
}
