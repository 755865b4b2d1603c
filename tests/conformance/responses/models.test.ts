/** R: the list of models as the Codex command line asks for it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { get, idsOf } from '../../support/model-lists.ts';
import { OWN_THINKER, responsesHosts } from '../../support/responses-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

type Entry = { slug: string; display_name: string; context_window: number; supported_reasoning_levels: object[] };

test('[R-63] with client_version the list has slugs, without it the usual form', async () => {
  const { status, json } = await get(stand, '/api/v1/models?client_version=0.144.0');
  expect([status, Object.keys(json)]).toEqual([200, ['models']]);
  const models = json['models'] as Entry[];
  const usual = await get(stand, '/api/v1/models');
  expect(Object.keys(usual.json)).toEqual(['object', 'data']);
  const listed = usual.json['data'] as Record<string, unknown>[];
  const talking = listed.filter((entry) => (entry['output_modalities'] as string[]).includes('text'));
  expect(idsOf(listed)).toContain('openai/text-embedding-3-small');
  expect(models.map(({ slug }) => slug)).toEqual(idsOf(talking));
  expect(idsOf(talking)).not.toContain('openai/text-embedding-3-small');
  for (const { display_name, context_window } of models) {
    expect(display_name).toMatch(/\S/);
    expect(context_window).toBeGreaterThan(0);
  }
  const levels = (slug: string) =>
    models
      .find((model) => model.slug === slug)
      ?.supported_reasoning_levels.map((level) => ('effort' in level ? level.effort : ''));
  expect(levels(OWN_THINKER)).toEqual(['low', 'medium', 'high']);
  expect(levels('anthropic/claude-sonnet-4-5')).toEqual(['low', 'medium', 'high']);
  expect(levels('openai/gpt-4o')).toEqual([]);
});
