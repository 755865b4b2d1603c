/** A canary at two nodes: its share, where conversations stay, and stepping back once its calls fail. */
import { ask, chatQuestion, keepingAgent, type Reply } from './ask.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { succeeded } from './load.ts';
import { operate } from './operator.ts';
import type { SimulatorProcess } from './simulator-process.ts';
import { waitFor } from './wait.ts';

export type Plan = {
  readonly plan: readonly { readonly provider: string }[];
  readonly decision: { readonly canary?: { readonly sent_to: object | null } } | null;
};

const CALL_LIMIT_MS = 60_000;
const APPLIED_LIMIT_MS = 30_000;
const AT_ONCE = 16;

const agent = keepingAgent();

/** The plan of a conversation that begins with these words. */
export async function planAt({ url }: GatewayProcess, model: string, words = 'Hello'): Promise<Plan> {
  const { path, ...question } = chatQuestion(url, model, words);
  const headers = { 'x-trivium-path': path };
  const { status, text } = await ask({ ...question, path: '/api/v1/route', headers, agent, limitMs: CALL_LIMIT_MS });
  if (status !== 200) throw new Error(`dry run: ${status} ${text}`);
  return JSON.parse(text) as Plan;
}

/** The first hosts of so many conversations, planned by turns at the nodes. */
export async function firstHosts(
  nodes: readonly GatewayProcess[],
  model: string,
  conversations: number,
): Promise<readonly string[]> {
  const hosts: string[] = new Array(conversations);
  let next = 0;
  const planOn = async (): Promise<void> => {
    for (let index = next++; index < conversations; index = next++) {
      const { plan } = await planAt(nodes[index % nodes.length]!, model, `Conversation ${index}`);
      hosts[index] = plan[0]!.provider;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, planOn));
  return hosts;
}

/** Every call at the host draws from these, in order. */
async function failShare(host: SimulatorProcess, share: number, calls: number, random: () => number): Promise<void> {
  for (let index = 0; index < calls; index++) {
    const instruction = random() < share ? 'status=500' : 'words=3';
    const body = JSON.stringify({ instruction, times: 1 });
    const headers = { 'content-type': 'application/json' };
    const armed = await fetch(`${host.url}/_simulator/arm`, { method: 'POST', headers, body });
    if (!armed.ok) throw new Error(`the simulator did not take a fault: ${armed.status}`);
  }
}

type Policy = { readonly items: readonly { readonly canary: { readonly state: string } | null }[] };

export type SteppingBack = {
  /** Until the database knew of it, at both nodes together. */
  readonly calls: number;
  readonly failed: readonly Reply[];
  readonly audited: number;
  readonly alerts: number;
};

/** Calls by turns at both nodes, each another conversation, until the canary has stepped back at both. */
export async function untilSteppedBack(
  nodes: readonly [GatewayProcess, GatewayProcess],
  policy: string,
  model: string,
  canary: SimulatorProcess,
  { share, most, random }: { readonly share: number; readonly most: number; readonly random: () => number },
): Promise<SteppingBack> {
  const [one] = nodes;
  await failShare(canary, share, most, random);
  const isBack = async (): Promise<boolean> => {
    const { items } = (await operate(one, 'GET', `/policies/${policy}`)) as Policy;
    return items[0]?.canary?.state === 'stepped-back';
  };
  const replies: Reply[] = [];
  while (replies.length < most && !(await isBack())) {
    const { url } = nodes[replies.length % nodes.length]!;
    const question = chatQuestion(url, model, `Call ${replies.length}`, { stream: replies.length % 3 === 0 });
    replies.push(await ask({ ...question, agent, limitMs: CALL_LIMIT_MS }));
  }
  for (const node of nodes)
    await waitFor(
      'the canary gets no call',
      async () => (await planAt(node, model)).decision?.canary === undefined,
      APPLIED_LIMIT_MS,
    );
  const countOf = async (path: string): Promise<number> =>
    ((await operate(one, 'GET', path)) as { items: readonly unknown[] }).items.length;
  return {
    calls: replies.length,
    failed: replies.filter((reply) => !succeeded(reply)),
    audited: await countOf('/audit?action=policy.step-back'),
    alerts: await countOf('/alerts?kind=canary.stepped_back'),
  };
}
