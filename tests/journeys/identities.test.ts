/** Hosts that are called under an identity of the machine: what the simulator, which checks signatures, then sees. */
import { inspect } from 'node:util';
import { simulatedAccessKey } from '@trivium/simulator';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FakeCloud } from '../../packages/gateway/src/upstream/signing/cloud.fixture.ts';
import { chatRoad } from '../support/chat-road.ts';
import { CLOUD_MODELS, cloudHosts } from '../support/cloud-hosts.ts';
import { messagesRoad } from '../support/messages-road.ts';
import { converse } from '../support/roads.ts';
import { openStand, type Stand } from '../support/stand.ts';

const cloud = new FakeCloud();
let stand: Stand;
beforeAll(async () => {
  await cloud.listen();
  cloud.nowMs = Date.now();
  cloud.changed.set('/latest/meta-data/iam/security-credentials/gateway-role', {
    body: JSON.stringify({
      AccessKeyId: simulatedAccessKey.accessKeyId,
      SecretAccessKey: simulatedAccessKey.secretAccessKey,
      Token: 'session-of-the-instance',
      Expiration: new Date(cloud.nowMs + 3_600_000).toISOString(),
    }),
  });
  vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', cloud.origin);
  vi.stubEnv('AZURE_POD_IDENTITY_AUTHORITY_HOST', cloud.origin);
  stand = await openStand({
    alsoHosts: (simulatorUrl, simulator) => {
      const hosts = cloudHosts(simulatorUrl, simulator);
      const { azure, 'amazon-bedrock': bedrock, ...others } = hosts.providers;
      const providers = {
        ...others,
        azure: { ...azure, credential: 'azure:managed' },
        'amazon-bedrock': { ...bedrock, credential: 'aws:imds' },
      };
      return { ...hosts, providers };
    },
  });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await stand.close();
  await cloud.close();
});

test('the keys of an instance sign calls to Bedrock, and are fetched once for all of them', async () => {
  const ask = (stream: boolean) =>
    converse(stand, messagesRoad, CLOUD_MODELS.bedrockClaude, [messagesRoad.user('Hello')], { stream });
  const answers = await Promise.all([ask(true), ask(false), ask(true), ask(false)]);
  for (const { text } of answers) expect(text).not.toBe('');
  const { refusal, headers = {} } = stand.simulator.truth.last() ?? {};
  expect(refusal).toBeUndefined();
  expect(headers['x-amz-security-token']).toBe('session-of-the-instance');
  expect(cloud.asked.filter(({ path }) => path.startsWith('/latest/'))).toHaveLength(3);
});

test('a managed identity calls Azure with a token in place of a key', async () => {
  await converse(stand, chatRoad, CLOUD_MODELS.azureChat, [chatRoad.user('Hello')], {});
  const { headers = {} } = stand.simulator.truth.last() ?? {};
  expect(headers.authorization).toMatch(/^Bearer token-\d{4}$/);
  expect(headers['api-key']).toBeUndefined();
});

test('no record has a token, a key or a session in it', () => {
  const records = inspect(stand.records, { depth: null, maxStringLength: null });
  expect(stand.records.length).toBeGreaterThan(4);
  for (const secret of ['token-0', 'session-of', simulatedAccessKey.secretAccessKey])
    expect(records).not.toContain(secret);
});
