// The official Anthropic SDK for Python as the judge. Needs the environment that tests/sdk/python/install.sh makes.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Judgement, judgeWithPython } from '../support/python-judge.ts';
import { OWN as RESPONSES, responsesHosts } from '../support/responses-probe.ts';
import { openStand, type Stand } from '../support/stand.ts';

const PINS = readFileSync(new URL('python/requirements.txt', import.meta.url), 'utf8');
const MODELS = ['openai/gpt-4o', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'];
const CALLS = ['weather', 'clock', 'news'].map((name) => ({ name, input: { city: expect.any(String) } }));

let stand: Stand;
let judge: Judgement;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
  judge = await judgeWithPython(stand, 'test_messages.py');
});
afterAll(() => stand?.close());

test('the Anthropic SDK for Python is the pinned version', () => {
  expect(PINS).toContain(`anthropic==${judge.version}\n`);
});

describe.each(MODELS)('to %s', (model) => {
  test('create returns text, usage, stop reason and the request id', () => {
    const { text, stop, output, id, request_id } = judge.seen(`plain ${model}`);
    expect(text).toContain('Where do three roads meet?');
    expect(stop).toBe('end_turn');
    expect(output).toBeGreaterThan(0);
    expect(id).toBe(`msg_${request_id}`);
  });

  test('[MS-26] partly: raw stream, helper and whole answer are equal', () => {
    expect(judge.seen(`streamed ${model}`)).toEqual({ same: true, stop: 'end_turn', output: expect.any(Number) });
  });

  test('[MS-26] partly: three tool calls arrive whole and streamed, and their results are accepted', () => {
    expect(judge.seen(`tools ${model}`)).toEqual({
      calls: CALLS,
      streamed: CALLS,
      after: expect.stringContaining('21 degrees'),
      after_streamed: expect.stringContaining('21 degrees'),
    });
  });

  test('a failure in the middle of a stream is an APIError, not a short answer', () => {
    const { failed, text } = judge.seen(`mid_stream_error ${model}`);
    expect(failed).toBe(true);
    expect(text).toContain('word5');
  });
});

test.each([...MODELS, RESPONSES])('the tool runner continues without a thread on %s, and runs the tool', (model) => {
  expect(judge.seen(`tool_runner ${model}`)).toEqual({
    calls: ['weather'],
    after: expect.stringContaining('21 degrees'),
  });
});

test('the streamed tool runner, too', () => {
  expect(judge.seen('tool_runner_streamed')).toEqual({
    stops: ['tool_use', 'end_turn'],
    calls: ['weather'],
    after: expect.stringContaining('21 degrees'),
  });
});

test.each(['compatible/thinker', ...MODELS.slice(1)])(
  'thinking arrives signed from %s and may be sent back',
  (model) => {
    expect(judge.seen(`thinking ${model}`)).toEqual({
      thoughts: expect.stringContaining('two tools'),
      signed: true,
      after: expect.stringContaining('21 degrees'),
    });
  },
);

test.each([
  ['error_400', 'BadRequestError', 400],
  ['error_401', 'AuthenticationError', 401],
  ['error_404', 'NotFoundError', 404],
  ['error_429', 'RateLimitError', 429],
  ['error_502', 'InternalServerError', 502],
])('[E-31] partly: %s is %s with the request id', (name, type, status) => {
  expect(judge.seen(name)).toEqual({ class: type, status, request_id: expect.stringMatching(/^.{10,}$/) });
});

test('models.list and models.retrieve work, also for an id with a slash', () => {
  expect(judge.seen('models')).toEqual({ listed: true, id: 'anthropic/claude-sonnet-4-5' });
});
