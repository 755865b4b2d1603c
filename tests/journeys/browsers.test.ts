// Browsers of a configured origin: their preflights are answered without a key, and their calls are served as usual.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BEARER } from '../support/every-protocol.ts';
import { openStand, type Stand } from '../support/stand.ts';

const ORIGIN = 'https://app.example';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ config: () => ({ cors: { origins: [ORIGIN] } }) });
});
afterAll(() => stand.close());

const send = (method: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(`${stand.url}/api/v1/models`, { method, headers });

test('a preflight is answered without a key', async () => {
  const response = await send('OPTIONS', { origin: ORIGIN, 'access-control-request-method': 'GET' });
  expect([response.status, await response.text()]).toEqual([204, '']);
  expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
});

test('a call is served, and its answer may be read by the origin', async () => {
  const response = await send('GET', { ...BEARER, origin: ORIGIN });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ data: expect.any(Array) });
  expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
});

test('the preflight of another origin is no preflight here', async () => {
  const response = await send('OPTIONS', { origin: 'https://other.example', 'access-control-request-method': 'GET' });
  expect(response.status).toBe(405);
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
});
