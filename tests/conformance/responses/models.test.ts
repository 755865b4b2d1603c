/** R: the list of models as the Codex command line asks for it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { get } from '../../support/model-lists.ts';
import { responsesHosts } from '../../support/responses-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

test('[R-63] with client_version the list can be decoded by Codex and replaces none of its instructions', async () => {
  const usual = await get(stand, '/api/v1/models');
  expect(Object.keys(usual.json)).toEqual(['object', 'data']);
  for (const path of ['/api/v1/models', '/v1/models']) {
    const { status, json } = await get(stand, `${path}?client_version=0.169.0`);
    expect(status).toBe(200);
    expect(json).toEqual({ ...usual.json, models: [] });
  }
});
