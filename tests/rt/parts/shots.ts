/** Load that survives killed processes: streams and whole answers of random length for several accounts, each recorded. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, chatQuestion, type Reply } from './ask.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { MODEL } from './hosts.ts';
import { keyFor, TOKENS } from './money.ts';
import type { SimulatorProcess } from './simulator-process.ts';

export type Shot = {
  readonly number: number;
  readonly account: string;
  /** The address of the called node. */
  readonly node: string;
  readonly isStream: boolean;
  readonly reply: Reply;
};

export const AT_ONCE = 12;
/** In ms: longer than the answer of a process that is stopped for half a minute. */
const PATIENCE_MS = 60_000;
const REFUSED_PAUSE_MS = 30;

export type Load = {
  readonly shots: readonly Shot[];
  /** Returns the number of the first shot of the next load. */
  stop(): Promise<number>;
};

const LAST_FRAME = 'data: [DONE]\n\n';

/** The caller has all of it: the whole body, or the last frame of a stream, even if the connection broke after it. */
export const isWhole = ({ reply: { status, complete, text } }: Shot): boolean =>
  status === 200 && (complete || text.endsWith(LAST_FRAME));

export const requestIdOf = ({ reply }: Shot): string | undefined => {
  const id = reply.headers['x-request-id'];
  return typeof id === 'string' ? id : undefined;
};

/** Runs until it is stopped. */
export function shoot(
  nodes: readonly GatewayProcess[],
  accounts: readonly string[],
  random: () => number,
  first: number,
  tokensPerSecond = 8,
): Load {
  const shots: Shot[] = [];
  let stopped = false;
  let next = first;
  const worker = async (): Promise<void> => {
    while (!stopped) {
      const number = next++;
      const account = accounts[number % accounts.length]!;
      const shot = await fire(nodes, account, random, number, tokensPerSecond);
      shots.push(shot);
      if (shot.reply.status !== 200) await sleep(REFUSED_PAUSE_MS);
    }
  };
  const workers = Array.from({ length: AT_ONCE }, worker);
  const stop = async (): Promise<number> => {
    stopped = true;
    await Promise.all(workers);
    return next;
  };
  return { shots, stop };
}

async function fire(
  nodes: readonly GatewayProcess[],
  account: string,
  random: () => number,
  number: number,
  tokensPerSecond: number,
): Promise<Shot> {
  const words = 1 + Math.floor(random() * TOKENS);
  const isStream = random() < 0.7;
  const node = nodes[Math.floor(random() * nodes.length)]!;
  const text = `#${number}# @simulate scenario=text-long words=${words} ttft=10 tps=${tokensPerSecond}`;
  const question = chatQuestion(node.url, MODEL, text, { max_tokens: TOKENS, stream: isStream });
  const headers = { authorization: `Bearer ${keyFor(account)}` };
  const reply = await ask({ ...question, headers, limitMs: PATIENCE_MS });
  return { number, account, node: node.url, isStream, reply };
}

/** Fast answers, so that many end in the same moment. */
const BURST_TOKENS_PER_SECOND = 500;

export type Burst = { readonly shots: readonly Shot[]; readonly over: Promise<unknown> };

/** So many calls at once, streamed and whole. */
export function burstOf(
  size: number,
  nodes: readonly GatewayProcess[],
  account: string,
  random: () => number,
  first: number,
): Burst {
  const shots: Shot[] = [];
  const calls = Array.from({ length: size }, async (_, at) => {
    shots.push(await fire(nodes, account, random, first + at, BURST_TOKENS_PER_SECOND));
  });
  return { shots, over: Promise.all(calls) };
}

/** Tokens that the upstream produced for each shot, by number. A retried shot was answered once. */
export async function tokensByShot(simulator: SimulatorProcess): Promise<ReadonlyMap<number, number>> {
  const tokens = new Map<number, number>();
  for (const { bodyText, tokensProduced } of await simulator.truth()) {
    const number = Number(/#(\d+)#/.exec(bodyText)?.[1]);
    tokens.set(number, Math.max(tokensProduced, tokens.get(number) ?? 0));
  }
  return tokens;
}
