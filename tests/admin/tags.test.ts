// Tags: declared per account, read from requests of every protocol, on the record, required where the account says so, and bounded by budgets.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { call, PROTOCOL_CALLS } from '../support/every-protocol.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';

const MODEL = 'priced/flat';
const WAIT = { timeout: 20_000, interval: 50 };

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand({ alsoHosts: () => ({ providers: {}, models: PRICED_MODELS }) });
});
afterAll(() => stand.close());

const declare = (account: string, key: string, required = false) =>
  stand.admin('POST', `/accounts/${account}/tags`, { key, required });

async function account(id: string, tags: Readonly<Record<string, boolean>>): Promise<string> {
  const { secret } = await stand.newAccount(id);
  for (const [key, required] of Object.entries(tags)) expect((await declare(id, key, required)).status).toBe(200);
  return secret;
}

const ask = (secret: string, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  call(
    stand,
    PROTOCOL_CALLS[0],
    MODEL,
    { ...PROTOCOL_CALLS[0].body(MODEL), max_tokens: 10, ...more },
    { authorization: `Bearer ${secret}`, ...headers },
  );

/** Waits until the node has got the declared tags by notification. */
const recordedTags = async (secret: string, more: Record<string, unknown>, headers: Record<string, string> = {}) => {
  expect((await ask(secret, more, headers)).status).toBe(200);
  return stand.records.at(-1)?.tags;
};

test('an account has at most eight tags; a ninth is a conflict, and a withdrawn one frees its place', async () => {
  await stand.newAccount('eight');
  for (let at = 1; at <= 8; at++) expect((await declare('eight', `tag-${at}`)).status).toBe(200);
  expect(await declare('eight', 'tag-9')).toMatchObject({ status: 409, json: { error: { field: 'key' } } });
  expect((await declare('eight', 'tag-8', true)).json).toMatchObject({ key: 'tag-8', required: true });
  expect((await stand.admin('DELETE', '/accounts/eight/tags?key=tag-1')).status).toBe(200);
  expect((await stand.admin('DELETE', '/accounts/eight/tags?key=tag-1')).status).toBe(404);
  expect((await declare('eight', 'tag-9')).status).toBe(200);
  expect((await declare('eight', 'Upper')).status).toBe(400);
  expect((await stand.admin('GET', '/accounts/eight/tags')).json['items']).toHaveLength(8);
});

test('the record has the declared tags from header, metadata and user, and no others', async () => {
  const secret = await account('tagged', { team: false, user: false });
  const more = { metadata: { team: 'search', colour: 'red' }, user: 'ann' };
  await vi.waitFor(
    async () => expect({ ...(await recordedTags(secret, more)) }).toEqual({ team: 'search', user: 'ann' }),
    WAIT,
  );
  expect({ ...(await recordedTags(secret, more, { 'x-trivium-tags': 'team=ads' })) }).toEqual({
    team: 'ads',
    user: 'ann',
  });
  const id = stand.records.at(-1)!.requestId;
  await vi.waitFor(async () => {
    const shown = await stand.admin('GET', `/accounts/tagged/requests/${id}`);
    expect(shown.json).toMatchObject({ tags: { team: 'ads', user: 'ann' } });
  }, WAIT);
});

describe('an account that refuses untagged requests', () => {
  let secret: string;
  beforeAll(async () => {
    secret = await account('strict', { team: true, project: true });
    // The gateway loads one tag after the other: wait for the last one.
    const headers = { 'x-trivium-tags': 'team=search' };
    await vi.waitFor(async () => expect((await ask(secret, {}, headers)).status).toBe(400), WAIT);
  });

  test.each(PROTOCOL_CALLS)('$name: the error names the missing tag, in the protocol’s format', async (protocol) => {
    const headers = { authorization: `Bearer ${secret}`, 'x-trivium-tags': 'team=search' };
    const { status, json } = await call(stand, protocol, MODEL, protocol.body(MODEL), headers);
    expect(status).toBe(400);
    const error = json['error'] as Record<string, unknown>;
    expect(error['message']).toContain('requires the tag "project"');
    if (protocol.name === 'messages')
      expect(json).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    else if (protocol.name === 'genai') expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
    else expect(error).toMatchObject({ type: 'invalid_request_error' });
    const tagged = { ...headers, 'x-trivium-tags': 'team=search,project=x' };
    expect((await call(stand, protocol, MODEL, protocol.body(MODEL), tagged)).status).toBe(200);
  });
});

test('a tag budget limits the requests with that tag, and no others', async () => {
  const secret = await account('capped', { team: false });
  const scope = 'tag:team=search';
  const set = (body: object) => stand.admin('POST', '/accounts/capped/budgets', { span: 'total', ...body });
  expect((await set({ scope: 'tag:teem=search', usd: '1' })).status).toBe(400);
  expect((await set({ scope, usd: '0.000000001' })).status).toBe(200);
  const search = { metadata: { team: 'search' } };
  await vi.waitFor(async () => expect((await ask(secret, search)).status).toBe(402), WAIT);
  const refused = await ask(secret, search);
  expect((refused.json['error'] as { message: string }).message).toContain('the tag team=search');
  expect((await ask(secret, { metadata: { team: 'ads' } })).status).toBe(200);
  expect((await ask(secret)).status).toBe(200);
  await set({ scope, usd: '1' });
  await vi.waitFor(async () => expect((await ask(secret, search)).status).toBe(200), WAIT);
  await vi.waitFor(async () => {
    const { json } = await stand.admin('GET', '/accounts/capped/budgets');
    const [budget] = json['items'] as { spentUsd: string }[];
    expect(Number(budget?.spentUsd)).toBeGreaterThan(0);
  }, WAIT);
});

test('the command line declares, lists and withdraws tags', async () => {
  await stand.newAccount('by-hand');
  const run = async (...args: string[]) => {
    const terminal = fakeTerminal({ TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET, TRIVIUM_ADMIN_URL: stand.gateway.adminUrl });
    await runCommandLine(['tags', ...args], terminal);
    expect(terminal.errors).toEqual([]);
    return terminal.output.join('\n');
  };
  expect(await run('declare', 'by-hand', 'team', '--required')).toMatch(/required +true/);
  expect(await run('list', 'by-hand')).toMatch(/^team +true/m);
  expect(await run('withdraw', 'by-hand', 'team')).toContain('team');
});
