import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordOf, served } from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const MESSAGES = '"messages" : [ {"role":"user",\t"content":"h\\u00e9llo \\ud83d\\ude00 \\/"} ]';

test('[P-14] unknown fields and the notation of numbers reach an upstream of the same dialect byte for byte', async () => {
  const before = `{ "model" : "compatible/any",${MESSAGES}, "temperature":1.50e-1, "top_p" :5E-1,\n "odd key":[1e2, 12345678901234567890123, -0.0, {"z":1,"a":null}],"x":"\\u0041"  }`;
  const { sentText, reply, losses } = await served(stand, before);
  expect(sentText).toBe(before.replace('"compatible/any"', '"any"'));
  expect(losses).toEqual([]);
  expect((await recordOf(stand, reply)).lane).toBe('verbatim');
});

test('[P-14] the verbatim lane edits only what it must: hints are removed, the cap is renamed, the rest is unchanged', async () => {
  const body = `{"seed":7,"model":"compatible/any",${MESSAGES},"max_completion_tokens":1e1,"odd":12345678901234567890,"user":"u"}`;
  const { sentText, losses } = await served(stand, body);
  expect([...losses].sort()).toEqual(['seed', 'user']);
  expect(sentText).toBe(`{"model":"any",${MESSAGES},"max_tokens":1e1,"odd":12345678901234567890}`);
});

test('[P-14] a request that has to be rebuilt is not reported as verbatim', async () => {
  const body = `{"model":"nameless/any","messages":[{"role":"user","content":"hi","name":"n"}],"temperature":1.50e-1}`;
  const { sentText, reply } = await served(stand, body);
  expect((await recordOf(stand, reply)).lane).toBe('translated');
  expect(JSON.parse(sentText)).toMatchObject({ temperature: 0.15 });
});
