/** The addresses to listen on: free, or in use by a running gateway. */
import type { Config } from '../../config/config.ts';
import { requireFree } from '../../http/listening.ts';
import { type Finding, reasonOf } from './finding.ts';

type Address = Pick<Config['listen'], 'host' | 'port'>;

const METRICS_LIMIT_MS = 2000;

/** Recognised by its metrics, which no other program has. */
const isGateway = async ({ host, port }: Address): Promise<boolean> => {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  try {
    const reply = await fetch(`http://${name}:${port}/metrics`, { signal: AbortSignal.timeout(METRICS_LIMIT_MS) });
    return (await reply.text()).includes('trivium_');
  } catch {
    return false;
  }
};

export async function diagnosePorts({ listen, admin }: Config): Promise<readonly Finding[]> {
  const runs = await isGateway(admin);
  const one = async (check: string, setting: string, address: Address): Promise<Finding> => {
    const place = `${address.host}:${address.port}`;
    try {
      await requireFree([address]);
      return { check, status: 'ok', detail: `${place} is free` };
    } catch (error) {
      if (runs) return { check, status: 'ok', detail: `${place} is in use by a running gateway` };
      return {
        check,
        status: 'fail',
        detail: reasonOf(error),
        next: `end the program that has it, or change ${setting}`,
      };
    }
  };
  return Promise.all([
    one('Port', 'listen.port', listen),
    one('Admin port', 'admin.port', admin),
    ...(admin.members === undefined ? [] : [one('Port for members', 'admin.members.port', admin.members)]),
  ]);
}
