/** One request on its own connection: nothing pooled, no redirect followed, head bounded. */
import { Client, type Dispatcher } from 'undici';
import type { dialer } from './dialer.ts';

export type OneRequest = {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
};

/** The caller closes it, whether or not the body was read. */
export type OpenAnswer = { readonly answer: Dispatcher.ResponseData; close(): Promise<void> };

const MAX_HEAD_BYTES = 16_384;

export async function askOnce(
  { origin, pathname, search }: URL,
  { method, headers, body, signal }: OneRequest,
  connect: ReturnType<typeof dialer>,
): Promise<OpenAnswer> {
  const client = new Client(origin, { connect, pipelining: 0, maxHeaderSize: MAX_HEAD_BYTES });
  try {
    const path = pathname + search;
    const answer = await client.request({ path, method, headers: { ...headers }, body: body ?? null, signal });
    return {
      answer,
      close: async () => {
        // Destroying a body emits an error that no other listener would handle.
        answer.body.on('error', () => undefined).destroy();
        await client.destroy();
      },
    };
  } catch (error) {
    await client.destroy();
    throw error;
  }
}
