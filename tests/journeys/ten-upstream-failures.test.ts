// U3: ten kinds of upstream failure. The log line alone shows the cause, so does `trivium requests show`, also after a
// restart; none shows a secret.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '@trivium/gateway';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { postChat, type StandOptions, UPSTREAM_SECRET } from '../support/stand.ts';

type Line = Readonly<Record<string, unknown>>;
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** An upstream that echoes its request, the credential and its own address included. */
const saying =
  (status: number, words: string): Answer =>
  (request, response) => {
    const { authorization, host } = request.headers;
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': `req_${status}` });
    response.end(JSON.stringify({ error: { message: `${words} (sent ${authorization} to http://${host}/v1)` } }));
  };

const ANSWERS: Readonly<Record<string, Answer>> = {
  http401: saying(401, 'Incorrect API key provided.'),
  http403: saying(403, 'Country not supported.'),
  http404: saying(404, 'The deployment does not exist.'),
  http429: saying(429, 'You exceeded your quota.'),
  http500: saying(500, 'Segmentation fault in worker 7.'),
  reset: (request) => request.socket.resetAndDestroy(),
  timeout: () => undefined,
};

/** Host, expected content of its log line, and of the second line of `requests show`. */
const CASES: readonly (readonly [host: string, line: Line, cause: RegExp])[] = [
  ['http401', { status: 401, upstreamRequestId: 'req_401' }, /HTTP 401 .*Incorrect API key provided/],
  ['http403', { status: 403, upstreamRequestId: 'req_403' }, /HTTP 403 .*Country not supported/],
  ['http404', { status: 404, upstreamRequestId: 'req_404' }, /HTTP 404 .*The deployment does not exist/],
  ['http429', { status: 429, upstreamRequestId: 'req_429' }, /HTTP 429 .*You exceeded your quota/],
  ['http500', { status: 500, upstreamRequestId: 'req_500' }, /HTTP 500 .*Segmentation fault in worker 7/],
  ['reset', { code: 'ECONNRESET' }, /ECONNRESET/],
  ['refused', { code: 'ECONNREFUSED' }, /ECONNREFUSED/],
  ['dns', { code: expect.stringMatching(/^(?:ENOTFOUND|EAI_AGAIN)$/) }, /ENOTFOUND|EAI_AGAIN/],
  ['tls', { code: expect.stringMatching(/SSL|EPROTO|CERT/) }, /SSL|EPROTO|CERT/],
  ['timeout', { fault: 'upstream-timeout' }, /upstream-timeout .*took too long/],
];

const lines: string[] = [];
const upstream = createServer((request, response) => {
  request.resume();
  ANSWERS[request.url?.split('/')[1] ?? '']?.(request, response);
});
let stand: AdminStand;
let key: string;

function optionsAt(port: number): StandOptions {
  const urls: Readonly<Record<string, string>> = {
    refused: 'http://127.0.0.1:1/v1',
    dns: 'https://no-such-host.invalid/v1',
    // The upstream speaks no TLS.
    tls: `https://127.0.0.1:${port}/v1`,
  };
  const hosts = CASES.map(([host]) => host);
  return {
    log: createLog({ level: 'warn', write: (line) => void lines.push(line) }),
    config: () => ({ log: { level: 'warn' }, retries: { maxAttempts: 1 }, timeouts: { firstByteMs: 2000 } }),
    alsoHosts: () => ({
      providers: Object.fromEntries(
        hosts.map((host) => {
          const baseUrl = urls[host] ?? `http://127.0.0.1:${port}/${host}/v1`;
          return [host, { dialect: 'openai-chat', baseUrl, credential: UPSTREAM_SECRET }];
        }),
      ),
      models: hosts.map((host) => ({
        id: `${host}/any`,
        contextLength: 128_000,
        maxOutputTokens: 16_384,
        endpoints: [{ provider: host, upstreamModel: 'any' }],
      })),
    }),
  };
}

beforeAll(async () => {
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  stand = await openAdminStand(optionsAt((upstream.address() as AddressInfo).port));
  key = (await stand.newAccount('acme')).secret;
});
afterAll(async () => {
  await stand.close();
  upstream.closeAllConnections();
  upstream.close();
});

const SECRETS = [UPSTREAM_SECRET, OPERATOR_SECRET];
const expectNoSecret = (text: string): void => {
  for (const secret of [...SECRETS, key]) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/http:\/\/127\.0\.0\.1/);
};

const lineOf = (requestId: string): Promise<Line> =>
  vi.waitFor(() => {
    const found = lines.map((line) => JSON.parse(line) as Line).find((line) => line['requestId'] === requestId);
    if (found === undefined) throw new Error('no line yet');
    return found;
  });

async function shown(adminUrl: string, id: string): Promise<readonly string[]> {
  const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET });
  await runCommandLine(['requests', 'show', id], terminal);
  expect(terminal.errors).toEqual([]);
  return terminal.output;
}

const failed = new Map<string, string>();

test.each(CASES)('%s: the log line and the record name the cause, and no secret', async (host, wanted, cause) => {
  const reply = await postChat(
    stand,
    { model: `${host}/any`, messages: [{ role: 'user', content: 'Hi' }] },
    { authorization: `Bearer ${key}` },
  );
  const id = reply.headers.get('x-request-id') ?? '';
  failed.set(host, id);
  expect(reply.status).toBeGreaterThanOrEqual(400);
  const line = await lineOf(id);
  expect(line).toMatchObject({ level: 'warn', msg: 'upstream call failed', provider: host, ...wanted });
  expectNoSecret(JSON.stringify(line));
  const output = await shown(stand.gateway.adminUrl, id);
  expect(output[0]).toContain(id);
  expect(output[1]).toMatch(new RegExp(`^cause     ${host}: `));
  expect(output[1]).toMatch(cause);
  expect(output.filter((text) => text.includes('|'))).toHaveLength(1);
  expectNoSecret(output.join('\n'));
});

test('another process shows all ten causes to the operator, and no upstream text to the account', async () => {
  const { port } = upstream.address() as AddressInfo;
  const second = await openAdminStand(optionsAt(port), stand.database);
  try {
    for (const [host, , cause] of CASES) {
      const id = failed.get(host) ?? '';
      // The first process stores them within a second.
      await vi.waitFor(async () => expect((await second.admin('GET', `/requests/${id}`)).status).toBe(200), 5000);
      expect((await shown(second.gateway.adminUrl, id))[1]).toMatch(cause);
      const { json, text } = await second.admin('GET', `/accounts/acme/requests/${id}`, undefined, key);
      expect(json).toMatchObject({ id, attempts: [{ provider: host }] });
      expect(text).not.toMatch(/"error":|"credential":|Segmentation|Incorrect/);
    }
  } finally {
    await second.close();
  }
});
