// An account's operations for its members: listed, shown, watched, cancelled; and the webhooks for their outcomes.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { type FakeTerminal, fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { callAdmin, OPERATOR_SECRET } from '../support/admin-stand.ts';
import { idIn, nameIn, openVideoStand, SEEDANCE, type VideoStand } from '../support/video-probe.ts';

const SLOW = 'a cat @simulate polls=1000';
const PERSON = { secrets: { keys: ['a-key-for-secrets-0123456789abcdefghijkl'] } };

let stand: VideoStand;
let receiver: Server;
type Message = { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
const delivered: Message[] = [];
let account = '';

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    delivered.push(JSON.parse(await text(request)) as Message);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const webhooks = { schemes: ['http'], ports: [port], alsoAddresses: ['127.0.0.1'], lookEveryMs: 20 };
  const admin = { host: '127.0.0.1', port: 0, secret: OPERATOR_SECRET };
  stand = await openVideoStand({ config: { ...PERSON, webhooks, admin } });
  await stand.made(SEEDANCE, { prompt: 'a cat' });
  account = (await stand.db.query('select account_id from operations')).rows[0].account_id;
  expect((await ask('POST', '/webhooks', { url: `http://127.0.0.1:${port}/` })).status).toBe(201);
});
afterAll(async () => {
  await stand.close();
  receiver.close();
});

const ask = (method: string, path: string, body?: unknown) =>
  callAdmin(stand.gateway.adminUrl, method, `/accounts/${account}${path}`, body, {
    authorization: `Bearer ${OPERATOR_SECRET}`,
  });
const run = async (line: string): Promise<FakeTerminal> => {
  const terminal = fakeTerminal({
    TRIVIUM_ADMIN_URL: stand.gateway.adminUrl,
    TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET,
  });
  await runCommandLine(line.split(' '), terminal);
  return terminal;
};
const deliveredFor = (name: string): readonly string[] =>
  delivered.filter(({ data }) => data['operation'] === name).map(({ type }) => type);
const order = async (prompt: string): Promise<{ readonly id: string; readonly name: string }> => {
  const { json } = await stand.submit(SEEDANCE, { prompt });
  return { id: idIn(json), name: nameIn(json) };
};

describe('an account’s operations', () => {
  test('operations are listed, the latest first, and shown with their cost', async () => {
    const { id, name } = await order('a dog');
    await stand.finished(name);
    const { json } = await ask('GET', '/operations?limit=1');
    expect(json).toMatchObject({ items: [{ id, name, state: 'done', videos: 1, blocked: 0, percent: 100 }], next: id });
    const rest = await ask('GET', `/operations?limit=200&after=${id}`);
    expect((rest.json['items'] as { id: string }[]).map((each) => each.id)).not.toContain(id);
    const one = (await ask('GET', `/operations/${id}`)).json;
    expect(Number(one['costUsd'])).toBeGreaterThan(0);
    expect(one['problem']).toBeNull();
    expect((await ask('GET', '/operations?state=running')).json['items']).toEqual([]);
    expect((await ask('GET', '/operations/nothing-like-it-0123456')).status).toBe(404);
  });

  test('operators find operations of all accounts, with links to their results', async () => {
    const found = (query: string) =>
      callAdmin(stand.gateway.adminUrl, 'GET', `/operations?${query}`, undefined, {
        authorization: `Bearer ${OPERATOR_SECRET}`,
      });
    const { json } = await found(`limit=1&account=${account}&state=done`);
    const [operation] = json['items'] as Record<string, unknown>[];
    expect(operation).toMatchObject({
      accountId: account,
      keyId: expect.any(String),
      requestId: expect.any(String),
      results: [{ mimeType: 'video/mp4' }],
    });
    const all = (await found(`model=${operation?.['model']}&provider=${operation?.['provider']}`)).json['items'];
    expect(all).toContainEqual(operation);
    expect((await found('account=none')).json['items']).toEqual([]);
    expect((await found('provider=none')).json['items']).toEqual([]);
    const link = (operation?.['results'] as { link: string | null }[] | undefined)?.[0]?.link;
    expect(link).toMatch(/^\//);
    expect((await fetch(`${stand.gateway.url}${link}`)).status).toBe(200);
  });

  test('an operation is cancelled once: nothing is charged, callers see it, and the webhook is called', async () => {
    const { id, name } = await order(SLOW);
    expect((await ask('GET', '/operations?state=running')).json['items']).toMatchObject([{ id }]);
    expect((await ask('POST', `/operations/${id}/cancel`)).json).toMatchObject({
      id,
      state: 'cancelled',
      costUsd: null,
    });
    expect((await ask('POST', `/operations/${id}/cancel`)).status).toBe(409);
    expect(await stand.finished(name)).toMatchObject({ done: true, error: { code: 1 } });
    await expect.poll(() => deliveredFor(name), { timeout: 10_000 }).toEqual(['operation.cancelled']);
    const { data } = delivered.find((message) => message.data['operation'] === name) as Message;
    expect(data).toEqual({ operation: name, model: SEEDANCE, state: 'cancelled' });
  });

  test('the webhook is called once for each operation that succeeds, fails or is blocked', async () => {
    const good = await order('a bird');
    await stand.finished(good.name);
    const bad = await order('a cat @simulate clip=fails');
    await stand.finished(bad.name);
    await expect.poll(() => deliveredFor(good.name), { timeout: 10_000 }).toEqual(['operation.succeeded']);
    await expect.poll(() => deliveredFor(bad.name), { timeout: 10_000 }).toEqual(['operation.failed']);
    const blocked = await order('a cat @simulate clip=blocked');
    await stand.finished(blocked.name);
    await expect.poll(() => deliveredFor(blocked.name), { timeout: 10_000 }).toEqual(['operation.blocked']);
  });
});

describe('the command line', () => {
  test('the command line watches an operation until it ends, and prints the outcome', async () => {
    const { id, name } = await order('a fish');
    const watched = run(`operations watch ${account} ${id} --every 0.1`);
    await stand.finished(name);
    const { output, exitCode } = await watched;
    expect(output.at(-1)).toMatch(/^\[#{24}\] 100 % {2}done {2}\d+:\d\d {2}\S+$/);
    expect(exitCode).toBe(0);
  });

  test('the command line updates one live line on a terminal', async () => {
    const { id, name } = await order('a frog');
    await stand.finished(name);
    const lines: [string, boolean][] = [];
    const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET });
    const live = { ...terminal, showLive: (line: string, isLast: boolean) => void lines.push([line, isLast]) };
    await runCommandLine(['operations', 'watch', account, id], live);
    expect(lines.at(-1)).toEqual([expect.stringContaining('done'), true]);
    expect(terminal.output).toEqual([]);
  });

  test('the command line lists, shows and cancels operations', async () => {
    const { id } = await order(SLOW);
    expect((await run(`operations list ${account} --state running`)).output[1]).toMatch(
      new RegExp(` running .* ${id} `),
    );
    expect((await run(`operations cancel ${account} ${id}`)).output.join('\n')).toMatch(/state +cancelled/);
    expect((await run(`operations show ${account} ${id}`)).output.join('\n')).toMatch(
      /problem +The operation was cancelled\./,
    );
    const { errors, exitCode } = await run(`operations watch ${account} ${id}`);
    expect({ errors, exitCode }).toEqual({ errors: ['The operation was cancelled.'], exitCode: 1 });
  });
});
