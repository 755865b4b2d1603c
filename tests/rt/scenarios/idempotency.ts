/** One Idempotency-Key, two nodes on one database: one call however often it is repeated, and one more when its node is killed. */
import { startServices } from '../../../scripts/services/services.ts';
import { freshDatabase } from '../../support/database.ts';
import { ask, chatQuestion, type Reply } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { chatHosts, MODEL } from '../parts/hosts.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly atOnce: number; readonly rounds: number };

const PATIENCE_MS = 60_000;
const REPLAYED = 'x-trivium-replayed';

const different = (replies: readonly Reply[]): number => new Set(replies.map(({ text }) => text)).size;

async function play({ atOnce, rounds }: Parameters, stage: Stage): Promise<Outcome> {
  await startServices();
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const simulator = await stage.simulator();
  const config = { ...chatHosts({ east: simulator }), database: { url: database.url } };
  const one = await stage.gateway(config, { name: 'one' });
  const other = await stage.gateway(config, { name: 'other' });
  const repeat = (node: GatewayProcess, key: string, words: string) =>
    ask({
      ...chatQuestion(node.url, MODEL, words, { stream: true }),
      headers: { 'idempotency-key': key },
      limitMs: PATIENCE_MS,
    });
  const calls = async (): Promise<number> => (await simulator.truth()).length;

  const parallel: Reply[] = [];
  for (let round = 0; round < rounds; round++)
    parallel.push(
      ...(await Promise.all(
        Array.from({ length: atOnce }, (_, n) => repeat(n % 2 === 0 ? one : other, `round ${round}`, 'Hello')),
      )),
    );
  const parallelCalls = await calls();

  await simulator.forget();
  const slow = 'Hello @simulate ttft=4000';
  const first = repeat(one, 'killed', slow);
  await waitFor('the call is being made', async () => (await calls()) === 1, PATIENCE_MS);
  const waiting = Array.from({ length: atOnce / 2 }, () => repeat(other, 'killed', slow));
  one.child.process.kill('SIGKILL');
  const lost = await first;
  const survivors = await Promise.all(waiting);
  const afterKill = await calls();
  const again = await repeat(other, 'killed', slow);

  return {
    figures: {
      requests: parallel.length,
      parallelCalls,
      afterKill,
      waitedMs: Math.max(...survivors.map(({ totalMs }) => totalMs)),
    },
    checks: [
      exactly(
        'two nodes: answers with status 200',
        parallel.filter(({ status }) => status === 200).length,
        rounds * atOnce,
      ),
      exactly('two nodes: different answers', different(parallel), rounds),
      exactly(
        'two nodes: answers that are not repeats',
        parallel.filter(({ headers }) => headers[REPLAYED] === undefined).length,
        rounds,
      ),
      exactly('two nodes: upstream calls', parallelCalls, rounds),
      exactly('maker killed: its own caller got a whole answer', Number(lost.complete && lost.status === 200), 0),
      exactly(
        'maker killed: others answered',
        survivors.filter(({ status, complete }) => status === 200 && complete).length,
        survivors.length,
      ),
      exactly('maker killed: different answers', different([...survivors, again]), 1),
      exactly('maker killed: upstream calls, the lost one included', afterKill, 2),
    ],
  };
}

export const idempotency = scenario<Parameters>({
  name: 'idempotency',
  nodes: 2,
  shows:
    'requests repeated under one Idempotency-Key over two nodes make one upstream call, also when the node making it is killed',
  short: { atOnce: 100, rounds: 2 },
  full: { atOnce: 200, rounds: 20 },
  run: play,
});
