/** POST to an address that an operator has named, private ones included. Redirects are not followed. */
import { Client } from 'undici';
import { dialer } from './dialer.ts';
import type { GuardedRequest, OpenAnswer } from './guarded-client.ts';

const MAX_HEAD_BYTES = 16_384;

export async function operatorPost(
  url: string,
  { headers, body, signal }: Omit<GuardedRequest, 'method'>,
  connectMs: number,
  ca: readonly string[],
): Promise<OpenAnswer> {
  const { origin, pathname, search } = new URL(url);
  const connect = dialer({ by: 'operator' }, { connectMs, ca });
  const client = new Client(origin, { connect, pipelining: 0, maxHeaderSize: MAX_HEAD_BYTES });
  try {
    const path = pathname + search;
    const answer = await client.request({ path, method: 'POST', headers: { ...headers }, body: body ?? null, signal });
    return {
      answer,
      close: async () => {
        answer.body.on('error', () => undefined).destroy();
        await client.destroy();
      },
    };
  } catch (error) {
    await client.destroy();
    throw error;
  }
}
