/**
 * `npm run console:demo`: the six pictures of the README and the docs. A gateway whose database holds a month of invented traffic, one real request that
 * failed over and was translated, and chromium. They go to docs/public/console.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { DAYS, type Traffic } from '../../bench/fill-records.ts';
import { ask } from '../../tests/rt/parts/ask.ts';
import { type GatewayProcess, KEY, OPERATOR_SECRET } from '../../tests/rt/parts/gateway-process.ts';
import { openPage, signInWithSecret, waitUntilDrawn } from './browser.ts';
import { openFilledStage } from './filled-stage.ts';

const PICTURES = fileURLToPath(new URL('../../docs/public/console/', import.meta.url));
const RECORDS = 4000 * DAYS;
const ACCOUNT = 'acme';
const WORDS = 'Where do three roads meet?';
const VIEWPORT = { width: 1280, height: 760 };

const MODELS = [
  ['anthropic/claude-sonnet-5.5', 'anthropic', 3, 15],
  ['openai/gpt-5.5', 'openai', 1.25, 10],
  ['google/gemini-3.8-flash', 'vertex', 0.3, 2.5],
  ['anthropic/claude-haiku-5.5', 'bedrock', 1, 5],
  ['deepseek/deepseek-v4-pro', 'deepseek', 0.4, 1.2],
] as const;

/** A number from 0 to 99 for each request, as if drawn; another for each `seed`. */
const drawn = (seed: number): string =>
  `abs(hashint8(n * 31 + ${seed} + extract(epoch from at)::bigint)::bigint) % 100`;
const chosen = (draw: string, parts: readonly (readonly [below: number, value: string])[]): string =>
  `case ${parts.map(([below, value]) => `when (${draw}) < ${below} then ${value}`).join(' ')} end`;
const text = (value: string): string => `'${value}'`;
const byModel = (value: (model: (typeof MODELS)[number]) => string): string =>
  `case model ${MODELS.map((model) => `when '${model[0]}' then ${value(model)}`).join(' ')} end`;

/** Invented: busy by day, quiet by night, and a provider that had a bad quarter of an hour. */
const TRAFFIC: Traffic = {
  time: 'u + 0.09 * (sin(6.2832 * u - 0.5) + sin(0.5))',
  isSent:
    'case when extract(isodow from at) < 6 then n % 100 < 55 + extract(doy from at)::int % 40 else n % 100 < 25 end',
  account: chosen(drawn(1), [
    [55, text('acme')],
    [85, text('globex')],
    [100, text('initech')],
  ]),
  key: chosen(drawn(2), [
    [40, text('web-app')],
    [70, text('support-bot')],
    [90, text('coding-agents')],
    [100, text('evals')],
  ]),
  member: text('default'),
  model: chosen(
    drawn(3),
    MODELS.map(([id], at) => [[38, 64, 82, 93, 100][at] ?? 100, text(id)] as const),
  ),
  provider: byModel(([, provider]) => text(provider)),
  protocol: chosen(drawn(4), [
    [45, text('chat')],
    [80, text('messages')],
    [100, text('generate')],
  ]),
  isFailed: `(${drawn(11)} = 0) or (provider = 'vertex' and extract(hour from at) = 13 and extract(minute from at) between 10 and 25)`,
  firstByteMs: `160 + (${drawn(5)}) * 6`,
  streamMs: `200 + (${drawn(6)}) * (${drawn(7)})`,
  inputTokens: `300 + (${drawn(8)}) * (${drawn(9)})`,
  outputTokens: `40 + (${drawn(10)}) * 9`,
  costNano: byModel(([, , input, output]) => `(input * ${input * 1000} + output * ${output * 1000})::bigint`),
};

const price = (usd: number) => [{ value: String(usd), unit: 'perMTokens', currency: 'USD' }];

const configFor = (databaseUrl: string, simulatorUrl: string, folder: string): Readonly<Record<string, unknown>> => ({
  database: { url: databaseUrl },
  blobs: { folder: join(folder, 'blobs') },
  secrets: { keys: [randomBytes(32).toString('base64')] },
  providers: {
    azure: { dialect: 'openai-chat', baseUrl: 'http://127.0.0.1:9/v1', credential: 'sk-upstream' },
    ...Object.fromEntries(
      MODELS.map(([, provider]) => [
        provider,
        { dialect: 'openai-chat', baseUrl: `${simulatorUrl}/compatible@${provider}/v1`, credential: 'sk-upstream' },
      ]),
    ),
  },
  models: MODELS.map(([id, provider, input, output]) => ({
    id,
    endpoints: (provider === 'openai' ? ['azure', 'openai'] : [provider]).map((one) => ({
      provider: one,
      upstreamModel: id.split('/')[1],
      pricings: { prompt: price(input), completion: price(output) },
    })),
  })),
});

/** Messages to a model of another format, whose first provider is down; its content is captured. Gives its id. */
async function oneRequest({ url, adminUrl }: GatewayProcess): Promise<string> {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const answer = await fetch(`${adminUrl}/admin/v1/accounts/default/records`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${OPERATOR_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify({ bodies: 'all', keepHours: 1, until }),
  });
  if (!answer.ok) throw new Error(`content is not captured: ${await answer.text()}`);
  const { headers } = await ask({
    url,
    path: '/v1/messages',
    headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
    body: {
      model: 'openai/gpt-5.5',
      max_tokens: 300,
      top_k: 40,
      system: 'Answer in one sentence.',
      messages: [{ role: 'user', content: WORDS }],
    },
    limitMs: 60_000,
  });
  return String(headers['x-request-id']);
}

/** One question to three models, answered. */
async function play(page: Page, { adminUrl }: GatewayProcess, at: string): Promise<void> {
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${adminUrl}/admin/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await post('/accounts', { id: ACCOUNT, name: 'Acme', kind: 'unlimited' });
  await post(`/accounts/${ACCOUNT}/keys`, { name: 'playground' });
  const models = MODELS.slice(0, 3).map(([id]) => id);
  await page.goto(`${at}/playground?account=${ACCOUNT}&models=${models.join(',')}`);
  await page.locator('textarea[name=message]').fill(WORDS);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page
    .getByText(/^\$0\.0/)
    .nth(models.length - 1)
    .waitFor();
  await page.screenshot({ path: join(PICTURES, 'playground.png') });
}

async function picture(page: Page, address: string, name: string): Promise<void> {
  await page.goto(address);
  await waitUntilDrawn(page);
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  console.log(`docs/public/console/${name}.png`);
}

mkdirSync(PICTURES, { recursive: true });
const { stage, browser, databaseUrl } = await openFilledStage(RECORDS, TRAFFIC);
try {
  const simulator = await stage.simulator();
  const gateway = await stage.gateway(configFor(databaseUrl, simulator.url, stage.folder));
  const id = await oneRequest(gateway);
  const context = await browser.newContext({ viewport: VIEWPORT, locale: 'en-US', timezoneId: 'UTC' });
  const { page } = await openPage(context);
  const at = `${gateway.adminUrl}/console`;
  await signInWithSecret(page, gateway.adminUrl, OPERATOR_SECRET);
  await picture(page, `${at}/overview`, 'overview');
  await picture(page, `${at}/requests?range=24h`, 'requests');
  await picture(page, `${at}/requests/${id}`, 'request');
  await picture(page, `${at}/requests/${id}?tab=wire&view=diff`, 'wire');
  await picture(page, `${at}/usage`, 'usage');
  await play(page, gateway, at);
} finally {
  await stage.close();
}
