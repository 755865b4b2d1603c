/** Two nodes of the previous release are upgraded to this one under load, in the order of the upgrade guide. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openNextSchema } from '../../../scripts/next-schema.ts';
import { openPreviousRelease } from '../../../scripts/previous-release.ts';
import { emptyDatabase } from '../../support/database.ts';
import { ask, chatQuestion, keepingAgent, type Question, type Reply } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { MODEL } from '../parts/hosts.ts';
import { percentile, rounded, startLoad, succeeded } from '../parts/load.ts';
import { moneyConfig, Purser } from '../parts/money.ts';
import { newKey, operate } from '../parts/operator.ts';
import { startProxy } from '../parts/reverse-proxy.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly perSecond: number; readonly streams: number; readonly streamSeconds: number };

const ACCOUNT = 'acme';
const WORDS_PER_SECOND = 5;
const CALLER_PATIENCE_MS = 60_000;
const END_LIMIT_MS = 60_000;
const POSTED_LIMIT_MS = 30_000;
const BALANCED_LIMIT_MS = 20_000;

const finished = (reply: Reply): boolean => succeeded(reply) && reply.text.trimEnd().endsWith('data: [DONE]');

/** Migrations that were applied. */
async function migrate(checkout: string, { configPath }: GatewayProcess): Promise<number> {
  const main = join(checkout, 'packages/cli/src/main.ts');
  const args = ['--conditions=trivium-source', main, 'migrate', '--config', configPath];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`migrate ended with ${code}`);
  return [...output.matchAll(/^applied /gm)].length;
}

async function endOf({ child }: GatewayProcess): Promise<number> {
  child.signal('SIGTERM');
  return waitFor(`${child.name} has drained and ended`, () => child.process.exitCode !== null, END_LIMIT_MS);
}

const isCalled = async (node: GatewayProcess | undefined): Promise<boolean> =>
  node !== undefined && (await node.metric('trivium_upstream_attempts_total')) > 0;

async function play({ perSecond, streams, streamSeconds }: Parameters, stage: Stage): Promise<Outcome> {
  const previous = openPreviousRelease(undefined, ['packages']);
  stage.atEnd(() => previous.close());
  stage.say(`from ${previous.title}`);
  const next = openNextSchema();
  stage.atEnd(() => next.close());
  const database = await emptyDatabase();
  stage.atEnd(() => database.drop());
  const simulator = await stage.simulator();
  const start = (name: string, options: { checkout?: string; at?: GatewayProcess }): Promise<GatewayProcess> => {
    const journal = `${stage.folder}/journal-${name}`;
    const more = {
      keys: [],
      database: { url: database.url },
      ledger: { journal },
      overload: { lagMs: 0 },
      // The release before does not have the setting.
      ...(options.checkout === next.folder && { warmUp: { enabled: false } }),
    };
    return stage.gateway(moneyConfig(simulator, [], more), { name, trustedProxies: ['127.0.0.1'], ...options });
  };
  // The first node creates the schema.
  const one = await start('one', { checkout: previous.folder });
  const two = await start('two', { checkout: previous.folder });
  const proxy = await startProxy(stage, 'haproxy', one.url, two.url);
  await operate(one, 'POST', '/accounts', { id: ACCOUNT, name: ACCOUNT, kind: 'prepaid' });
  await operate(one, 'POST', `/accounts/${ACCOUNT}/credits`, { usd: '100000', id: 'first' });
  const { secret } = await newKey(one, ACCOUNT);

  stage.say('two nodes of it serve');
  const agent = keepingAgent();
  const question = (words?: string, more?: object): Question => ({
    ...chatQuestion(proxy.url, MODEL, words, { max_tokens: 500, ...more }),
    headers: { authorization: `Bearer ${secret}` },
    agent,
    limitMs: CALLER_PATIENCE_MS,
  });
  const long = `@simulate scenario=text-long words=${streamSeconds * WORDS_PER_SECOND} tps=${WORDS_PER_SECOND}`;
  const calls = startLoad(perSecond, () => ask(question()));
  const streaming = startLoad(streams / streamSeconds, () => ask(question(long, { stream: true })));

  const steps = await migrate(next.folder, one);
  stage.say(`${steps} steps of the schema, while the release before serves`);
  const seconds: number[] = [];
  const now: GatewayProcess[] = [];
  for (const node of [one, two]) {
    const startedMs = performance.now();
    await endOf(node);
    now.push(await start(node.child.name, { checkout: next.folder, at: node }));
    seconds.push(rounded((performance.now() - startedMs) / 1000, 1));
    stage.say(`node ${node.child.name} replaced in ${seconds.at(-1)} s`);
    // Only then may the next node be stopped.
    await waitFor('the balancer sends it requests', () => isCalled(now.at(-1)), BALANCED_LIMIT_MS, 100);
  }
  const [shots, replies] = await Promise.all([calls.stop(), streaming.stop()]);
  agent.destroy();

  const failed = [...shots.filter((shot) => !succeeded(shot)), ...replies.filter((reply) => !finished(reply))];
  for (const { status, failure, text: body } of failed.slice(0, 5))
    stage.say(`${status} ${failure} ${body.slice(-200)}`);
  const answered = shots.length + replies.length - failed.length;
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  const isPosted = async (): Promise<boolean> => (await purser.charges(ACCOUNT)).size >= answered;
  await waitFor('every answer is charged', isPosted, POSTED_LIMIT_MS, 200);
  const served = await Promise.all(now.map((node) => node.metric('trivium_upstream_attempts_total')));
  return {
    figures: {
      from: previous.title,
      schemaSteps: steps,
      calls: shots.length,
      streams: replies.length,
      replacedSeconds: seconds,
      callP99Ms: rounded(
        percentile(
          shots.filter(succeeded).map(({ latencyMs }) => latencyMs),
          0.99,
        ),
        1,
      ),
    },
    checks: [
      atLeast('steps of the schema', steps, 1),
      exactly('failed calls and streams', failed.length, 0),
      atLeast('requests served by each node of this release', Math.min(...served), 1),
      exactly('charges beyond one for each answer', (await purser.charges(ACCOUNT)).size - answered, 0),
      exactly('violations of the ledger', await purser.violations(ACCOUNT), 0),
    ],
  };
}

export const rollingUpgrade = scenario<Parameters>({
  name: 'rolling-upgrade',
  shows:
    'two nodes are upgraded one by one from the release before, with migrations, under calls and streams: no request fails',
  short: { perSecond: 15, streams: 10, streamSeconds: 2 },
  full: { perSecond: 100, streams: 200, streamSeconds: 4 },
  run: play,
});
