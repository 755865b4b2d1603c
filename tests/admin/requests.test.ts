/** Request records at the admin API: lists, exports, bars, one request, and a live view; with a database and without. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AdminStand, callAdmin, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { openStand, postChat, type Stand } from '../support/stand.ts';

type Row = Record<string, unknown> & { readonly id: string };

const idOf = (reply: { readonly headers: Headers }): string => reply.headers.get('x-request-id') ?? '';
const NO_KEY = 'sk-trivium-nobody-0123456789abcdefghijklmnopqrstu';

let stand: AdminStand;
let acme: { readonly keyId: string; readonly secret: string };
let other: { readonly keyId: string; readonly secret: string };
beforeAll(async () => {
  stand = await openAdminStand();
  acme = await stand.newAccount('acme');
  other = await stand.newAccount('other');
});
afterAll(() => stand.close());

const rows = async (path: string, secret?: string): Promise<readonly Row[]> => {
  const { status, json, text } = await stand.admin('GET', path, undefined, secret);
  if (status !== 200) throw new Error(text);
  return json['items'] as Row[];
};

/** The row of a request; waits until it is stored. */
const stored = (id: string): Promise<Row> =>
  vi.waitFor(
    async () => {
      const [found] = await rows(`/requests?id=${id}`);
      if (found === undefined) throw new Error(`${id} is not stored yet`);
      return found;
    },
    { timeout: 10_000 },
  );

const raw = (path: string, secret = OPERATOR_SECRET): Promise<Response> =>
  fetch(`${stand.gateway.adminUrl}/admin/v1${path}`, { headers: { authorization: `Bearer ${secret}` } });

test('a finished request has a row with its key, models, tokens and cost', async () => {
  const reply = await stand.chat(acme.secret);
  expect(await stored(idOf(reply))).toMatchObject({
    accountId: 'acme',
    keyId: acme.keyId,
    keyName: 'first',
    askedModel: 'openai/gpt-4o',
    model: 'openai/gpt-4o',
    provider: 'openai',
    protocol: 'chat',
    operation: 'text',
    lane: 'verbatim',
    outcome: 'ok',
    outcomeClass: 'ok',
    status: 200,
    refused: false,
    attempts: 1,
    losses: 0,
    costUsd: reply.headers.get('x-trivium-cost'),
  });
});

test('one request has its attempts with phases, the same as on the explain path', async () => {
  const reply = await stand.chat(acme.secret);
  const { json } = await stand.admin('GET', `/requests/${idOf(reply)}`);
  expect(json).toMatchObject({
    id: idOf(reply),
    cause: null,
    attempts: [{ provider: 'openai', outcome: 'ok', status: 200 }],
  });
  const [attempt] = json['attempts'] as Record<string, number>[];
  const { startMs, sentMs, headMs, firstContentMs, endMs } = attempt as Record<string, number>;
  const times = [0, startMs, sentMs, headMs, firstContentMs, endMs] as number[];
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const answerId = (JSON.parse(reply.text) as { id: string }).id;
  expect((await stand.admin('GET', `/requests/${answerId}`)).json['id']).toBe(idOf(reply));
});

test('refused requests are listed with their account, or to operators only where there is none', async () => {
  const unknown = await stand.chat(acme.secret, { model: 'no/such' });
  expect(await stored(idOf(unknown))).toMatchObject({
    accountId: 'acme',
    refused: true,
    outcome: 'unknown-model',
    status: 404,
    askedModel: 'no/such',
    model: null,
    attempts: 0,
    costUsd: null,
  });
  const stranger = await stand.chat(NO_KEY);
  expect(await stored(idOf(stranger))).toMatchObject({ accountId: null, keyId: null, refused: true, status: 401 });
  expect(await rows(`/accounts/acme/requests?id=${idOf(stranger)}`, acme.secret)).toEqual([]);
  expect((await stand.admin('GET', `/requests/${idOf(unknown)}`)).json).toMatchObject({
    cause: expect.stringContaining('no/such'),
    attempts: [],
  });
});

test('an account sees only its own requests, in every view', async () => {
  const [mine, theirs] = [idOf(await stand.chat(acme.secret)), idOf(await stand.chat(other.secret))];
  await Promise.all([stored(mine), stored(theirs)]);
  const listed = (await rows('/accounts/acme/requests?limit=200', acme.secret)).map(({ id }) => id);
  expect(listed).toContain(mine);
  expect(listed).not.toContain(theirs);
  expect((await stand.admin('GET', `/accounts/acme/requests/${theirs}`, undefined, acme.secret)).status).toBe(404);
  for (const path of ['/requests', `/requests/${mine}`, '/requests.csv', '/requests/live', '/requests/histogram'])
    expect((await raw(path, acme.secret)).status, path).toBe(403);
  for (const path of ['', `/${theirs}`, '.csv', '.ndjson', '/live', '/histogram'])
    expect((await raw(`/accounts/other/requests${path}`, acme.secret)).status, path).toBe(404);
  expect(await (await raw('/accounts/acme/requests.csv', acme.secret)).text()).not.toContain(theirs);
});

test('the server filters and pages, and the error names a bad parameter', async () => {
  const before = await rows('/requests?account=acme&limit=200');
  const pages: Row[] = [];
  let after = '';
  for (let more = true; more; ) {
    const { json } = await stand.admin('GET', `/requests?account=acme&limit=2${after}`);
    pages.push(...(json['items'] as Row[]));
    more = json['next'] !== null;
    after = `&after=${String(json['next'])}`;
  }
  expect(pages.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect((await rows('/requests?outcome=failed&account=acme')).every(({ outcome }) => outcome !== 'ok')).toBe(true);
  expect((await rows('/requests?status=4xx')).every(({ status }) => Number(status) >= 400)).toBe(true);
  for (const [query, field] of [
    ['outcome=bad', 'outcome'],
    ['status=9xx', 'status'],
    ['from=yesterday', 'from'],
    ['after=x', 'after'],
    ['colour=red', 'colour'],
    ['from=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z', 'from'],
  ]) {
    const { status, json } = await stand.admin('GET', `/requests?${query}`);
    expect([status, (json['error'] as { field: string }).field], query).toEqual([400, field]);
  }
});

test('an export equals the list, up to its limit, and holds no spreadsheet formula', async () => {
  const reply = await stand.chat(acme.secret, { model: '=cmd|"x",y' });
  await stored(idOf(reply));
  const all = await rows('/requests?account=acme&limit=200');
  const csv = await raw('/requests.csv?account=acme');
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const lines = (await csv.text()).trimEnd().split('\r\n');
  expect(lines[0]).toMatch(/^id,receivedAt,accountId,/);
  expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(all.map(({ id }) => id));
  expect(lines[1]).toContain(`"'=cmd|""x"",y"`);
  const ndjson = await raw('/requests.ndjson?account=acme&limit=2');
  expect(ndjson.headers.get('x-trivium-max-rows')).toBe('2');
  const parsed = (await ndjson.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
  expect(parsed).toEqual(all.slice(0, 2));
});

test('the bars add up to the list', async () => {
  const all = await rows('/requests?account=acme&limit=200');
  for (const query of ['', '&bucketSeconds=60']) {
    const { json } = await stand.admin('GET', `/requests/histogram?account=acme${query}`);
    const bars = json['bars'] as Record<string, number>[];
    const sum = (name: string): number => bars.reduce((total, bar) => total + (bar[name] ?? 0), 0);
    expect(sum('ok')).toBe(all.filter(({ outcome }) => outcome === 'ok').length);
    expect(sum('caller') + sum('upstream') + sum('gateway')).toBe(all.filter(({ outcome }) => outcome !== 'ok').length);
  }
});

/** Reads rows of a live view until one has this id. */
async function liveRows(response: Response, until: () => string): Promise<readonly Row[]> {
  const found: Row[] = [];
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, data] = /^event: row\ndata: (.*)$/.exec(event) ?? [];
      if (data !== undefined) found.push(JSON.parse(data) as Row);
    }
    if (found.some(({ id }) => id === until())) return found;
  }
  throw new Error('the live view ended');
}

test('a live view shows requests that end from now on and match its filter', async () => {
  const response = await raw('/accounts/acme/requests/live?model=openai/gpt-4o', acme.secret);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let last = '';
  const seen = liveRows(response, () => last);
  // The first poll of a view records the existing rows; later polls show new ones.
  const timer = setInterval(async () => {
    await stand.chat(other.secret);
    await stand.chat(acme.secret, { model: 'no/such' });
    last = idOf(await stand.chat(acme.secret));
  }, 300);
  try {
    const found = await seen;
    expect(found.every(({ accountId, model }) => accountId === 'acme' && model === 'openai/gpt-4o')).toBe(true);
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
  } finally {
    clearInterval(timer);
  }
});

test('another process explains requests of a stopped process', async () => {
  const first = await openAdminStand({}, stand.database);
  const reply = await first.chat(acme.secret);
  await first.close();
  const explained = await fetch(`${stand.url}/api/v1/requests/${idOf(reply)}`, {
    headers: { authorization: `Bearer ${acme.secret}` },
  });
  expect(await explained.json()).toMatchObject({
    id: idOf(reply),
    outcome: 'ok',
    provider: 'openai',
    attempts: [{ outcome: 'ok' }],
  });
});

describe('without a database', () => {
  let memory: Stand;
  beforeAll(async () => {
    memory = await openStand({ config: () => ({ admin: { host: '127.0.0.1', port: 0, secret: OPERATOR_SECRET } }) });
  });
  afterAll(() => memory.close());
  const ask = (path: string, secret = OPERATOR_SECRET) =>
    callAdmin(memory.gateway.adminUrl, 'GET', path, undefined, { authorization: `Bearer ${secret}` });

  test('without a database the latest requests of the process are shown', async () => {
    const body = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] };
    const good = await postChat(memory, body);
    const bad = await postChat(memory, { ...body, model: 'no/such' });
    await expect.poll(async () => (await ask('/requests')).json['items']).toHaveLength(2);
    const { json } = await ask('/requests');
    expect((json['items'] as Row[]).map(({ id, outcome }) => [id, outcome])).toEqual([
      [idOf(bad), 'unknown-model'],
      [idOf(good), 'ok'],
    ]);
    expect((await ask(`/requests/${idOf(good)}`)).json).toMatchObject({ attempts: [{ provider: 'openai' }] });
    expect((await ask('/requests?outcome=ok')).json['items']).toHaveLength(1);
    expect((await ask('/requests/histogram')).json['bars']).toMatchObject([{ ok: 1, caller: 1 }]);
  });

  test('routes that need a database say so, and an unknown key is refused', async () => {
    const needy = await ask('/accounts');
    expect([needy.status, needy.text]).toEqual([503, expect.stringContaining('needs a database')]);
    expect((await ask('/requests', 'sk-other')).status).toBe(401);
  });
});

test('calls of one conversation are found together, within their account', async () => {
  const say = (secret: string, headers: Record<string, string>, more: object = {}) =>
    postChat(
      stand,
      { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }], ...more },
      { authorization: `Bearer ${secret}`, ...headers },
    );
  const session = { 'x-session-id': 'talk-1' };
  const mine = [idOf(await say(acme.secret, session)), idOf(await say(acme.secret, session))];
  const byKey = idOf(await say(acme.secret, {}, { prompt_cache_key: 'talk-2' }));
  const others = idOf(await say(other.secret, session));
  const plain = idOf(await say(acme.secret, {}));
  for (const id of [...mine, byKey, others, plain]) await stored(id);

  const conversationOf = async (id: string): Promise<unknown> =>
    (await stand.admin('GET', `/requests/${id}`)).json['conversation'];
  const [first, second] = [await conversationOf(mine[0] ?? ''), await conversationOf(mine[1] ?? '')];
  expect(first).toMatch(/^[\w-]{16}$/);
  expect(second).toBe(first);
  expect(new Set([first, await conversationOf(byKey), await conversationOf(others)]).size).toBe(3);
  expect(await conversationOf(plain)).toBeNull();

  const listed = await rows(`/requests?conversation=${first}&order=oldest`);
  expect(listed.map(({ id }) => id)).toEqual(mine);
  expect(await rows(`/accounts/other/requests?conversation=${first}`, other.secret)).toEqual([]);
  const { json } = await stand.admin('GET', `/requests/histogram?conversation=${first}`);
  expect((json['bars'] as { ok: number }[]).reduce((sum, { ok }) => sum + ok, 0)).toBe(2);
  // The name itself is stored nowhere.
  expect((await stand.admin('GET', `/requests/${mine[0]}`)).text).not.toContain('talk-1');
});
