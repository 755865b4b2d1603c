/** Fields that the gateway accepts without using them, and unknown fields. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ask,
  COPY,
  EVERY_MODEL,
  lossless,
  lossy,
  messagesHosts,
  refused,
  TRANSLATED,
} from '../../support/messages-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: messagesHosts });
});
afterAll(() => stand.close());

test.each(EVERY_MODEL)('[M-23] metadata is not forwarded and is reported as a loss (%s)', async (model) => {
  const { sentText } = await lossy(stand, ask({ model, metadata: { user_id: 'ursula' } }), 'metadata');
  expect(sentText).not.toMatch(/metadata|ursula/);
  await lossless(stand, ask({ model, metadata: null }));
});

test.each([5, 'u', []])('[M-23] %j as metadata is refused', (metadata) =>
  refused(stand, ask({ metadata }), 'metadata'),
);

test.each(EVERY_MODEL)('[M-24] service_tier is not forwarded and is reported as a loss (%s)', async (model) => {
  const { sentText } = await lossy(stand, ask({ model, service_tier: 'auto' }), 'service_tier');
  expect(sentText).not.toContain('service_tier');
  await lossless(stand, ask({ model, service_tier: null }));
});

test('[M-25] an unknown field is forwarded unchanged to an upstream of this dialect', async () => {
  const { sent } = await lossless(stand, ask({ model: COPY, foo: { bar: [1, null] } }));
  expect(sent['foo']).toEqual({ bar: [1, null] });
});

test.each(TRANSLATED)('[M-25] an unknown field is a loss at other dialects (%s)', async (model) => {
  const { sent } = await lossy(stand, ask({ model, foo: 1, bar: [2] }), 'foo', 'bar');
  expect(sent).not.toHaveProperty('foo');
  await lossy(stand, ask({ model, 'fü,\r\n': 1 }), 'extra fields');
});
