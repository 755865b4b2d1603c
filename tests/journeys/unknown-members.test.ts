// M14: a request refused for unknown fields is retried without them, and the losses list them.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { EVERY_PAIR, HOME } from '../support/every-road.ts';
import { responsesHosts } from '../support/responses-probe.ts';
import { post } from '../support/roads.ts';
import { openStand, STRICT_KEY, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

const statusesSince = (before: number): readonly (number | undefined)[] =>
  stand.simulator.truth
    .read()
    .slice(before)
    .map(({ status }) => status);

/** The pairs on which unknown fields reach the host unchanged. */
const OWN = EVERY_PAIR.filter(({ road, dialect }) => HOME[road.name] === dialect && road.name !== 'genai');

describe.each(OWN)('$pair', ({ road, model }) => {
  test.each([false, true])(
    '[C-60] [M-25] [R-20] the call is served without the unknown fields, streamed: %s',
    async (stream) => {
      const before = stand.simulator.truth.read().length;
      const body = { ...road.body(model, [road.user('Hello')], { stream }), foo: 1, bar: { baz: [2] }, qux: 'x' };
      const { status, headers, text } = await post(stand, road, model, body, { stream });
      expect(status, text).toBe(200);
      expect(headers.get('x-trivium-losses')?.split(',').sort()).toEqual(['bar', 'foo', 'qux']);
      const statuses = statusesSince(before);
      expect(statuses.at(-1)).toBe(200);
      expect(statuses.length).toBeLessThanOrEqual(3);
      expect(stand.simulator.truth.last()?.bodyText).not.toMatch(/foo|bar|qux/);
      const record = await vi.waitFor(() => {
        const found = stand.records.find(({ requestId }) => requestId === headers.get('x-request-id'));
        if (found === undefined) throw new Error('no record yet');
        return found;
      });
      expect(record.attempts).toHaveLength(statuses.length);
      expect(record.attempts?.[0]).toMatchObject({ fault: 'refused' });
    },
  );

  test('[C-60] [M-25] [R-20] strict mode returns the host’s refusal of unknown fields', async () => {
    const before = stand.simulator.truth.read().length;
    const body = { ...road.body(model, [road.user('Hello')], {}), foo: 1 };
    const { status, text } = await post(stand, road, model, body, { key: STRICT_KEY });
    expect(status).toBe(400);
    expect(text).toContain('foo');
    expect(statusesSince(before)).toEqual([400]);
  });
});
