/** Captured content at the admin API: off by default, four panes with marked edits, no secrets, audited, erased on all nodes. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '@trivium/gateway';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { StoredCaptures } from '../../packages/gateway/src/control/wire/rows.ts';
import { FolderStore } from '../../packages/gateway/src/media/blobs/folder-store.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { type AdminStand, callAdmin, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { UPSTREAM_SECRET } from '../support/stand.ts';

type Pane = {
  readonly startLine: string;
  readonly headers: readonly { readonly name: string; readonly value: string; readonly redacted?: true }[];
  readonly body: string;
  readonly bytes: number;
  readonly truncated: boolean;
  readonly frames: readonly { readonly atMs: number; readonly bytes: number }[];
};
type Place = { readonly pane: string; readonly start: number | null; readonly end: number | null } | null;
type Mark = {
  readonly kind: string;
  readonly path: string | null;
  readonly why: string;
  readonly from: Place;
  readonly to: Place;
};
type Wire = {
  readonly captured: boolean;
  readonly why: string | null;
  readonly attempts: readonly unknown[];
  readonly panes: Readonly<Record<'callerRequest' | 'hostRequest' | 'hostResponse' | 'callerResponse', Pane>>;
  readonly marks: readonly Mark[];
};

const KEYS = ['the first key of thirty-two characters'];
const HOUR_MS = 3_600_000;
const soon = (): string => new Date(Date.now() + HOUR_MS).toISOString();
const idOf = (reply: { readonly headers: Headers }): string => reply.headers.get('x-request-id') ?? '';

let folder: string;
let stand: AdminStand;
let acme: { readonly keyId: string; readonly secret: string };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trivium-capture-'));
  stand = await openAdminStand({ config: () => ({ secrets: { keys: KEYS }, blobs: { folder } }) });
  acme = await stand.newAccount('acme');
});
afterAll(async () => {
  await stand.close();
  await rm(folder, { recursive: true, force: true });
});

const query = async (sql: string): Promise<Record<string, unknown>[]> => {
  const client = new Client({ connectionString: stand.database.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
};

const filesBelow = async (): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('content'));

const wireOf = async (id: string, more = ''): Promise<Wire> => {
  const { status, json, text } = await stand.admin('GET', `/requests/${id}/wire${more}`);
  if (status !== 200) throw new Error(text);
  return json as unknown as Wire;
};

/** Waits until the content is stored. */
const captured = (id: string): Promise<Wire> =>
  vi.waitFor(
    async () => {
      const wire = await wireOf(id);
      if (!wire.captured) throw new Error(`${id} is not captured: ${wire.why}`);
      return wire;
    },
    { timeout: 10_000 },
  );

const captureAll = async (account: string, more: Record<string, unknown> = {}): Promise<void> => {
  const body = { bodies: 'all', keepHours: 2, until: soon(), ...more };
  const { status, text } = await stand.admin('PATCH', `/accounts/${account}/records`, body);
  if (status !== 200) throw new Error(text);
};

const textAt = ({ panes }: Wire, place: Place): string => {
  const pane = panes[place?.pane as keyof Wire['panes']];
  return Buffer.from(pane.body)
    .subarray(place?.start ?? 0, place?.end ?? 0)
    .toString();
};

test('capture is off by default: nothing is stored, and the API says so', async () => {
  expect((await stand.admin('GET', '/accounts/acme/records')).json).toEqual({
    bodies: 'off',
    samplePercent: 10,
    keepHours: 24,
    until: null,
    active: false,
    storage: 'folder',
    warning: null,
  });
  const reply = await stand.chat(acme.secret);
  expect(await wireOf(idOf(reply))).toMatchObject({ captured: false, why: 'off', panes: null, marks: [] });
  expect(await query('select from captures')).toEqual([]);
  expect(await filesBelow()).toEqual([]);
});

test('capture needs an end date, in the near future', async () => {
  const change = async (body: object): Promise<unknown> =>
    (await stand.admin('PATCH', '/accounts/acme/records', body)).json['error'];
  expect(await change({ bodies: 'all' })).toMatchObject({ code: 'invalid', field: 'until' });
  expect(await change({ bodies: 'all', until: '2020-01-01T00:00:00Z' })).toMatchObject({ field: 'until' });
  expect(await change({ bodies: 'all', until: '2126-01-01T00:00:00Z' })).toMatchObject({ field: 'until' });
  expect(await change({ bodies: 'all', until: soon(), keepHours: 100_000 })).toMatchObject({ field: 'keepHours' });
});

describe('while capture is on', () => {
  beforeAll(() => captureAll('acme'));

  test('a verbatim non-streamed request has four panes, with its edits marked by byte offsets', async () => {
    const reply = await stand.chat(acme.secret, { model: 'compatible/any' });
    const wire = await captured(idOf(reply));
    const { callerRequest, hostRequest, hostResponse, callerResponse } = wire.panes;
    expect(callerRequest.startLine).toBe('POST /api/v1/chat/completions');
    expect(JSON.parse(callerRequest.body)).toMatchObject({ model: 'compatible/any' });
    expect(hostRequest.startLine).toContain('/compatible/v1/chat/completions');
    expect(JSON.parse(hostRequest.body)).toMatchObject({ model: 'any' });
    expect(hostResponse.startLine).toBe('HTTP/1.1 200');
    expect(hostResponse.headers.map(({ name }) => name.toLowerCase())).toContain('content-type');
    expect(callerResponse.body).toBe(reply.text);
    expect(callerResponse.bytes).toBe(Buffer.byteLength(reply.text));
    const model = wire.marks.find(
      ({ kind, path, from }) => kind === 'S' && path === 'model' && from?.pane === 'callerRequest',
    );
    expect(model).toMatchObject({ why: 'rewritten', to: { pane: 'hostRequest' } });
    expect(textAt(wire, model?.from ?? null)).toBe('"model":"compatible/any"');
    expect(textAt(wire, model?.to ?? null)).toBe('"model":"any"');
  });

  test('a stream has the times and sizes of its frames, which add up to its bytes', async () => {
    const reply = await stand.chat(acme.secret, { stream: true });
    const { hostResponse, callerResponse } = (await captured(idOf(reply))).panes;
    expect(callerResponse.body).toBe(reply.text);
    for (const { frames, bytes, body } of [hostResponse, callerResponse]) {
      expect(frames.length).toBeGreaterThan(0);
      expect(frames.reduce((sum, frame) => sum + frame.bytes, 0)).toBe(bytes);
      expect(body).toContain('data: ');
      expect(frames.map(({ atMs }) => atMs)).toEqual(frames.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
    }
  });

  test.each([false, true])('a translated request shows both dialects and its losses (stream: %s)', async (stream) => {
    const reply = await stand.chat(acme.secret, { model: 'anthropic/claude-sonnet-4-5', seed: 3, stream });
    expect(reply.status).toBe(200);
    const wire = await captured(idOf(reply));
    const { hostRequest, hostResponse, callerResponse } = wire.panes;
    expect(wire.attempts).toEqual([
      { provider: 'anthropic', model: 'anthropic/claude-sonnet-4-5', lane: 'translated' },
    ]);
    expect(hostRequest.startLine).toContain('/anthropic/v1/messages');
    expect(JSON.parse(hostRequest.body)).toHaveProperty('max_tokens');
    expect(hostResponse.body).toContain(stream ? 'content_block_delta' : '"type":"message"');
    expect(callerResponse.body).toBe(reply.text);
    const loss = wire.marks.find(({ kind, path }) => kind === 'L' && path === 'seed');
    expect(textAt(wire, loss?.from ?? null)).toBe('"seed":3');
  });

  test('a refused request is captured with its answer', async () => {
    const reply = await stand.chat(acme.secret, { model: 'no/such' });
    const wire = await captured(idOf(reply));
    expect(wire.panes.callerResponse).toMatchObject({ startLine: 'HTTP/1.1 404', body: reply.text });
    expect(wire.panes.hostRequest).toBeNull();
  });

  test('stored and returned content has no secrets: headers are removed and marked', async () => {
    const leaked = 'sk-live-0123456789abcdefghij';
    const reply = await stand.chat(acme.secret, { messages: [{ role: 'user', content: `use ${leaked}` }] });
    const id = idOf(reply);
    const wire = await captured(id);
    const text = JSON.stringify(wire);
    for (const secret of [acme.secret, UPSTREAM_SECRET, leaked]) expect(text).not.toContain(secret);
    const removed = wire.marks.filter(({ kind }) => kind === 'K');
    expect(removed.map(({ path, from }) => [from?.pane, path])).toEqual(
      expect.arrayContaining([
        ['callerRequest', 'authorization'],
        ['hostRequest', 'authorization'],
        ['callerRequest', null],
      ]),
    );
    const inBody = removed.find(({ path, from }) => path === null && from?.pane === 'callerRequest');
    expect(textAt(wire, inBody?.from ?? null)).toBe('[redacted]');
    for (const file of await filesBelow()) {
      const bytes = await readFile(join(folder, file), 'latin1');
      for (const plain of [acme.secret, UPSTREAM_SECRET, leaked, 'messages']) expect(bytes).not.toContain(plain);
    }
  });

  test('every read of captured content is in the audit log, a request for uncaptured content is not', async () => {
    const id = idOf(await stand.chat(acme.secret));
    await captured(id);
    const readings = async (): Promise<readonly Record<string, unknown>[]> =>
      ((await stand.admin('GET', '/accounts/acme/audit?limit=200')).json['items'] as Record<string, unknown>[]).filter(
        ({ action, subject }) => action === 'capture.read' && subject === id,
      );
    const before = (await readings()).length;
    await wireOf(id);
    expect(await readings()).toHaveLength(before + 1);
    expect((await readings())[0]).toMatchObject({ actor: 'operator', detail: { attempt: 1 } });
  });

  test('an account reads its own two panes, and nothing of other accounts', async () => {
    const id = idOf(await stand.chat(acme.secret));
    await captured(id);
    const { status, json } = await stand.admin('GET', `/accounts/acme/requests/${id}/wire`, undefined, acme.secret);
    expect(status).toBe(200);
    expect(json).toMatchObject({ captured: true, panes: { hostRequest: null, hostResponse: null } });
    expect(JSON.stringify(json['marks'])).not.toContain('host');
    expect((await stand.admin('GET', `/requests/${id}/wire`, undefined, acme.secret)).status).toBe(403);
    const umbrella = await stand.newAccount('umbrella');
    expect(
      (await stand.admin('GET', `/accounts/umbrella/requests/${id}/wire`, undefined, umbrella.secret)).status,
    ).toBe(404);
    expect((await wireOf(idOf(await stand.chat(umbrella.secret)))).why).toBe('off');
  });

  test('the error for an unknown attempt names the parameter', async () => {
    const id = idOf(await stand.chat(acme.secret));
    await captured(id);
    expect((await stand.admin('GET', `/requests/${id}/wire?attempt=2`)).json).toMatchObject({
      error: { code: 'invalid', field: 'attempt' },
    });
  });

  test('expired content is not shown, and the next sweep removes its row and its file', async () => {
    const id = idOf(await stand.chat(acme.secret));
    await captured(id);
    await query(`update captures set expires_at = now() - interval '1 s' where request_id = '${id}'`);
    expect(await wireOf(id)).toMatchObject({ captured: false, why: 'expired', panes: null });
    const store = new Store(stand.database.settings);
    try {
      expect(await new StoredCaptures(store, () => undefined).deleteExpired(Date.now())).toBe(1);
    } finally {
      await store.close();
    }
    expect(await query(`select from captures where request_id = '${id}'`)).toEqual([]);
    const before = await filesBelow();
    expect(before.length).toBeGreaterThan(0);
    const later = Date.now() + 3 * HOUR_MS;
    await new FolderStore({ folder, maxBytes: 1 }, () => later).sweep(later);
    expect(await filesBelow()).toEqual([]);
  });
});

test('capture can be limited to one key, or exclude one', async () => {
  await stand.newAccount('keyed');
  const [one, two] = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const { json } = await stand.admin('POST', '/accounts/keyed/keys', { name });
      return { id: (json['key'] as { id: string }).id, secret: json['secret'] as string };
    }),
  );
  expect((await stand.admin('GET', `/accounts/keyed/keys/${one?.id}/records`)).json).toMatchObject({
    bodies: 'inherit',
  });
  const path = `/accounts/keyed/keys/${one?.id}/records`;
  expect((await stand.admin('PATCH', path, { bodies: 'all', until: soon() })).json).toMatchObject({ active: true });
  await captured(idOf(await stand.chat(one?.secret ?? '')));
  expect(await wireOf(idOf(await stand.chat(two?.secret ?? '')))).toMatchObject({ captured: false, why: 'off' });
  expect((await stand.admin('GET', '/accounts/keyed/keys/key_none/records')).status).toBe(404);
});

test('deleting the data key makes all content unreadable on every node, and later content gets a new key', async () => {
  const { secret } = await stand.newAccount('erased');
  const second = await startGateway({ config: stand.config() });
  const onSecond = async (id: string): Promise<Record<string, unknown>> =>
    (
      await callAdmin(second.adminUrl, 'GET', `/requests/${id}/wire`, undefined, {
        authorization: `Bearer ${OPERATOR_SECRET}`,
      })
    ).json;
  try {
    await captureAll('erased');
    const id = idOf(await stand.chat(secret));
    await captured(id);
    expect(await onSecond(id)).toMatchObject({ captured: true });
    const before = (await filesBelow()).length;
    const erased = await stand.admin('DELETE', '/accounts/erased/records');
    expect(erased.json).toMatchObject({ left: 0 });
    expect(Number(erased.json['erased'])).toBeGreaterThan(0);
    expect((await wireOf(id)).captured).toBe(false);
    expect((await onSecond(id))['captured']).toBe(false);
    expect((await filesBelow()).length).toBe(before - Number(erased.json['erased']));
    expect(await query("select from capture_keys where account_id = 'erased'")).toEqual([]);
    const later = idOf(await stand.chat(secret));
    await captured(later);
    expect(await onSecond(later)).toMatchObject({ captured: true });
  } finally {
    await second.close();
  }
});

test('nodes with separate folders report it, and list the content they cannot read', async () => {
  const { secret } = await stand.newAccount('split');
  await captureAll('split');
  const other = await mkdtemp(join(tmpdir(), 'trivium-capture-'));
  const config = stand.config();
  const second = await startGateway({ config: { ...config, blobs: { ...config.blobs, folder: other } } });
  const headers = { authorization: `Bearer ${OPERATOR_SECRET}` };
  try {
    const id = idOf(await stand.chat(secret));
    await captured(id);
    expect((await callAdmin(second.adminUrl, 'GET', `/requests/${id}/wire`, undefined, headers)).json).toMatchObject({
      captured: false,
      why: 'on-another-node',
    });
    expect((await stand.admin('GET', '/accounts/split/records')).json['warning']).toContain('separate folders');
  } finally {
    await second.close();
    await rm(other, { recursive: true, force: true });
  }
});
