/** Control characters and lists where one word is expected are refused by name. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand();
});
afterAll(() => stand.close());

test('names of accounts and keys contain no control characters', async () => {
  const account = { id: 'plain', name: 'a\r\nb', kind: 'unlimited' };
  expect(await stand.admin('POST', '/accounts', account)).toMatchObject({ status: 400 });
  await stand.newAccount('plain');
  expect(await stand.admin('POST', '/accounts/plain/keys', { name: 'a\nb' })).toMatchObject({ status: 400 });
});

test('an export of the requests of an account named with NUL is refused before it starts', async () => {
  expect(await stand.admin('GET', '/requests.csv?account=%00')).toMatchObject({ status: 400 });
});

test.each(['a@b,c@d', 'a@b.c\r\nRCPT TO:<evil@x>', 'nothing'])('the mail destination %j is refused', async (to) => {
  const body = { name: 'mail', kind: 'mail', to: [to] };
  expect(await stand.admin('POST', '/alerts/destinations', body)).toMatchObject({ status: 400 });
});
