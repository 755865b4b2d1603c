/** The admin API of a gateway process, as its operator calls it. */
import { callAdmin } from '../../support/admin-stand.ts';
import { type GatewayProcess, OPERATOR_SECRET } from './gateway-process.ts';

export type MadeKey = { readonly id: string; readonly accountId: string; readonly secret: string };

export async function operate(
  { adminUrl }: GatewayProcess,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const reply = await callAdmin(adminUrl, method, path, body, { authorization: `Bearer ${OPERATOR_SECRET}` });
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  return reply.json;
}

export const newAccount = (gateway: GatewayProcess, id: string): Promise<unknown> =>
  operate(gateway, 'POST', '/accounts', { id, name: id, kind: 'unlimited' });

export async function newKey(gateway: GatewayProcess, accountId: string, rights: object = {}): Promise<MadeKey> {
  const made = await operate(gateway, 'POST', `/accounts/${accountId}/keys`, { name: 'rt', rights });
  return { id: (made['key'] as { id: string }).id, accountId, secret: made['secret'] as string };
}
