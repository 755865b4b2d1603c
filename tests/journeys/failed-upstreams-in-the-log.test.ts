// U3: the log has the cause of a failed upstream call; callers see no more of it than before.
import { createLog } from '@trivium/gateway';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type CannedStand, cannedHosts, openStandBesideCanned, plainAnswer } from '../support/canned-upstream.ts';
import { postChat } from '../support/stand.ts';

type Line = Readonly<Record<string, unknown>>;

const lines: string[] = [];
let stand: CannedStand;
beforeAll(async () => {
  stand = await openStandBesideCanned((url) => ({
    log: createLog({ level: 'warn', write: (line) => void lines.push(line) }),
    config: () => ({ log: { level: 'warn' }, retries: { maxAttempts: 1 } }),
    alsoHosts: () => {
      const { providers, models } = cannedHosts(url, {
        canned: { dialect: 'openai-chat' },
        unreachable: { dialect: 'openai-chat' },
      });
      const gone = { ...(providers['unreachable'] as object), baseUrl: 'http://127.0.0.1:1/v1' };
      return { providers: { ...providers, unreachable: gone }, models };
    },
  }));
});
afterAll(() => stand.close());

const ask = (model: string) => postChat(stand, { model, messages: [{ role: 'user', content: 'Hi' }] });

const lineOf = (requestId: string | null): Promise<Line> =>
  vi.waitFor(() => {
    const found = lines.map((line) => JSON.parse(line) as Line).find((line) => line['requestId'] === requestId);
    if (found === undefined) throw new Error('no line yet');
    return found;
  });

test.each([
  [
    401,
    502,
    { error: { message: 'Incorrect API key provided: sk-canned. See your dashboard.' } },
    'Incorrect API key provided',
  ],
  [404, 502, { error: { message: 'The deployment does not exist.' } }, 'The deployment does not exist.'],
  [500, 502, '<html><body>Internal\n\n error 7</body></html>', 'Internal error 7'],
])('the log has the cause when an upstream answers %d', async (status, shown, body, text) => {
  stand.say({ ...plainAnswer(body), status });
  const reply = await ask('canned/any');
  expect(reply.status).toBe(shown);
  const line = await lineOf(reply.headers.get('x-request-id'));
  expect(line).toMatchObject({
    level: 'warn',
    msg: 'upstream call failed',
    provider: 'canned',
    model: 'canned/any',
    status,
  });
  expect(line['problem']).toContain(text);
  expect(JSON.stringify(line)).not.toContain('sk-canned');
  expect(reply.text).not.toContain(text);
});

test('the log has the cause when an upstream does not listen', async () => {
  const reply = await ask('unreachable/any');
  expect(reply.status).toBe(503);
  const line = await lineOf(reply.headers.get('x-request-id'));
  expect(line).toMatchObject({
    msg: 'upstream call failed',
    provider: 'unreachable',
    fault: 'upstream-overloaded',
    code: 'ECONNREFUSED',
  });
  expect(line).not.toHaveProperty('status');
});

test('an error of the caller is not logged as a warning', async () => {
  stand.say({ ...plainAnswer({ error: { message: 'Too hot.', param: 'temperature' } }), status: 400 });
  const reply = await ask('canned/any');
  expect(reply.status).toBe(400);
  const after = await ask('unreachable/any');
  await lineOf(after.headers.get('x-request-id'));
  expect(lines.some((line) => line.includes(reply.headers.get('x-request-id') ?? 'none'))).toBe(false);
});
