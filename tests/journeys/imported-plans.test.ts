// Configurations of other gateways, imported, started and asked where calls would go: as the original would have sent them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Gateway, loadConfig, startGateway } from '@trivium/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { KEY } from '../support/stand.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-imported-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A gateway of the written file, with made-up credentials and without its database: dry runs call no provider. */
async function startImported(source: string, fixture: string): Promise<Gateway> {
  const output = join(folder, `${fixture}.yaml`);
  const terminal = fakeTerminal();
  const file = new URL(`../../packages/cli/src/import/fixtures/${fixture}`, import.meta.url).pathname;
  await runCommandLine(['import', source, file, '-o', output], terminal);
  expect(terminal.exitCode).toBe(0);
  const {
    database: _database,
    redis: _redis,
    ...written
  } = parse(readFileSync(output, 'utf8')) as Record<string, unknown>;
  const names = [...JSON.stringify(written).matchAll(/"env:(\w+)"/g)].map(([, name = '']) => name);
  const text = JSON.stringify({
    ...written,
    keys: [{ name: 'app', secret: KEY }],
    listen: { host: '127.0.0.1', port: 0 },
    admin: { host: '127.0.0.1', port: 0 },
    log: { level: 'silent' },
  });
  const made = (name: string): string =>
    name === 'AWS_CREDENTIALS' ? `AKIAIOSFODNN7EXAMPLE:${'s'.repeat(40)}` : `of ${name}`;
  const env = Object.fromEntries(names.map((name) => [name, made(name)]));
  const loaded = loadConfig({ text, env });
  if ('problems' in loaded)
    throw new Error(loaded.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
  return startGateway({ config: loaded.config });
}

type Step = { readonly provider: string; readonly model: string };

async function planOf(gateway: Gateway, model: string, body: object = {}): Promise<readonly string[]> {
  const response = await fetch(`${gateway.url}/api/v1/route`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], ...body }),
  });
  const answer = (await response.json()) as { readonly plan?: readonly Step[] };
  return answer.plan?.map(({ provider, model: id }) => `${provider} ${id}`) ?? [String(response.status)];
}

/** How often each comes first. */
async function firstsOf(gateway: Gateway, model: string, calls: number): Promise<Readonly<Record<string, number>>> {
  const plans = await Promise.all(Array.from({ length: calls }, () => planOf(gateway, model)));
  const firsts: Record<string, number> = {};
  for (const [first = ''] of plans) firsts[first] = (firsts[first] ?? 0) + 1;
  return firsts;
}

/** The different plans of so many calls. */
async function plansOf(gateway: Gateway, model: string, calls: number): Promise<readonly string[]> {
  const plans = await Promise.all(Array.from({ length: calls }, () => planOf(gateway, model)));
  return [...new Set(plans.map((plan) => plan.join(', ')))];
}

describe('LiteLLM', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startImported('litellm', 'litellm-router.yaml');
  });
  afterAll(() => gateway.close());

  test('deployments share calls by their limits; one without a limit, and fallbacks, come after failures', async () => {
    const firsts = await firstsOf(gateway, 'gpt-4o', 100);
    expect(Object.keys(firsts).sort()).toEqual(['azure imported/gpt-4o', 'azure-2 imported/gpt-4o']);
    // 300 to 100: 52 or fewer of 100 would be chance once in 10^7 runs.
    expect(firsts['azure imported/gpt-4o']).toBeGreaterThan(52);
    const plan = await planOf(gateway, 'gpt-4o');
    expect(plan[2]).toBe('openai imported/gpt-4o');
    expect(plan.slice(3)).toEqual([
      'anthropic anthropic/claude-sonnet-4.5',
      'amazon-bedrock anthropic/claude-sonnet-4.5',
      'openai openai/gpt-4o-mini',
      'openai openai/gpt-4.1',
      'vllm imported/house',
    ]);
  });
  test('the lowest order is called first, and an alias of the group goes where the group goes', async () => {
    const plan = ['anthropic anthropic/claude-sonnet-4.5', 'amazon-bedrock anthropic/claude-sonnet-4.5'];
    for (const name of ['claude', 'default']) {
      const planned = await planOf(gateway, name);
      expect(planned.slice(0, 2)).toEqual(plan);
      expect(planned.slice(2).toSorted()).toEqual([
        'azure imported/gpt-4o',
        'azure-2 imported/gpt-4o',
        'openai imported/gpt-4o',
      ]);
    }
    expect((await planOf(gateway, 'gpt-4')).length).toBe(8);
  });
  test('a name without fallbacks of its own has the default ones, and goes to no provider that its group does not name', async () => {
    // Azure serves this model as well, and is configured for another name.
    expect(await planOf(gateway, 'long')).toEqual(['openai openai/gpt-4.1', 'openai openai/gpt-4o-mini']);
    // Its default fallback is itself. One call in four draws the second credential, which makes it no second place.
    expect(await plansOf(gateway, 'mini', 40)).toEqual(['openai openai/gpt-4o-mini']);
  });
  test('names that carry sound are not served as text', async () => {
    expect(await planOf(gateway, 'whisper-1')).toEqual(['400']);
    expect(await planOf(gateway, 'voice')).toEqual(['400']);
  });
});

describe('Portkey', () => {
  test('a fallback over a load balancer: shares among providers of one model, then the other model', async () => {
    const gateway = await startImported('portkey', 'portkey-balance.json');
    try {
      const firsts = await firstsOf(gateway, 'assistant', 100);
      expect(Object.keys(firsts).sort()).toEqual(['azure imported/assistant', 'openai imported/assistant']);
      expect(firsts['azure imported/assistant']).toBeGreaterThan(52);
      expect((await planOf(gateway, 'assistant'))[2]).toBe('anthropic anthropic/claude-sonnet-4.5');
    } finally {
      await gateway.close();
    }
  });
  test('conditions on the model are names; others are models that callers ask for', async () => {
    const gateway = await startImported('portkey', 'portkey-conditional.json');
    try {
      for (const name of ['portkey', 'fast', 'cheap'])
        expect(await planOf(gateway, name)).toEqual(['openai openai/gpt-4o-mini']);
      expect(await planOf(gateway, 'portkey-large')).toEqual(['openai openai/gpt-4o', 'azure openai/gpt-4o']);
    } finally {
      await gateway.close();
    }
  });
});
