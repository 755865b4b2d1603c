// Truncated forms: a bad file gets a refusal for its caller, and affects no other caller.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { imageConfig, imageHosts } from '../support/image-probe.ts';
import { send } from '../support/raw-request.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: imageHosts, config: imageConfig });
});
afterAll(() => stand.close());

const PART = '--b\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\n';

test.each([
  ['in the middle of a file', `${PART}content-type: image/png\r\n\r\nabc`],
  ['in the middle of a boundary', `${PART}content-type: image/png\r\n\r\nabc\r\n--`],
  ['before a file', PART],
  ['before it begins', ''],
  // S7: was never answered.
  ['after a part head without its empty line', `${PART}--b--\r\n`],
  ['after such a part and a whole one', `${PART}${PART}\r\nabc\r\n--b--\r\n`],
])('a form that ends %s is refused, and the next request is served', async (_where, body) => {
  const path = '/api/v1/images/edits';
  const headers = ['authorization', `Bearer ${KEY}`, 'content-type', 'multipart/form-data; boundary=b'];
  expect(await send(stand, { path, headers, body })).toMatchObject({ status: 400 });
  expect((await fetch(`${stand.chatUrl}/models`)).status).toBe(200);
});
