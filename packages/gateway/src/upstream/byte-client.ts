/** Requests to one host of the operator whose bodies are bytes in both directions, streamed with backpressure. */
import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import { dialer } from './dialer.ts';

export type ByteRequest = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Readable;
};

export type ByteAnswer = {
  readonly status: number;
  header(name: string): string | undefined;
  /** Must be read to its end, destroyed or discarded. */
  readonly body: Readable;
  /** Reads a short rest, so that the connection can be reused; closes the connection if there is more. */
  discard(): Promise<void>;
};

export type ByteClientOptions = {
  readonly origin: string;
  readonly connections: number;
  readonly connectMs: number;
  /** Longest silence of the host in ms, before its answer and in the middle of it. */
  readonly silenceMs: number;
  readonly ca: readonly string[];
};

const MAX_DISCARDED_BYTES = 65_536;

export class ByteClient {
  readonly #pool: Pool;

  constructor({ origin, connections, connectMs, silenceMs, ca }: ByteClientOptions) {
    this.#pool = new Pool(origin, {
      connections,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
      connect: dialer({ by: 'operator' }, { connectMs, ca }),
    });
  }

  async request({ method, path, headers, body }: ByteRequest): Promise<ByteAnswer> {
    const answer = await this.#pool.request({ method, path, headers: { ...headers }, body: body ?? null });
    return {
      status: answer.statusCode,
      header: (name) => {
        const value = answer.headers[name];
        return Array.isArray(value) ? value[0] : value;
      },
      body: answer.body,
      discard: () => answer.body.dump({ limit: MAX_DISCARDED_BYTES }),
    };
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
