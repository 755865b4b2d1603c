/** The simulator as a separate process, driven through its control API: one host that can fail, stall or be stopped. */
import type { TruthEntry } from '@trivium/simulator';
import { choosePorts } from '../../../bench/ports.ts';
import { awaitReady, type Child, startTrivium } from './child.ts';
import { oneShot } from './one-shot.ts';

const CONTROL_LIMIT_MS = 15_000;
/** More requests than any scenario sends. */
const EVERY_REQUEST = 10_000_000;

type Open = { readonly sockets: number; readonly requests: number; readonly streams: number };

export type SimulatorProcess = {
  readonly url: string;
  readonly child: Child;
  /** From now on every request (of this host, if named) gets this instruction, until `heal`. */
  breakWith(instruction: string, host?: string): Promise<void>;
  /** The next `times` requests get this instruction, after those armed before. */
  arm(instruction: string, times: number): Promise<void>;
  heal(): Promise<void>;
  truth(): Promise<readonly TruthEntry[]>;
  forget(): Promise<void>;
  /** Not counting the connection of this query. */
  open(): Promise<Open>;
};

export async function startSimulatorProcess(folder: string, name: string): Promise<SimulatorProcess> {
  const [port] = await choosePorts(1, undefined);
  const child = startTrivium(name, ['simulate', '--port', String(port)], folder);
  const url = `http://127.0.0.1:${port}`;
  await awaitReady(child, `${url}/_simulator/health`);
  const control = async (method: string, action: string, body?: object): Promise<unknown> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const page = await oneShot(method, `${url}/_simulator/${action}`, CONTROL_LIMIT_MS, text);
    const answer: unknown = JSON.parse(page.text);
    if (page.status !== 200) throw new Error(`${name}, ${method} ${action}: ${page.text}`);
    return answer;
  };
  return {
    url,
    child,
    breakWith: async (instruction, host) => {
      const match = host === undefined ? {} : { host };
      await control('POST', 'arm', { instruction, match, times: EVERY_REQUEST });
    },
    arm: async (instruction, times) => void (await control('POST', 'arm', { instruction, match: {}, times })),
    heal: async () => void (await control('DELETE', 'arm')),
    truth: async () => (await control('GET', 'truth')) as readonly TruthEntry[],
    forget: async () => void (await control('DELETE', 'truth')),
    open: async () => {
      const open = (await control('GET', 'open')) as Open;
      return { ...open, sockets: open.sockets - 1 };
    },
  };
}
