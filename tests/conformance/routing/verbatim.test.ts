import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordOf, served } from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const MESSAGES = '"messages" : [ {"role":"user",\t"content":"h\\u00e9llo \\ud83d\\ude00 \\/"} ]';

test('[P-14] unknown fields and number texts reach a same-dialect upstream byte for byte', async () => {
  const before = `{ "model" : "compatible/any",${MESSAGES}, "temperature":1.50e-1, "top_p" :5E-1,\n "odd key":[1e2, 12345678901234567890123, -0.0, {"z":1,"a":null}],"x":"\\u0041"  }`;
  const { sentText, reply, losses } = await served(stand, before);
  expect(sentText).toBe(before.replace('"compatible/any"', '"any"'));
  expect(losses).toEqual([]);
  expect((await recordOf(stand, reply)).lane).toBe('verbatim');
});

test('[P-14] what is edited is edited alone: hints go, the cap changes its name, the rest stays', async () => {
  const body = `{"seed":7,"model":"compatible/any",${MESSAGES},"max_completion_tokens":1e1,"odd":12345678901234567890,"user":"u"}`;
  const { sentText, losses } = await served(stand, body);
  expect([...losses].sort()).toEqual(['seed', 'user']);
  expect(sentText).toBe(`{"model":"any",${MESSAGES},"max_tokens":1e1,"odd":12345678901234567890}`);
});

test('[P-14] a field another lane would have to rebuild is not passed off as verbatim', async () => {
  const body = `{"model":"nameless/any","messages":[{"role":"user","content":"hi","name":"n"}],"temperature":1.50e-1}`;
  const { sentText, reply } = await served(stand, body);
  expect((await recordOf(stand, reply)).lane).toBe('translated');
  expect(JSON.parse(sentText)).toMatchObject({ temperature: 0.15 });
});
