/** S12: keys with an IP allowlist behind proxies: only the address that a trusted peer forwards counts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AdminStand, callAdmin, openAdminStand } from '../support/admin-stand.ts';
import { PROTOCOL_CALLS } from '../support/every-protocol.ts';

const MODEL = 'openai/gpt-4o';
const OFFICE = '192.0.2.0/24';
const [INSIDE, OUTSIDE] = ['192.0.2.7', '198.51.100.9'];

const stands: AdminStand[] = [];
afterAll(() => Promise.all(stands.map((stand) => stand.close())));

/** A gateway that trusts these proxies, and a key limited to the office that also manages its account. */
async function open(trustedProxies: readonly string[]): Promise<{ stand: AdminStand; secret: string }> {
  const stand = await openAdminStand({ config: () => ({ listen: { host: '127.0.0.1', port: 0, trustedProxies } }) });
  stands.push(stand);
  const { secret } = await stand.newAccount('acme', { manages: 'owner', addresses: [OFFICE] });
  return { stand, secret };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function statuses({ stand, secret }: Opened, forwarded: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${secret}`, 'x-forwarded-for': forwarded };
  const calls = PROTOCOL_CALLS.map(async (call) => {
    const response = await fetch(`${stand.url}${call.path(MODEL)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...call.headers, ...headers },
      body: JSON.stringify(call.body(MODEL)),
    });
    await response.text();
    return response.status;
  });
  const own = fetch(`${stand.chatUrl}/key`, { headers }).then(({ status }) => status);
  const admin = callAdmin(stand.gateway.adminUrl, 'GET', '/accounts/acme', undefined, headers).then(
    ({ status }) => status,
  );
  return [...new Set(await Promise.all([...calls, own, admin]))];
}

describe('behind a trusted proxy', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(['127.0.0.1', '10.0.0.0/8']);
  });

  test('a caller at a forwarded allowed address may use the key on every protocol and the admin API', async () => {
    expect(await statuses(opened, INSIDE)).toEqual([200]);
    expect(await statuses(opened, `${INSIDE}, 10.1.2.3`)).toEqual([200]);
  });

  test('a caller at another address is refused, even with an allowed address further left in the header', async () => {
    expect(await statuses(opened, OUTSIDE)).toEqual([401]);
    expect(await statuses(opened, `${INSIDE}, ${OUTSIDE}`)).toEqual([401]);
    expect(await statuses(opened, 'unknown')).toEqual([401]);
  });
});

test('the forwarded header of an untrusted peer is ignored', async () => {
  expect(await statuses(await open(['10.0.0.0/8']), INSIDE)).toEqual([401]);
});
