// The official Google Gen AI SDK for Python as the judge. Needs the environment that tests/sdk/python/install.sh makes.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Judgement, judgeWithPython } from '../support/python-judge.ts';
import { openStand, type Stand } from '../support/stand.ts';

const PINS = readFileSync(new URL('python/requirements.txt', import.meta.url), 'utf8');
const MODELS = ['openai/gpt-4o', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'];
const CALLS = ['weather', 'clock', 'news'].map((name) => ({ name, input: { city: expect.any(String) } }));

let stand: Stand;
let judge: Judgement;
beforeAll(async () => {
  stand = await openStand();
  judge = await judgeWithPython(stand, 'test_genai.py');
});
afterAll(() => stand?.close());

test('the Google Gen AI SDK for Python is the pinned version', () => {
  expect(PINS).toContain(`google-genai==${judge.version}\n`);
});

describe.each(MODELS)('to %s', (model) => {
  test('[A-38] partly: generate_content returns text, usage, finish reason and model', () => {
    const { text, finish, output, model: named } = judge.seen(`plain ${model}`);
    expect(text).toContain('Where do three roads meet?');
    expect(finish).toBe('STOP');
    expect(output).toBeGreaterThan(0);
    expect(named).toBe(model);
  });

  test('[GS-38] partly: the stream equals the whole answer', () => {
    expect(judge.seen(`streamed ${model}`)).toEqual({ same: true, finish: 'STOP', total: true });
  });

  test('[GS-38] partly: a chat keeps its turns in history', () => {
    expect(judge.seen(`chat ${model}`)).toEqual({
      words: 12,
      second: expect.stringContaining('And where do two meet?'),
      history: 'user',
    });
  });

  test('three function calls arrive, and their results are accepted', () => {
    expect(judge.seen(`tools ${model}`)).toEqual({ calls: CALLS, after: expect.stringContaining('21 degrees') });
  });

  test('a failure in the middle of a stream is an error, not a short answer', () => {
    const { failed, text } = judge.seen(`mid_stream_error ${model}`);
    expect(failed).toBe(true);
    expect(text).toContain('word5');
  });
});

test.each(['compatible/thinker', ...MODELS.slice(1)])(
  'a streamed chat with thinking from %s continues over several turns',
  (model) => {
    expect(judge.seen(`thinking ${model}`)).toEqual({
      thoughts: expect.stringContaining('two tools'),
      calls: ['weather', 'clock'],
      after: expect.stringContaining('21 degrees'),
    });
  },
);

test.each([
  ['error_400', 'ClientError', 400],
  ['error_401', 'ClientError', 401],
  ['error_404', 'ClientError', 404],
  ['error_429', 'ClientError', 429],
  ['error_502', 'ServerError', 502],
])('[E-31] %s is %s with the request id', (name, type, status) => {
  expect(judge.seen(name)).toEqual({ class: type, status, request_id: expect.stringMatching(/^.{10,}$/) });
});

test('[A-38] partly: models.list and models.get work', () => {
  expect(judge.seen('models')).toEqual({ listed: true, id: expect.stringContaining('gemini-2.5-flash') });
});
