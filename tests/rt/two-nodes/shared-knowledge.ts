/** State that one node shares with the other: the seals of an answer it never saw, and the health of a host it has not called. */
import { chatRoad } from '../../support/chat-road.ts';
import { ask, chatQuestion } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { chatHosts } from '../parts/hosts.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';
import { waitFor } from '../parts/wait.ts';

export type Nodes = { readonly one: GatewayProcess; readonly other: GatewayProcess };

const THINKER = 'rt/thinker';
const PICKY = 'rt/picky';
const BROKEN_HOST = 'broken';
const FAILURES = 5;
const LOOK_EVERY_MS = 20;
const SEAL_EVERY_MS = 1000;
const PATIENCE_MS = 20_000;

export function knowledgeConfig(simulator: SimulatorProcess): Record<string, unknown> {
  const { providers, models } = chatHosts({ [BROKEN_HOST]: simulator, sound: simulator }, PICKY);
  const thinker = {
    id: THINKER,
    contextLength: 128_000,
    maxOutputTokens: 16_384,
    capabilities: { tools: true, thinking: { kind: 'budget', canDisable: true, min: 1024, max: 16_000 } },
    endpoints: [{ provider: 'anthropic', dialect: 'anthropic-messages', upstreamModel: 'claude-sonnet-4-5' }],
  };
  return {
    providers: { ...providers, anthropic: { credential: 'sk-upstream-rt', baseUrl: `${simulator.url}/anthropic` } },
    models: [...models, thinker],
    health: { failures: FAILURES, outMs: 30_000 },
    seals: { keys: ['a key that both nodes share, 0123456789'] },
  };
}

/** 1 if a seal issued at one node was sent upstream from the other, though the caller never returned it. */
export async function sealCarried({ one, other }: Nodes, simulator: SimulatorProcess): Promise<number> {
  const responseOptions = { tools: ['weather', 'clock'], thinking: true };
  const user = chatRoad.user('Look around. @simulate scenario=reasoning-tools');
  const say = async ({ url }: GatewayProcess, turns: readonly Record<string, unknown>[]): Promise<string> => {
    const body = chatRoad.body(THINKER, turns, responseOptions);
    const { status, text } = await ask({ url, path: chatRoad.path(THINKER, false), body, limitMs: PATIENCE_MS });
    if (status !== 200) throw new Error(`${status} ${text}`);
    return text;
  };
  const { calls, turn } = chatRoad.parse(await say(one, [user]));
  const forgetful = { role: 'assistant', content: null, tool_calls: turn['tool_calls'] };
  const results = chatRoad.results(
    calls,
    calls.map(() => 'fine'),
  );
  // The seal is stored concurrently with the answer, so the first lookup of the other node may be too early.
  const isCarried = async (): Promise<boolean> => {
    await say(other, [user, forgetful, ...results]);
    return (await simulator.truth()).at(-1)?.bodyText?.includes('"signature"') === true;
  };
  await waitFor('the seal is carried', isCarried, PATIENCE_MS, SEAL_EVERY_MS);
  return 1;
}

/** A host fails at one node until it is ejected; returns when the other avoids it too, and its calls until then. */
export async function avoidedAfter(
  { one, other }: Nodes,
  simulator: SimulatorProcess,
): Promise<{ readonly ms: number; readonly calls: number }> {
  await simulator.breakWith('status=500', BROKEN_HOST);
  const call = ({ url }: GatewayProcess): Promise<unknown> => ask(chatQuestion(url, PICKY));
  const isOutAt = async (node: GatewayProcess): Promise<boolean> => (await node.metric('trivium_targets_out')) > 0;
  await waitFor(
    'it is out at the one',
    async () => {
      await call(one);
      return isOutAt(one);
    },
    PATIENCE_MS,
    LOOK_EVERY_MS,
  );
  const ms = await waitFor('it is out at the other', () => isOutAt(other), PATIENCE_MS, LOOK_EVERY_MS);
  await simulator.forget();
  for (let time = 0; time < FAILURES; time++) await call(other);
  const calls = (await simulator.truth()).filter(({ host }) => host === BROKEN_HOST).length;
  await simulator.heal();
  return { ms, calls };
}
