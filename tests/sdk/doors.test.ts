// The official OpenAI SDKs as judges of the smaller calls: JavaScript and Python.
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Judgement, judgeWithPython } from '../support/python-judge.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

let stand: Stand;
let python: Judgement;
beforeAll(async () => {
  stand = await openStand();
  python = await judgeWithPython(stand, 'test_doors.py');
});
afterAll(() => stand.close());

const openai = (apiKey = KEY): OpenAI => new OpenAI({ apiKey, baseURL: `${stand.url}/v1`, maxRetries: 0 });

test('[MO-09] openai for JavaScript and for Python read moderations, without naming a model', async () => {
  const { model, results } = await openai().moderations.create({ input: ['a walk', 'plain violence'] });
  expect(model).toBe('openai/omni-moderation-latest');
  expect(results.map(({ flagged }) => flagged)).toEqual([false, true]);
  expect(results[1]?.categories.violence).toBe(true);
  expect(results[1]?.category_applied_input_types.violence).toEqual(['text']);
  expect(python.seen('moderation')).toEqual({
    model,
    flagged: [false, true],
    violence: true,
    minors: results[1]?.category_scores['sexual/minors'],
    found: ['text'],
  });
  const part = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } } as const;
  expect((await openai().moderations.create({ input: [part] })).results).toHaveLength(1);
});
