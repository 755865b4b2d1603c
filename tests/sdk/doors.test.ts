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

test('[LC-11] openai for JavaScript and for Python read completions, plain and streamed, at a host of another format', async () => {
  const asked = { model: 'anthropic/claude-sonnet-4-5', prompt: 'Where do three roads meet?' };
  const whole = await openai().completions.create({ ...asked, max_tokens: 100 });
  const { text, finish_reason } = whole.choices[0] ?? {};
  expect(text).toContain(asked.prompt);
  let streamed = '';
  let total: number | undefined;
  const options = { stream: true, stream_options: { include_usage: true } } as const;
  for await (const chunk of await openai().completions.create({ ...asked, ...options })) {
    streamed += chunk.choices[0]?.text ?? '';
    total = chunk.usage?.total_tokens ?? total;
  }
  expect(streamed).toBe(text);
  expect(total).toBe(whole.usage?.total_tokens);
  expect(python.seen('completion')).toEqual({
    object: 'text_completion',
    ...{ text, finish: finish_reason, streamed: text, total },
  });
  const refused = openai().completions.create({ ...asked, prompt: ['one', 'two'] });
  await expect(refused).rejects.toMatchObject({ status: 400, param: 'prompt' });
});
