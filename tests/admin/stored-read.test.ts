/** Stored responses read by operators and admins of the account: by request, audited, without secrets, and never of another account. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AdminStand } from '../support/admin-stand.ts';
import { CHAT, type Json } from '../support/responses-probe.ts';
import { UPSTREAM_SECRET } from '../support/stand.ts';
import { openStoredStand } from '../support/stored-checks.ts';

let stand: AdminStand;
let acme: string;
beforeAll(async () => {
  stand = await openStoredStand();
  ({ secret: acme } = await stand.newAccount('acme'));
});
afterAll(() => stand.close());

/** The ids of its request and of its response. */
async function make(members: Json): Promise<readonly [string, string]> {
  const response = await fetch(`${stand.chatUrl}/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${acme}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: CHAT, ...members }),
  });
  const { id } = (await response.json()) as { readonly id: string };
  return [response.headers.get('x-request-id') ?? '', id];
}

const storedOf = (id: string, path = '/requests', secret?: string) =>
  vi.waitFor(
    async () => {
      const reply = await stand.admin('GET', `${path}/${id}/stored`, undefined, secret);
      if (reply.status === 404) throw new Error('the request is not recorded yet');
      return reply;
    },
    { timeout: 10_000 },
  );
const bodyOf = (json: Json, part: string): string => String((json[part] as Json)['body']);

const readings = async (): Promise<readonly Json[]> =>
  ((await stand.admin('GET', '/accounts/acme/audit?limit=200')).json['items'] as Json[]).filter(
    ({ action }) => action === 'stored.read',
  );

test('a stored response is read with its own input and the request before it; each read is in the audit log', async () => {
  const [first, firstId] = await make({ input: `Hello, ${UPSTREAM_SECRET}` });
  const [second, secondId] = await make({ input: 'And then?', previous_response_id: firstId });
  const { status, json } = await storedOf(second);
  expect([status, json]).toEqual([
    200,
    expect.objectContaining({ stored: true, responseId: secondId, previousRequestId: first, conversationId: null }),
  ]);
  expect(bodyOf(json, 'input')).toContain('And then?');
  expect(JSON.parse(bodyOf(json, 'response'))).toMatchObject({ id: secondId, object: 'response' });
  // An hour.
  expect(Date.parse(String(json['expiresAt'])) - Date.parse(String(json['createdAt']))).toBe(3_600_000);
  expect(await readings()).toMatchObject([{ actor: 'operator', subject: second, detail: { response: secondId } }]);
  // By the id of the answer, too.
  expect(bodyOf((await storedOf(firstId)).json, 'input')).toContain('Hello, [redacted]');
  expect(await readings()).toHaveLength(2);
});

test('the requests of a stored conversation are found together, also what ran in the background', async () => {
  const headers = { authorization: `Bearer ${acme}`, 'content-type': 'application/json' };
  const created = await fetch(`${stand.chatUrl}/conversations`, { method: 'POST', headers, body: '{}' });
  const { id: conversation } = (await created.json()) as { readonly id: string };
  const first = await make({ input: 'One', conversation });
  const ids = [first, await make({ input: 'Two', conversation, background: true })].map(([id]) => id);
  await make({ input: 'Elsewhere' });
  const detailOf = (id = ''): Promise<Json> =>
    vi.waitFor(async () => {
      const { status, json } = await stand.admin('GET', `/requests/${id}`);
      if (status !== 200) throw new Error('the request is not recorded yet');
      return json;
    }, 10_000);
  const [{ conversation: name }, second] = [await detailOf(ids[0]), await detailOf(ids[1])];
  expect(second['conversation']).toBe(name);
  const { json } = await stand.admin('GET', `/requests?conversation=${name}`);
  expect((json['items'] as Json[]).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
});

test('its own admins read it; others, and lesser roles, do not', async () => {
  const [id] = await make({ input: 'Ours' });
  expect(bodyOf((await storedOf(id, '/accounts/acme/requests', acme)).json, 'input')).toContain('Ours');
  expect((await stand.admin('GET', `/requests/${id}/stored`, undefined, acme)).status).toBe(403);
  const { secret } = await stand.newAccount('umbrella');
  for (const account of ['acme', 'umbrella']) {
    const reply = await stand.admin('GET', `/accounts/${account}/requests/${id}/stored`, undefined, secret);
    expect([reply.status, reply.text.includes('Ours')]).toEqual([404, false]);
  }
});

test('what is not stored, deleted or erased is not there, and no read of it is noted', async () => {
  const before = (await readings()).length;
  const [unstored] = await make({ input: 'Not this', store: false });
  const [deleted, deletedId] = await make({ input: 'Nor this' });
  await fetch(`${stand.chatUrl}/responses/${deletedId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${acme}` },
  });
  const [erased] = await make({ input: 'Nor that' });
  expect((await stand.admin('DELETE', '/accounts/acme/records')).status).toBe(200);
  for (const id of [unstored, deleted, erased])
    expect((await storedOf(id)).json).toMatchObject({ stored: false, input: null, response: null });
  expect(await readings()).toHaveLength(before);
  expect((await stand.admin('GET', '/requests/none/stored')).status).toBe(404);
});
