/** What comparing answers costs at the default sampling, as a share of the CPU time that a gateway needs for the same calls. */
import { loadConfig } from '@trivium/gateway';
import { DriftWatch } from '../../packages/gateway/src/models/shapes/drift-watch.ts';
import { knownShapesOf } from '../../packages/gateway/src/models/shapes/read-shapes.ts';
import { ask, chatQuestion, keepingAgent } from '../../tests/rt/parts/ask.ts';
import { KEY } from '../../tests/rt/parts/gateway-process.ts';
import { MODEL } from '../../tests/rt/parts/hosts.ts';
import { moneyConfig } from '../../tests/rt/parts/money.ts';
import { Stage } from '../../tests/rt/parts/stage.ts';
import { cpuOf } from '../as-user/cpu.ts';

const WARM_CALLS = 100;
const CALLS = 600;
const AT_ONCE = 8;
/** Of each kind of answer, so that hundreds are compared. */
const REPLAYED = 100_000;
const MOST_PERCENT = 1;
const KINDS = [
  { words: 'Say hello.', more: {} },
  { words: 'Say much. @simulate scenario=text-long words=60', more: { stream: true } },
] as const;
const NO_PROCESS = 'no command line has this text\0';

export type DriftCpu = {
  readonly percent: number;
  readonly callMicroseconds: number;
  readonly comparedMicroseconds: number;
  readonly oneIn: number;
};

function defaultOneIn(): number {
  const outcome = loadConfig({ env: {}, text: '{"keys":[]}' });
  if ('problems' in outcome) throw new Error(JSON.stringify(outcome.problems));
  return outcome.config.alerts.driftOneIn;
}

/** Microseconds of CPU time for each call whose answer passes by, most of them not compared. */
function replay(texts: readonly string[], oneIn: number): number {
  let compared = 0;
  const watch = new DriftWatch({
    oneIn: () => oneIn,
    random: Math.random,
    nowMs: Date.now,
    later: (run) => run(),
    shapesOf: (format) => {
      compared += 1;
      return knownShapesOf(format);
    },
    redact: (text) => text,
    onFound: ({ difference }) => {
      throw new Error(`a faithful answer differs: ${JSON.stringify(difference)}`);
    },
  });
  const target = { provider: 'east', dialect: { id: 'openai-chat', operation: 'text' } } as unknown as Parameters<
    typeof watch.of
  >[0];
  const pieces = texts.map((text) => text.split(/(?<=\n\n)/));
  const began = process.cpuUsage();
  for (let round = 0; round < REPLAYED; round++)
    for (const own of pieces) {
      const sample = watch.of(target);
      if (sample === undefined) continue;
      sample.head(200);
      for (const piece of own) sample.text(piece);
      sample.end(true);
    }
  const { user, system } = process.cpuUsage(began);
  if (compared < REPLAYED / oneIn) throw new Error(`${compared} answers were compared`);
  return (user + system) / (REPLAYED * pieces.length);
}

export async function driftCpu(fail: (what: string) => void): Promise<DriftCpu> {
  const stage = new Stage(1);
  try {
    const oneIn = defaultOneIn();
    const simulator = await stage.simulator();
    const gateway = await stage.gateway(
      moneyConfig(simulator, [], { keys: [{ name: 'rt', secret: KEY }], alerts: { driftOneIn: 0 } }),
    );
    const agent = keepingAgent();
    const call = async (number: number): Promise<void> => {
      const { words, more } = KINDS[number % KINDS.length] ?? KINDS[0];
      const reply = await ask({ ...chatQuestion(gateway.url, MODEL, words, more), agent });
      if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
    };
    const many = async (count: number): Promise<void> => {
      let left = count;
      const one = async (): Promise<void> => {
        while (left > 0) await call(left--);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
    };
    await many(WARM_CALLS);
    const before = cpuOf(NO_PROCESS, gateway.child.pid);
    await many(CALLS);
    const callMicroseconds = ((cpuOf(NO_PROCESS, gateway.child.pid) - before) * 1e6) / CALLS;
    agent.destroy();
    const texts: string[] = [];
    for (const { words, more } of KINDS) {
      const question = chatQuestion(`${simulator.url}/compatible@east`, 'any', words, more);
      texts.push((await ask({ ...question, path: '/v1/chat/completions' })).text);
    }
    replay(texts, oneIn);
    const comparedMicroseconds = replay(texts, oneIn);
    const percent = Number(((100 * comparedMicroseconds) / callMicroseconds).toFixed(3));
    if (percent > MOST_PERCENT) fail(`drift: comparing takes ${percent} % of the CPU time of the calls`);
    const rounded = (value: number): number => Number(value.toFixed(2));
    return {
      percent,
      oneIn,
      callMicroseconds: rounded(callMicroseconds),
      comparedMicroseconds: rounded(comparedMicroseconds),
    };
  } finally {
    await stage.close();
  }
}
