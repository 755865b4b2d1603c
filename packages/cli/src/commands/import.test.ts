import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { loadConfig } from '@trivium/gateway/config';
import { afterAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../program.ts';
import { fakeTerminal } from '../terminal.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-import-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fixture = (name: string): string => new URL(`../import/fixtures/${name}`, import.meta.url).pathname;

async function run(args: readonly string[]) {
  const terminal = fakeTerminal();
  await runCommandLine(args, terminal);
  return { exitCode: terminal.exitCode, said: terminal.output.join('\n'), errors: terminal.errors.join('\n') };
}

/** The written file, as text and as loaded, after it passed `config check`. */
async function imported(source: string, file: string, ...options: readonly string[]) {
  const output = join(mkdtempSync(join(folder, 'one-')), 'trivium.yaml');
  const { exitCode, said, errors } = await run(['import', source, file, '-o', output, ...options]);
  expect(errors).toBe('');
  expect(exitCode).toBe(0);
  const check = await run(['config', 'check', '--offline', '-c', output]);
  expect(check.errors.replaceAll(/^note: .*$/gm, '').trim()).toBe('');
  expect(check.exitCode).toBe(0);
  const text = readFileSync(output, 'utf8');
  expect(text).not.toContain('canary');
  expect(said).not.toContain('canary');
  expect(statSync(output).mode & 0o077).toBe(0);
  const loaded = loadConfig({ text, env: {}, offline: true });
  if ('problems' in loaded) throw new Error('checked above');
  return { text, said, output, config: loaded.config };
}

const AT_OPENAI = { provider: 'openai', override_params: { model: 'house' } };

const SOURCES = [
  ['litellm', 'litellm-small.yaml'],
  ['litellm', 'litellm-team.yaml'],
  ['litellm', 'litellm-wide.yaml'],
  ['litellm', 'litellm-router.yaml'],
  ['portkey', 'portkey-config.json'],
  ['portkey', 'portkey-balance.json'],
  ['portkey', 'portkey-conditional.json'],
  ['new-api', 'new-api-channels.json'],
  ['openrouter', 'openrouter-preferences.json'],
] as const;

test.each(SOURCES)(
  'a file of %s (%s) becomes a configuration that passes the check, without its secrets',
  async (source, file) => {
    const { text, said } = await imported(source, fixture(file));
    // What is reported is also written into the file, for later readers.
    const [, report = ''] = said.split('to finish');
    for (const line of report.split('\n\n')[0]?.split('\n').slice(1) ?? []) expect(text).toContain(line.trim());
  },
);

describe('LiteLLM', () => {
  test('a name with one deployment becomes an alias of the catalogue’s model, or nothing where it is one already', async () => {
    const { config } = await imported('litellm', fixture('litellm-small.yaml'));
    expect(config.aliases).toEqual({ smart: 'anthropic/claude-sonnet-4.5', 'local-llama': 'imported/local-llama' });
    expect(config.timeouts.totalMs).toBe(120_000);
  });
  test('deployments of one name become endpoints in their order, with their limits added up', async () => {
    const { text, config } = await imported('litellm', fixture('litellm-team.yaml'));
    expect(text).toContain('variables: { resource: acme-eu }');
    expect(text).toContain('"imported/gpt-4o": { requestsPerMinute: 800, tokensPerMinute: 600000 }');
    expect(config.catalogue.models?.find(({ id }) => id === 'imported/gpt-4o')?.endpoints).toMatchObject([
      { provider: 'azure', upstreamModel: 'gpt-4o-eu' },
      { provider: 'openai', upstreamModel: 'gpt-4o' },
    ]);
    expect(config.aliases).toMatchObject({ 'gpt-4o': 'imported/gpt-4o', 'gpt-4': 'imported/gpt-4o' });
    expect(text).toContain('prompt: [{ value: "0.2", unit: perMTokens, currency: USD }]');
    expect(text).toContain('url: env:DATABASE_URL');
    expect(config.catalogue.models?.find(({ id }) => id === 'imported/gemini')?.endpoints[0]?.dialect).toBe(
      'google-generate',
    );
  });
  test('every setting without a place is reported with what to do instead', async () => {
    const { said } = await imported('litellm', fixture('litellm-team.yaml'));
    expect(said).toContain('litellm_settings.cache: there is no cache of answers');
    expect(said).toContain('routing_strategy usage-based-routing-v2: becomes shares');
    expect(said).toContain('house-model: litellm_params.temperature:');
    expect(said).toContain('legal: watsonx/ibm/granite-13b: there is no provider "watsonx"');
    expect(said).toContain('put it into OPENAI_API_KEY_GPT_4O');
  });
  test('a model without a prefix goes to the provider that LiteLLM takes, and its key to no other', async () => {
    const file = join(folder, 'bare.yaml');
    const deployments = [
      { model: 'claude-sonnet-4-5-20250929', api_key: 'os.environ/ANTHROPIC_API_KEY' },
      { model: 'gemini-2.5-pro' },
      { model: 'gpt-4o', api_key: 'os.environ/OPENAI_API_KEY' },
    ];
    const list = deployments.map((params, at) => ({ model_name: `name-${at}`, litellm_params: params }));
    writeFileSync(file, JSON.stringify({ model_list: list }));
    const { text, config } = await imported('litellm', file);
    expect(text).toContain('anthropic:\n    credential: env:ANTHROPIC_API_KEY\n');
    expect(text).toContain('openai:\n    credential: env:OPENAI_API_KEY\n');
    expect(Object.keys(config.providers).sort()).toEqual(['anthropic', 'google-vertex', 'openai']);
  });
  test.each([
    ['meta-llama/Llama-3.1-8B', 'meta-llama/Llama-3.1-8B'],
    ['openai/meta-llama/Llama-3.1-8B', 'meta-llama/Llama-3.1-8B'],
  ])('next to custom_llm_provider, %s is the model %s', async (model, upstreamModel) => {
    const file = join(folder, 'custom.yaml');
    const params = { model, custom_llm_provider: 'openai', api_base: 'https://gpu.example:8000/v1' };
    writeFileSync(file, JSON.stringify({ model_list: [{ model_name: 'llama', litellm_params: params }] }));
    const { config } = await imported('litellm', file);
    expect(config.catalogue.models?.[0]?.endpoints).toMatchObject([{ provider: 'gpu-example', upstreamModel }]);
  });
  test('Bedrock without a region in the file gets one to be checked', async () => {
    const file = join(folder, 'bedrock.yaml');
    const params = { model: 'bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0' };
    writeFileSync(file, JSON.stringify({ model_list: [{ model_name: 'claude', litellm_params: params }] }));
    const { text, said } = await imported('litellm', file);
    expect(text).toContain('variables: { region: us-east-1 }');
    expect(said).toContain('set variables.region of amazon-bedrock');
  });
  test('Bedrock’s models are reached in the format that their maker’s have there', async () => {
    const file = join(folder, 'bedrock-makers.yaml');
    const list = [
      ['own-claude', 'bedrock/invoke/eu.anthropic.claude-custom-v1:0'],
      ['own-llama', 'bedrock/converse/us.meta.llama3-2-90b-instruct-v1:0'],
    ].map(([name, model]) => ({ model_name: name, litellm_params: { model, aws_region_name: 'eu-west-1' } }));
    writeFileSync(file, JSON.stringify({ model_list: list }));
    const { config } = await imported('litellm', file);
    expect(config.catalogue.models?.flatMap(({ endpoints }) => endpoints)).toMatchObject([
      { dialect: 'anthropic-messages', upstreamModel: 'eu.anthropic.claude-custom-v1:0' },
      { dialect: 'amazon-converse', upstreamModel: 'us.meta.llama3-2-90b-instruct-v1:0' },
    ]);
  });
  test('an address that the configuration refuses is reported, and the rest is imported', async () => {
    const file = join(folder, 'addresses.yaml');
    const deployments = {
      open: { model: 'openai/house', api_base: 'http://models.acme.example/v1', rpm: 10 },
      private: { model: 'openai/house', api_base: 'http://10.0.0.7:8000/v1' },
      keyed: { model: 'openai/house', api_base: 'https://user:canary@models.acme.example/v1' },
      referenced: { model: 'ollama/llama3', api_base: 'os.environ/OLLAMA_URL' },
    };
    const list = Object.entries(deployments).map(([name, params]) => ({ model_name: name, litellm_params: params }));
    const both = { model_name: 'private', litellm_params: deployments.open };
    const router = { model_group_alias: { old: 'open', kept: 'private' } };
    writeFileSync(file, JSON.stringify({ model_list: [...list, both], router_settings: router }));
    const { config, said } = await imported('litellm', file);
    expect(config.catalogue.models).toMatchObject([{ id: 'imported/private', endpoints: [{ provider: '10-0-0-7' }] }]);
    expect(config.aliases).toEqual({ private: 'imported/private', kept: 'imported/private' });
    expect(Object.keys(config.providers)).toEqual(['10-0-0-7']);
    expect(said).toContain('open: address of openai/house: left out: it is plain http to a public host');
    expect(said).toContain('private: address of openai/house: left out: it is plain http to a public host');
    expect(said).toContain('keyed: address of openai/house: left out: it must not hold a user or password');
    expect(said).toContain('referenced: address of ollama/llama3: left out: it must be an http or https URL');
    expect(said).toContain('model_group_alias.old: its model open was left out');
  });
  test('deployments of a known model keep its prices and limits; those taken for it, or without a price, are reported', async () => {
    const { config, said } = await imported('litellm', fixture('litellm-router.yaml'));
    const model = config.catalogue.models?.find(({ id }) => id === 'imported/gpt-4o');
    expect(model).toMatchObject({
      contextLength: 128_000,
      maxOutputTokens: 16_384,
      inputModalities: ['text', 'image', 'file'],
    });
    for (const endpoint of model?.endpoints ?? [])
      expect(endpoint.pricings).toMatchObject({ prompt: [{ value: '2.5' }] });
    expect(said).toContain('gpt-4o: gpt-4o-us at azure: taken for openai/gpt-4o');
    // Its base model is in the file.
    expect(said).not.toContain('gpt-4o-eu');
    expect(said).toContain('house: no price for house-7b at vllm: accounts with credit or budgets get a 402');
  });
  test('moderation is the shipped model under its name, or an own model at an own server', async () => {
    const file = join(folder, 'moderation.yaml');
    const own = { model: 'openai/llama-guard', api_base: 'http://10.0.0.9:8000/v1' };
    const list = [
      { model_name: 'guard', litellm_params: { model: 'openai/omni-moderation-latest' } },
      { model_name: 'house', litellm_params: own, model_info: { mode: 'moderation' } },
    ];
    writeFileSync(file, JSON.stringify({ model_list: list }));
    const { config, said } = await imported('litellm', file);
    expect(config.aliases).toEqual({ guard: 'openai/omni-moderation-latest', house: 'imported/house' });
    expect(config.catalogue.models).toMatchObject([{ id: 'imported/house', outputModalities: ['moderation'] }]);
    expect(said).not.toContain('moderation): left out');
  });
  test('what is no text model is no text model here: whisper-1 is a model that listens', async () => {
    const file = join(folder, 'modes.yaml');
    const models = {
      'whisper-1': 'openai/whisper-1',
      speech: 'openai/tts-1',
      ears: 'openai/whisper-2',
      mouth: 'openai/tts-2',
      mumble: 'openai/tts-3',
      own: 'hosted_vllm/bge-embed',
      talk: 'openai/gpt-realtime',
    };
    const list = Object.entries(models).map(([name, model]) => ({
      model_name: name,
      litellm_params: {
        model,
        ...(name === 'own' && { api_base: 'http://10.0.0.9:8000/v1' }),
        ...(name === 'ears' && { input_cost_per_second: 0.0000111 }),
        ...(name === 'mouth' && { input_cost_per_character: 0.00003 }),
      },
    }));
    const labelled = { model_name: 'other', litellm_params: { model: 'cohere/r-v3' }, model_info: { mode: 'rerank' } };
    const router = { fallbacks: [{ own: ['talk'] }] };
    writeFileSync(file, JSON.stringify({ model_list: [...list, labelled], router_settings: router }));
    const { config, said } = await imported('litellm', file);
    expect(config.catalogue.models).toMatchObject([
      {
        id: 'imported/ears',
        inputModalities: ['audio'],
        outputModalities: ['transcription'],
        endpoints: [{ pricings: { audio: [{ value: '0.0000111', unit: 'perSecond' }] } }],
      },
      {
        id: 'imported/mouth',
        outputModalities: ['speech'],
        endpoints: [{ pricings: { audio: [{ value: '0.00003', unit: 'perCount' }] } }],
      },
      { id: 'imported/mumble', outputModalities: ['speech'] },
      { id: 'imported/own', outputModalities: ['embedding'] },
      { id: 'imported/other', outputModalities: ['rerank'] },
    ]);
    expect(said).toContain('mumble: no price for tts-3 at openai');
    expect(said).not.toContain('no price for tts-1');
    expect(said).toContain('talk: openai/gpt-realtime (realtime): left out: there are no sessions of sound');
    expect(said).toContain('fallbacks of own: talk: left out: no model of this name was imported');
  });
  test.each([
    ['cost-based-routing', { strategy: 'cost' }],
    ['latency-based-routing', { strategy: 'speed' }],
    ['least-busy', { strategy: 'least_latency' }],
    ['usage-based-routing-v2', { weights: { openai: 10, groq: 30 } }],
    [undefined, { weights: { openai: 10, groq: 30 } }],
  ])('routing_strategy %s becomes %s in the policy of each name with several deployments', async (strategy, rules) => {
    const file = join(folder, `strategy-${strategy}.yaml`);
    const deployments = [
      { model: 'openai/gpt-oss-120b', rpm: 10 },
      { model: 'groq/openai/gpt-oss-120b', rpm: 30 },
    ];
    const list = [
      ...deployments.map((params) => ['oss', params] as const),
      ['one', { model: 'openai/gpt-4o' }] as const,
    ];
    const model_list = list.map(([model_name, litellm_params]) => ({ model_name, litellm_params }));
    writeFileSync(file, JSON.stringify({ model_list, router_settings: { routing_strategy: strategy } }));
    const { config } = await imported('litellm', file);
    expect(config.policies).toEqual([{ name: 'oss', match: { models: [expect.any(String)] }, ...rules }]);
  });
  test.each([
    [{}, ['error', 'over-rate', 'context-exceeded', 'content-filter']],
    [{ context_window_fallbacks: [{ b: ['c'] }] }, ['error', 'over-rate', 'content-filter']],
    [{ content_policy_fallbacks: [{ b: ['c'] }] }, ['error', 'over-rate', 'context-exceeded']],
  ])('general fallbacks follow every failure that no list of %s is for', async (also, on) => {
    const file = join(folder, `fallbacks-${Object.keys(also).join()}.yaml`);
    const names = { a: 'gpt-4o', b: 'gpt-4.1', c: 'gpt-4.1-mini' };
    const model_list = Object.entries(names).map(([name, model]) => ({
      model_name: name,
      litellm_params: { model: `openai/${model}` },
    }));
    const litellm_settings = { fallbacks: [{ a: ['b', { model: 'c' }, 'unknown'] }], ...also };
    writeFileSync(file, JSON.stringify({ model_list, litellm_settings }));
    const { config, said } = await imported('litellm', file);
    expect(config.policies.find(({ name }) => name === 'a')?.fallbacks).toEqual(
      ['b', 'c'].map((model) => ({ model, on })),
    );
    expect(said).toContain('fallbacks of a: unknown: left out: no model of this name was imported');
  });
  test('a wildcard opens its provider', async () => {
    const { config, said } = await imported('litellm', fixture('litellm-wide.yaml'));
    expect(config.catalogue.models?.map(({ id }) => id)).toContain('openai/*');
    expect(said).toContain('model_name "*"');
    expect(said).toContain('guardrails: there are no guardrails');
  });
});

test('Portkey: targets of a fallback become models that follow one another, nested ones included', async () => {
  const { config, said } = await imported('portkey', fixture('portkey-config.json'));
  expect(config.aliases).toEqual({ portkey: 'openai/gpt-4o', 'portkey-2': 'anthropic/claude-sonnet-4.5' });
  const on = ['error', 'over-rate', 'context-exceeded', 'content-filter'];
  expect(config.policies).toEqual([
    { name: 'portkey', match: { models: ['portkey'] }, fallbacks: [{ model: 'portkey-2', on }] },
  ]);
  expect(config.retries.maxAttempts).toBe(3);
  expect(said).toContain('cache: there is no cache');
  expect(said).toContain('it names no provider');
});

test.each([
  [[429], ['over-rate']],
  [[500, 503], ['error']],
  [
    [400, 429],
    ['context-exceeded', 'content-filter', 'over-rate'],
  ],
])('Portkey: a fallback on the status codes %s follows the failures %s', async (codes, on) => {
  const file = join(folder, `codes-${codes.join('-')}.json`);
  const targets = ['gpt-4o', 'gpt-4.1'].map((model) => ({ provider: 'openai', override_params: { model } }));
  writeFileSync(file, JSON.stringify({ strategy: { mode: 'fallback', on_status_codes: codes }, targets }));
  const { config } = await imported('portkey', file);
  expect(config.policies[0]?.fallbacks).toEqual([{ model: 'portkey-2', on }]);
});

test('Portkey: a single target, and one that names its model with a slug of the model catalogue', async () => {
  const file = join(folder, 'single.json');
  const targets = [{ override_params: { model: '@openai-prod/gpt-4o' } }, { provider: 'anthropic' }];
  writeFileSync(file, JSON.stringify({ strategy: { mode: 'single' }, targets }));
  const { config, said } = await imported('portkey', file);
  expect(Object.keys(config.providers)).toEqual(['openai']);
  expect(config.aliases).toEqual({ portkey: 'openai/gpt-4o' });
  expect(said).toContain('@openai-prod: taken for openai');
});

test.each([
  [
    'portkey',
    {
      targets: ['http://open.example/v1', 'https://closed.example/v1'].map((url) => ({
        ...AT_OPENAI,
        custom_host: url,
      })),
    },
  ],
  [
    'new-api',
    ['http://open.example', 'https://closed.example'].map((url, at) => ({
      ...{ id: at, type: 8, name: `channel ${at}`, status: 1, models: 'house', key: 'sk-canary', base_url: url },
    })),
  ],
])('%s: an address that the configuration refuses is reported, and the rest is imported', async (source, data) => {
  const file = join(folder, `${source}-addresses.json`);
  writeFileSync(file, JSON.stringify(data));
  const { config, said } = await imported(source, file);
  expect(Object.keys(config.providers)).toEqual(['closed-example']);
  expect(said).toContain('left out: it is plain http to a public host');
});

describe('new-api', () => {
  test('channels of one model become endpoints by priority; disabled and unknown ones are reported', async () => {
    const { config, text, said } = await imported('new-api', fixture('new-api-channels.json'));
    expect(config.catalogue.models?.find(({ id }) => id === 'imported/gpt-4o')?.endpoints).toMatchObject([
      { provider: 'openai', upstreamModel: 'gpt-4o' },
      { provider: 'models-acme-example', upstreamModel: 'house-gpt' },
    ]);
    expect(text).toContain('credentials: [env:OPENAI_API_KEY_OPENAI_MAIN_2]');
    expect(said).toContain('channel "old deepseek": it is disabled');
    expect(said).toContain('channel "suno": no provider for channels of type 36');
    // The same number is an OpenAI-compatible server in one-api.
    expect(said).toContain('channel "kling": no provider for channels of type 50');
    expect(said).toContain('param_override');
  });
  test('an address that is not carried over is reported', async () => {
    const file = join(folder, 'relay.json');
    const channel = { id: 1, type: 14, name: 'relay', key: 'sk-canary', status: 1, models: 'claude-sonnet-4-5' };
    writeFileSync(file, JSON.stringify([{ ...channel, base_url: 'https://relay.example.com' }]));
    const { said } = await imported('new-api', file);
    expect(said).toContain(
      'channel "relay": base_url https://relay.example.com: it calls anthropic at its own address',
    );
  });
  test('the SQLite file gives what the list gives', async () => {
    const file = join(folder, 'one-api.db');
    const database = new DatabaseSync(file);
    database.exec(
      'create table channels (id integer, type integer, name text, key text, status integer, base_url text, models text, model_mapping text, priority integer, weight integer)',
    );
    database
      .prepare('insert into channels values (1, 36, ?, ?, 1, null, ?, null, 0, 0)')
      .run('deepseek', 'sk-canary', 'deepseek-v4-pro');
    database.close();
    const { text } = await imported('one-api', file);
    expect(text).toContain('credential: env:DEEPSEEK_API_KEY_DEEPSEEK');
  });
});

test('OpenRouter: providers that serve the models are named; unknown models stay at OpenRouter', async () => {
  const { config, said } = await imported('openrouter', fixture('openrouter-preferences.json'));
  expect(Object.keys(config.providers).sort()).toEqual(['anthropic', 'deepseek', 'openai', 'openrouter']);
  expect(config.catalogue.models?.map(({ id }) => id)).toEqual(['meta-llama/llama-9-unknown']);
  expect(said).toContain('openai/gpt-4o:nitro: send x-trivium-factor: speed');
  expect(said).toContain('trains: false, retentionDays: 0');
  expect(said).toContain('provider.quantizations');
});

test.each([
  ['litellm', '{"model_list": []}', 'found no provider'],
  ['litellm', 'model_list: [', ':1:'],
  [
    'litellm',
    '{"model_list": [{"model_name": "m", "litellm_params": {"model": "openai/m", "api_base": "http://m.example"}}]}',
    'm: address of openai/m: left out: it is plain http to a public host',
  ],
])('a %s file that cannot be used is refused: %s', async (source, text, reason) => {
  const file = join(folder, `${files++}-bad.yaml`);
  writeFileSync(file, text);
  const { exitCode, errors } = await run(['import', source, file, '-o', join(folder, 'never.yaml')]);
  expect(exitCode).toBe(1);
  expect(errors).toContain(reason);
});

test('names that mean something in YAML are imported as text, and no name leaves its comment', async () => {
  const file = join(folder, 'odd-names.json');
  const name = 'closed\nkeys: [{ name: intruder, secret: env:X }]';
  const channels = [
    { id: 1, type: 8, name: 'open', models: 'true,null', status: 1, base_url: 'https://h.example', key: 'sk-canary' },
    { id: 2, type: 1, name, models: 'gpt-4o', status: 2, key: 'sk-canary' },
  ];
  writeFileSync(file, JSON.stringify({ success: true, data: { items: channels } }));
  const { text, config } = await imported('new-api', file);
  expect(text).toContain('intruder');
  expect(config.keys.map((key) => key.name)).toEqual(['app']);
});
