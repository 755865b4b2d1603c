/** A stand with its own database, and the admin API as an operator calls it. */

import type { Config } from '@trivium/gateway';
import { freshDatabase, type TestDatabase } from './database.ts';
import { type ChatReply, openStand, postChat, type Stand, type StandOptions, standConfig } from './stand.ts';

export const OPERATOR_SECRET = 'sk-operator-canary-0123456789abcdefghijklmnopqrstuv';

type AdminReply = {
  readonly status: number;
  readonly text: string;
  readonly json: Record<string, unknown>;
  readonly headers: Headers;
};

export type AdminStand = Stand & {
  readonly database: TestDatabase;
  /** Path below `/admin/v1`; as the operator unless another credential is given. */
  admin(method: string, path: string, body?: unknown, secret?: string): Promise<AdminReply>;
  /** A new account and a managing key of it. */
  newAccount(
    id: string,
    rights?: Record<string, unknown>,
  ): Promise<{ readonly keyId: string; readonly secret: string }>;
  chat(secret: string, more?: Record<string, unknown>): Promise<ChatReply>;
  /** Its configuration, loaded again. */
  config(): Config;
};

export async function callAdmin(
  adminUrl: string,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
) {
  const response = await fetch(`${adminUrl}/admin/v1${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const type = response.headers.get('content-type') ?? '';
  const isEndless = type.startsWith('text/event-stream');
  if (isEndless) await response.body?.cancel();
  const text = isEndless ? '' : await response.text();
  return {
    status: response.status,
    text,
    json: (type.startsWith('application/json') ? JSON.parse(text) : {}) as Record<string, unknown>,
    headers: response.headers,
  };
}

export async function openAdminStand(options: StandOptions = {}, given?: TestDatabase): Promise<AdminStand> {
  const database = given ?? (await freshDatabase());
  const stored: StandOptions = {
    ...options,
    config: (simulatorUrl) => {
      const own = options.config?.(simulatorUrl);
      return {
        ...own,
        admin: { host: '127.0.0.1', port: 0, secret: OPERATOR_SECRET },
        database: { ...(own?.['database'] as object | undefined), url: database.url },
      };
    },
  };
  const stand = await openStand(stored);
  const admin: AdminStand['admin'] = (method, path, body, secret = OPERATOR_SECRET) =>
    callAdmin(stand.gateway.adminUrl, method, path, body, { authorization: `Bearer ${secret}` });
  return {
    ...stand,
    database,
    config: () => standConfig(stand.simulator.url, stored, stand.simulator),
    admin,
    newAccount: async (id, rights = { manages: 'owner' }) => {
      const made = await admin('POST', '/accounts', { id, name: id, kind: 'unlimited' });
      if (made.status !== 201) throw new Error(made.text);
      const { status, json, text } = await admin('POST', `/accounts/${id}/keys`, { name: 'first', rights });
      if (status !== 201) throw new Error(text);
      return { keyId: (json['key'] as { id: string }).id, secret: json['secret'] as string };
    },
    chat: (secret, more = {}) =>
      postChat(
        stand,
        { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }], ...more },
        { authorization: `Bearer ${secret}` },
      ),
    close: async () => {
      await stand.close();
      if (given === undefined) await database.drop();
    },
  };
}
