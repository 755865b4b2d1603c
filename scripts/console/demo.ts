/**
 * `npm run console:demo`: the six pictures of the README and the docs. A gateway whose database holds a month of invented traffic, one real request that
 * failed over and was translated, and chromium. They go to docs/public/console. With `-- --languages` every page in the other languages instead, on a screen and
 * on a phone, to scripts/console/shots.
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
import { Checks } from './checks.ts';
import { makeAccounts } from './demo-accounts.ts';
import { openFilledStage } from './filled-stage.ts';
import { LANGUAGE_LOOKS, type Pictured, takePictures } from './pictures.ts';

const PICTURES = fileURLToPath(new URL('../../docs/public/console/', import.meta.url));
const RECORDS = 4000 * DAYS;
const ACCOUNT = 'acme';
const FAILURES = 8;
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

/** The provider that is down is put out of service. */
async function openCircuit({ url }: GatewayProcess): Promise<void> {
  const body = { model: 'openai/gpt-5.5', max_tokens: 10, messages: [{ role: 'user', content: WORDS }] };
  for (let call = 0; call < FAILURES; call++)
    await ask({
      url,
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}` },
      body,
      limitMs: 60_000,
    });
}

/** One question to three models, answered. */
async function play(page: Page, at: string): Promise<void> {
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

async function takeSix(page: Page, at: string, id: string): Promise<void> {
  await picture(page, `${at}/overview`, 'overview');
  await picture(page, `${at}/requests?range=24h`, 'requests');
  await picture(page, `${at}/requests/${id}`, 'request');
  await picture(page, `${at}/requests/${id}?tab=wire&view=diff`, 'wire');
  await picture(page, `${at}/usage`, 'usage');
  await play(page, at);
}

const pagesOf = (id: string): readonly Pictured[] => [
  { name: 'overview', path: '/overview' },
  { name: 'requests', path: '/requests?range=24h&live=off' },
  { name: 'request', path: `/requests/${id}` },
  ...['wire', 'bill', 'raw'].map((tab) => ({ name: `request-${tab}`, path: `/requests/${id}?tab=${tab}` })),
  { name: 'request-diff', path: `/requests/${id}?tab=wire&view=diff` },
  { name: 'request-replay', path: `/requests/${id}?tab=wire`, press: /^(Wiederholen|重放)$/, moreCalls: 2 },
  { name: 'usage', path: '/usage' },
  { name: 'playground', path: `/playground?account=${ACCOUNT}&models=${MODELS[0][0]}` },
  { name: 'keys', path: '/keys' },
  { name: 'keys-create', path: `/keys?create=yes&account=${ACCOUNT}` },
  { name: 'accounts', path: '/accounts' },
  ...[
    'overview',
    'members',
    'keys',
    'budgets',
    'limits',
    'group',
    'credit',
    'ledger',
    'terms',
    'content',
    'webhooks',
    'audit',
  ].map((tab) => ({
    name: `account-${tab}`,
    path: `/accounts/initech?tab=${tab}`,
    ...((tab === 'budgets' || tab === 'overview') && { moreCalls: 1 }),
  })),
  { name: 'account-limits-set', path: `/accounts/${ACCOUNT}?tab=limits` },
  { name: 'models', path: '/models?callable=true' },
  { name: 'model', path: `/models/${MODELS[0][0]}` },
  { name: 'providers', path: '/providers' },
  { name: 'provider', path: '/providers/azure' },
  { name: 'policies', path: '/policies' },
  { name: 'policies-create', path: '/policies?create=yes' },
  { name: 'operations', path: '/operations' },
  ...['raised', 'rules', 'destinations'].map((tab) => ({ name: `alerts-${tab}`, path: `/alerts?tab=${tab}` })),
  { name: 'audit', path: '/audit' },
  ...['me', 'nodes', 'configuration'].map((tab) => ({
    name: `settings-${tab}`,
    path: `/settings?tab=${tab}`,
  })),
  { name: 'sign-in', path: '/sign-in' },
];

mkdirSync(PICTURES, { recursive: true });
const { stage, browser, databaseUrl } = await openFilledStage(RECORDS, TRAFFIC);
try {
  const simulator = await stage.simulator();
  const gateway = await stage.gateway(configFor(databaseUrl, simulator.url, stage.folder));
  const id = await oneRequest(gateway);
  await openCircuit(gateway);
  await makeAccounts(gateway, databaseUrl);
  const context = await browser.newContext({ viewport: VIEWPORT, locale: 'en-US', timezoneId: 'UTC' });
  const { page } = await openPage(context);
  const at = `${gateway.adminUrl}/console`;
  await signInWithSecret(page, gateway.adminUrl, OPERATOR_SECRET);
  if (process.argv.includes('--languages')) {
    const checks = new Checks();
    await takePictures(browser, gateway.adminUrl, await context.storageState(), pagesOf(id), LANGUAGE_LOOKS, checks);
    process.exitCode = checks.failed.length === 0 ? 0 : 1;
  } else await takeSix(page, at, id);
} finally {
  await stage.close();
}
