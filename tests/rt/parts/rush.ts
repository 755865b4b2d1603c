/** Many concurrent requests, and the number of answers by status. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, isBusy, keepingAgent, type Question, type Reply } from './ask.ts';

const MOST_ASKED = 10;

/** Retries after retry-after, like a client; the ledger has not been asked by then. */
async function askUntilHeard(question: Question, onBusy: () => void): Promise<Reply> {
  for (let asked = 1; ; asked++) {
    const reply = await ask(question);
    if (!isBusy(reply) || asked === MOST_ASKED) return reply;
    onBusy();
    await sleep(Number(reply.headers['retry-after']) * 1000);
  }
}

/** Sends requests 0, 1, 2 …, at most `atOnce` of them in flight. */
export async function rush(
  { requests, atOnce }: { readonly requests: number; readonly atOnce: number },
  questionOf: (number: number) => Question,
  on: { readonly half?: (() => void) | undefined; readonly busy: () => void },
): Promise<readonly Reply[]> {
  const agent = keepingAgent();
  const replies: Reply[] = [];
  let sent = 0;
  const worker = async (): Promise<void> => {
    while (sent < requests) {
      const number = sent++;
      if (number === requests >> 1) on.half?.();
      replies.push(await askUntilHeard({ ...questionOf(number), agent }, on.busy));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  agent.destroy();
  return replies;
}

/** Answers of paid requests by status; unexpected ones by their message. */
export function tallyOf(replies: readonly Reply[]): Readonly<Record<string, number>> {
  const tally: Record<string, number> = {};
  for (const { status, text, failure } of replies) {
    const isExpected = status === 200 || status === 402;
    const answer = isExpected ? String(status) : `${status} ${failure ?? text}`;
    tally[answer] = (tally[answer] ?? 0) + 1;
  }
  return tally;
}
