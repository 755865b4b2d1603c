// Models at cloud hosts: each host's own URL, signature and framing, for callers of every protocol.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatRoad } from '../support/chat-road.ts';
import { AZURE_KEY, CLOUD_MODELS, cloudHosts } from '../support/cloud-hosts.ts';
import { EVERY_ROAD } from '../support/every-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { messagesRoad } from '../support/messages-road.ts';
import { converse, post } from '../support/roads.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: cloudHosts });
});
afterAll(() => stand.close());

const MODELS = Object.values(CLOUD_MODELS);
const asked = (model: string, path: string) => {
  const entry = stand.simulator.truth.last();
  expect(entry?.refusal, model).toBeUndefined();
  expect(entry?.path).toBe(path);
  return { headers: entry?.headers ?? {}, body: JSON.parse(entry?.bodyText ?? '{}') as Record<string, unknown> };
};

describe('every protocol reaches every cloud', () => {
  test.each(EVERY_ROAD.flatMap((road) => MODELS.map((model) => ({ road, model, name: road.name }))))(
    '$name reaches $model, plain and streamed, with tools',
    async ({ road, model }) => {
      const question = road.user('Look around. @simulate scenario=tools-parallel');
      for (const stream of [false, true]) {
        const calling = await converse(stand, road, model, [question], { tools: ['weather', 'clock'], stream });
        expect(calling.calls.map(({ name }) => name)).toEqual(['weather', 'clock', 'weather']);
        const turns = [question, calling.turn, ...road.results(calling.calls, ['21 degrees', 'noon', 'rain'])];
        const answer = await converse(stand, road, model, turns, { tools: ['weather', 'clock'], stream });
        expect(answer.text).toContain('21 degrees');
        expect(answer.outputTokens).toBeGreaterThan(0);
      }
    },
  );
});

describe('URLs and body fields', () => {
  const ask = (model: string, stream: boolean) =>
    converse(stand, messagesRoad, model, [messagesRoad.user('Hello')], { stream });

  test.each([false, true])('Claude at Vertex gets its URL, version and body fields, streamed: %s', async (stream) => {
    await ask(CLOUD_MODELS.vertexClaude, stream);
    const { headers, body } = asked(
      CLOUD_MODELS.vertexClaude,
      `/v1/projects/simulated-project/locations/europe-west1/publishers/anthropic/models/claude-sonnet-4-5@20250929:${stream ? 'streamRawPredict' : 'rawPredict'}`,
    );
    expect(body).toMatchObject({ anthropic_version: 'vertex-2023-10-16' });
    expect(body).not.toHaveProperty('model');
    expect(headers.authorization).toMatch(/^Bearer ya29\./);
    expect(headers['anthropic-version']).toBeUndefined();
  });

  test.each([false, true])(
    'Claude at Bedrock gets its URL, signature and body fields, streamed: %s',
    async (stream) => {
      await ask(CLOUD_MODELS.bedrockClaude, stream);
      const { headers, body } = asked(
        CLOUD_MODELS.bedrockClaude,
        `/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke${stream ? '-with-response-stream' : ''}`,
      );
      expect(body).toMatchObject({ anthropic_version: 'bedrock-2023-05-31' });
      expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['model']));
      expect(body).not.toHaveProperty('stream');
      expect(headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=AKIASIMULATOR0000000\/\d{8}\/eu-central-1\/bedrock\//,
      );
      expect(stand.records.at(-1)?.attempts.at(-1)?.lane).toBe('verbatim');
    },
  );

  test.each([
    ['verbatim', {}],
    ['translated', { tools: [{ name: 'f', description: null, input_schema: { type: 'object' } }] }],
  ])('a caller’s betas are in the body where the host reads them there: %s', async (lane, members) => {
    const betas = 'context-1m-2025-08-07';
    const response = await fetch(`${stand.url}${messagesRoad.path(CLOUD_MODELS.bedrockClaude, false)}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': KEY,
        ...messagesRoad.headers,
        'anthropic-beta': betas,
      },
      body: JSON.stringify({
        ...messagesRoad.body(CLOUD_MODELS.bedrockClaude, [messagesRoad.user('Hello')], {}),
        ...members,
      }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"message"')]);
    expect(stand.records.at(-1)?.attempts.at(-1)?.lane).toBe(lane);
    expect(JSON.parse(stand.simulator.truth.last()?.bodyText ?? '{}')).toMatchObject({ anthropic_beta: [betas] });
  });

  test('Azure is called by deployment and by its newer path, with the key in its own header', async () => {
    const turns = [chatRoad.user('Hello')];
    await converse(stand, chatRoad, CLOUD_MODELS.azureDeployment, turns, { stream: true });
    const older = asked(CLOUD_MODELS.azureDeployment, '/openai/deployments/gpt-4o/chat/completions');
    await converse(stand, chatRoad, CLOUD_MODELS.azureChat, turns, {});
    const newer = asked(CLOUD_MODELS.azureChat, '/openai/v1/chat/completions');
    await converse(stand, chatRoad, CLOUD_MODELS.azureResponses, turns, {});
    const responses = asked(CLOUD_MODELS.azureResponses, '/openai/v1/responses');
    for (const { headers } of [older, newer, responses]) {
      expect(headers['api-key']).toBe(AZURE_KEY);
      expect(headers.authorization).toBeUndefined();
    }
  });
});

describe('signing in', () => {
  test('one access token serves many calls, and is fetched once', async () => {
    const own = await openStand({ alsoHosts: cloudHosts });
    try {
      const ask = () => converse(own, genaiRoad, CLOUD_MODELS.vertexGemini, [genaiRoad.user('Hello')]);
      await Promise.all([ask(), ask(), ask(), ask()]);
      await ask();
      const paths = own.simulator.truth.read().map(({ path }) => path);
      expect(paths.filter((path) => path === '/token')).toHaveLength(1);
      expect(paths.filter((path) => path.endsWith(':generateContent'))).toHaveLength(5);
    } finally {
      await own.close();
    }
  });

  test('a refused sign-in is the gateway’s failure: 502, no upstream call, and nothing left open', async () => {
    const own = await openStand({
      alsoHosts: (url, simulator) => {
        const hosts = cloudHosts(url, simulator);
        const vertex = hosts.providers['google-vertex'];
        // An account that the cloud does not know.
        const account = { ...JSON.parse(vertex.credential), client_email: 'stranger@example.test' };
        return {
          ...hosts,
          providers: { ...hosts.providers, 'google-vertex': { ...vertex, credential: JSON.stringify(account) } },
        };
      },
    });
    try {
      const reply = await post(
        own,
        genaiRoad,
        CLOUD_MODELS.vertexGemini,
        genaiRoad.body(CLOUD_MODELS.vertexGemini, [genaiRoad.user('Hello')], {}),
      );
      expect(reply.status).toBe(502);
      expect(reply.text).not.toContain('stranger');
      expect(own.simulator.truth.read().map(({ path }) => path)).toEqual(['/token']);
      expect(own.gateway.gauges).toEqual({
        openHolds: 0,
        takenSlots: 0,
        heldBytes: 0,
        upstreamExchanges: 0,
        watched: 0,
      });
    } finally {
      await own.close();
    }
  });

  test('a wrong signature is the gateway’s failure, too', async () => {
    const own = await openStand({
      alsoHosts: (url, simulator) => {
        const hosts = cloudHosts(url, simulator);
        const bedrock = {
          ...hosts.providers['amazon-bedrock'],
          credential: 'AKIASIMULATOR0000000:wrong/secret0123456789',
        };
        return { ...hosts, providers: { ...hosts.providers, 'amazon-bedrock': bedrock } };
      },
    });
    try {
      const body = messagesRoad.body(CLOUD_MODELS.bedrockClaude, [messagesRoad.user('Hello')], {});
      const reply = await post(own, messagesRoad, CLOUD_MODELS.bedrockClaude, body);
      expect(reply.status).toBe(502);
      expect(own.simulator.truth.last()?.refusal).toMatch(/signature/);
    } finally {
      await own.close();
    }
  });
});

describe('failures in the cloud’s own format', () => {
  /** Slow enough that the caller has some of the answer before it breaks. */
  const PACED = 'scenario=text-long words=40 after=10 tps=300';
  const body = (line: string, stream: boolean) =>
    messagesRoad.body(CLOUD_MODELS.bedrockClaude, [messagesRoad.user(`Hello @simulate ${line}`)], { stream });

  test.each([
    ['status=429', 429, 'rate_limit_error'],
    ['status=503', 529, 'overloaded_error'],
    ['status=400', 400, 'invalid_request_error'],
  ])('a cloud failure has its status and type: %s', async (line, status, type) => {
    const reply = await post(stand, messagesRoad, CLOUD_MODELS.bedrockClaude, body(line, false));
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.text)).toMatchObject({ error: { type } });
  });

  test.each(['error-frame-mid', 'close-mid-stream', 'reset-mid-stream', 'end-mid-stream', 'malformed-frame'])(
    '%s in the middle of a binary stream is an error to the caller',
    async (fault) => {
      const reply = await post(stand, messagesRoad, CLOUD_MODELS.bedrockClaude, body(`${PACED} fault=${fault}`, true), {
        stream: true,
      });
      expect(reply.text).toContain('event: error');
      expect(reply.text).not.toContain('message_stop');
      expect(reply.complete).toBe(false);
    },
  );

  test('a throttled stream is reported as a rate limit', async () => {
    const reply = await post(
      stand,
      messagesRoad,
      CLOUD_MODELS.bedrockClaude,
      body(`${PACED} fault=error-frame-mid`, true),
      {
        stream: true,
      },
    );
    expect(reply.text).toContain('rate_limit_error');
  });

  test.each([1, 2, 3, 7, 64])('a binary stream in pieces of %s bytes is the same stream', async (size) => {
    const model = CLOUD_MODELS.bedrockClaude;
    const pieced = await converse(
      stand,
      messagesRoad,
      model,
      [messagesRoad.user(`Grüße @simulate scenario=unicode split=${size}`)],
      {
        stream: true,
      },
    );
    const whole = await converse(stand, messagesRoad, model, [messagesRoad.user('Grüße @simulate scenario=unicode')], {
      stream: true,
    });
    expect(pieced.text).toBe(whole.text);
    expect(pieced.text.length).toBeGreaterThan(10);
  });
});
