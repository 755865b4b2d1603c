/** The simulator as a process of its own, driven through its control API: one host that can fail, stall or be stopped. */
import type { TruthEntry } from '@trivium/simulator';
import { choosePorts } from '../../../bench/ports.ts';
import { awaitReady, type Child, startTrivium } from './child.ts';

const CONTROL_LIMIT_MS = 15_000;
/** More requests than any scenario sends. */
const EVERY_REQUEST = 10_000_000;

export type Open = { readonly sockets: number; readonly requests: number; readonly streams: number };

export type SimulatorProcess = {
  readonly url: string;
  readonly child: Child;
  /** From now on every request (of this host, if named) gets this instruction, until `heal`. */
  breakWith(instruction: string, host?: string): Promise<void>;
  heal(): Promise<void>;
  truth(): Promise<readonly TruthEntry[]>;
  forget(): Promise<void>;
  /** Without the connection that asks. */
  open(): Promise<Open>;
};

export async function startSimulatorProcess(folder: string, name: string): Promise<SimulatorProcess> {
  const [port] = await choosePorts(1, undefined);
  const child = startTrivium(name, ['simulate', '--port', String(port)], folder);
  const url = `http://127.0.0.1:${port}`;
  await awaitReady(child, `${url}/_simulator/health`);
  const control = async (method: string, action: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${url}/_simulator/${action}`, {
      method,
      // A connection kept for the next question would be counted as one of the gateway's.
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(CONTROL_LIMIT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${name}, ${method} ${action}: ${JSON.stringify(answer)}`);
    return answer;
  };
  return {
    url,
    child,
    breakWith: async (instruction, host) => {
      const match = host === undefined ? {} : { host };
      await control('POST', 'arm', { instruction, match, times: EVERY_REQUEST });
    },
    heal: async () => void (await control('DELETE', 'arm')),
    truth: async () => (await control('GET', 'truth')) as readonly TruthEntry[],
    forget: async () => void (await control('DELETE', 'truth')),
    open: async () => {
      const open = (await control('GET', 'open')) as Open;
      return { ...open, sockets: open.sockets - 1 };
    },
  };
}
