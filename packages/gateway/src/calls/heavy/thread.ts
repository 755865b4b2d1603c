/** The thread itself: runs one job after another, and asks the gateway for what only it can access. */
import { parentPort } from 'node:worker_threads';
import type { HeavyPorts } from '../heavy-work.ts';
import { sealingFor } from '../seals/envelopes.ts';
import { Jobs } from './jobs.ts';
import { type FromThread, failed, type PortName, resultOf, type ThreadOutcome, type ToThread } from './messages.ts';

if (parentPort === null) throw new Error('this is the start of a thread');
const gateway = parentPort;

const say = (message: FromThread): void => gateway.postMessage(message);

let asked = 0;
const waiting = new Map<number, (outcome: ThreadOutcome) => void>();

function ask<T>(id: number, name: PortName, input: readonly unknown[]): Promise<T> {
  const askId = ++asked;
  say({ kind: 'ask', id, askId, port: name, input });
  return new Promise((resolve, reject) => {
    waiting.set(askId, (outcome) => {
      try {
        // The gateway replies with the result of its own port.
        resolve(resultOf(outcome) as T);
      } catch (error) {
        reject(error);
      }
    });
  });
}

const portsOf = (id: number, has: readonly PortName[]): HeavyPorts => ({
  ...(has.includes('seals') && { seals: { recall: (...input) => ask(id, 'seals', input) } }),
  ...(has.includes('media') && { media: { fetch: (...input) => ask(id, 'media', input) } }),
});

let keys: readonly string[] = [];
let sealing = sealingFor(keys);
const jobs = new Jobs((accountId) => sealing(accountId));

async function run({ id, job, input, sealKeys, has }: Extract<ToThread, { kind: 'job' }>): Promise<unknown> {
  if (sealKeys.join() !== keys.join()) {
    keys = sealKeys;
    sealing = sealingFor(keys);
  }
  jobs.ports = portsOf(id, has);
  const work: unknown = Reflect.get(Jobs.prototype, job);
  if (typeof work !== 'function') throw new Error(`no such job: ${job}`);
  return work.apply(jobs, input);
}

gateway.on('message', (message: ToThread) => {
  if (message.kind === 'port') {
    waiting.get(message.askId)?.(message.outcome);
    waiting.delete(message.askId);
    return;
  }
  const { id } = message;
  run(message).then(
    (value) => say({ kind: 'done', id, outcome: { value } }),
    (error: unknown) => say({ kind: 'done', id, outcome: failed(error) }),
  );
});
