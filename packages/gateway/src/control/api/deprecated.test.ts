import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { serveSlices } from './admin-api.ts';
import { deprecatedIn } from './deprecated.ts';
import { ADMIN_MOUNT } from './openapi.ts';
import type { SessionRoute } from './session-route.ts';

const OLD = Type.String({ deprecated: true });
const answer = Type.Object({ name: Type.String(), items: Type.Array(Type.Object({ overdraft: OLD })) });

test('members that go are found in parameters, bodies and answers, at any depth', () => {
  const [query, body] = [Type.Object({ by: OLD, sort: Type.String() }), Type.Union([Type.Object({ limit: OLD })])];
  expect(deprecatedIn({ query, body, answer })).toEqual(['by', 'limit', 'overdraft']);
  expect(deprecatedIn({ answer: Type.Object({ deprecated: Type.Boolean() }) })).toEqual([]);
});

test('an answer names the members that go in a header, and others have none', async () => {
  const route = (path: string, of: typeof answer | ReturnType<typeof Type.Object>): SessionRoute => ({
    ...{ method: 'GET', path, name: path, summary: '', permission: 'public', answer: of },
    run: async () => ({ name: 'a', items: [] }),
  });
  const ports = { publicUrl: () => undefined, isTrustedProxy: () => false, stored: {} };
  const api = await serveSlices(ports as never, {
    sessionRoutes: [route('/planted', answer), route('/plain', Type.Object({ name: Type.String() }))],
    routes: [],
    addOthers: () => undefined,
  });
  const server = createServer((request, response) => api(request, response, 'operators'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const headerOf = async (path: string): Promise<string | null> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${ADMIN_MOUNT}${path}`;
    const { status, headers } = await fetch(url);
    expect(status).toBe(200);
    return headers.get('x-trivium-deprecated');
  };
  try {
    expect([await headerOf('/planted'), await headerOf('/plain')]).toEqual(['overdraft', null]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
