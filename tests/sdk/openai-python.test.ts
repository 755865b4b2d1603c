// The official OpenAI SDK for Python as the judge. Needs the environment that tests/sdk/python/install.sh makes.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY, openStand, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const PYTHON = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url));
const SCRIPT = fileURLToPath(new URL('python/test_chat.py', import.meta.url));
const PINS = readFileSync(new URL('python/requirements.txt', import.meta.url), 'utf8');
const RUN_DEADLINE_MS = 50_000;

type Report = {
  readonly version: string;
  readonly cases: Readonly<Record<string, { readonly ok?: Record<string, unknown>; readonly failed?: string }>>;
};

let stand: Stand;
let report: Report;
beforeAll(async () => {
  if (!existsSync(PYTHON)) throw new Error('The Python SDK is not installed: run tests/sdk/python/install.sh first.');
  stand = await openStand();
  const { stdout } = await promisify(execFile)(PYTHON, [SCRIPT], {
    env: { TRIVIUM_BASE_URL: stand.chatUrl, TRIVIUM_API_KEY: KEY, PATH: process.env['PATH'] },
    timeout: RUN_DEADLINE_MS,
  });
  report = JSON.parse(stdout) as Report;
});
afterAll(() => stand?.close());

/** The result of a case; fails with the SDK's own error when it has none. */
function seen(name: string): Record<string, unknown> {
  const result = report.cases[name];
  if (result?.ok === undefined) throw new Error(result?.failed ?? `no case ${name}`);
  return result.ok;
}

const NAMES = ['weather', 'clock', 'news'];
const CALLS = NAMES.map((name) => ({
  id: expect.any(String),
  name,
  arguments: { city: expect.any(String) },
}));

test('the OpenAI SDK for Python is the pinned version', () => {
  expect(PINS).toContain(`openai==${report.version}\n`);
});

describe('whole answers', () => {
  test('[CR-22] create returns text, usage, finish reason and the request id', () => {
    const { content, finish, total, id, request_id, model } = seen('plain');
    expect(content).toContain('Where do three roads meet?');
    expect(finish).toBe('stop');
    expect(total).toBeGreaterThan(0);
    expect(request_id).toBeTypeOf('string');
    expect(id).toBe(`chatcmpl-${request_id}`);
    expect(model).toBe('openai/gpt-4o');
  });

  test('[CR-22] create returns three parallel tool calls, and accepts their results', () => {
    const { calls, content, after } = seen('parallel_tools');
    expect(calls).toEqual(CALLS);
    expect(content).toBeNull();
    expect(after).toContain('21 degrees');
  });

  test('[CR-22] parse returns an answer with a JSON schema as the model class', () => {
    expect(seen('parse')).toEqual({ city: expect.any(String), degrees: expect.any(Number) });
  });
});

describe('streams', () => {
  test('[CS-18] partly: the raw iterator joins to the whole answer', () => {
    const { same, length, finish, usages } = seen('streamed');
    expect({ same, finish, usages }).toEqual({ same: true, finish: 'stop', usages: 0 });
    expect(length).toBeGreaterThan(20);
  });

  test('[CS-18] partly: include_usage gives the usage in the last chunk', () => {
    expect(seen('include_usage')).toEqual({
      choices: 0,
      prompt: 100,
      completion: 20,
      total: 120,
      cached: 40,
      reasoning: 5,
    });
  });

  test('[CS-18] partly: the stream helper returns the whole answer', () => {
    expect(seen('stream_helper')).toEqual({ words: 20, same: true, completion: 20 });
  });

  test('[CS-18] partly: the stream helper assembles three interleaved calls', () => {
    expect(seen('interleaved_tools')).toEqual({ calls: CALLS, finish: 'tool_calls' });
  });

  test('[CS-18] partly: the stream helper reads strict calls and reports when each is done', () => {
    expect(seen('strict_tools')).toEqual({ calls: CALLS, done: NAMES });
  });

  test('[CS-18] partly: the stream helper parses a JSON schema answer', () => {
    expect(seen('parse_stream')).toEqual({ city: expect.any(String), degrees: expect.any(Number) });
  });

  test.each(['mid_stream_error', 'mid_stream_reset'])('%s is an APIError, not a short answer', (name) => {
    const { class: type, text, type: kind } = seen(name);
    expect(type).toBe('APIError');
    expect(kind).toBe('server_error');
    expect(text).toContain('word5');
  });

  test('an aborted stream closes the upstream', async () => {
    expect(seen('abort')).toEqual({ seen: 5 });
    await waitUntil('the upstream closed', () => stand.simulator.truth.last()?.outcome === 'aborted');
    expect(stand.simulator.truth.last()?.tokensProduced).toBeLessThan(1000);
  });
});

describe('errors', () => {
  test.each([
    ['error_400', 'BadRequestError', 400],
    ['error_401', 'AuthenticationError', 401],
    ['error_404', 'NotFoundError', 404],
    ['error_429', 'RateLimitError', 429],
    ['error_429_streamed', 'RateLimitError', 429],
    ['error_502', 'InternalServerError', 502],
    ['error_503', 'InternalServerError', 503],
  ])('[E-31] partly: %s is %s with the request id', (name, type, status) => {
    const failure = seen(name);
    expect(failure).toMatchObject({ class: type, status, type: expect.any(String) });
    expect(failure['request_id']).toMatch(/^.{10,}$/);
    if (status === 400) expect(failure['param']).toBe('temperature');
  });
});

test('models.list and models.retrieve work, also for an id with a slash', () => {
  expect(seen('models')).toEqual({ listed: true, id: 'openai/gpt-4o', object: 'model', unknown: 'NotFoundError' });
});
