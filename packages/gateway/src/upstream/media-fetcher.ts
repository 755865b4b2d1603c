/**
 * Downloads files from URLs that callers send or upstreams return. Bounded in size, time, redirects and concurrency;
 * every hop passes the same checks; nothing is decompressed. The caller does not learn why a download failed: the
 * difference would let it map a private network.
 */
import { cannotCarry, GatewayError, type MediaKind } from '@trivium/protocol/canonical';
import { GatheredBytes } from '@trivium/protocol/framing';
import type { Dispatcher } from 'undici';
import type { FetchedMedia, MediaFetcher } from '../kernel/media.ts';
import { type Resolve, systemResolve } from './dialer.ts';
import { GuardedClient, type GuardedClientSettings } from './guarded-client.ts';
import type { OpenAnswer } from './one-request.ts';
import { sniffMedia } from './sniff-media.ts';

export type FetchSettings = GuardedClientSettings & { readonly maxBytes: number; readonly maxAtOnce: number };

export type FileStream = {
  /** The server's content type, which is not trusted. */
  readonly declaredType: string | undefined;
  /**
   * To be read to its end or returned early; it counts as running until then. Throws if it is too long or takes too
   * long.
   */
  readonly content: AsyncIterable<Uint8Array>;
};

const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'trivium' };

export class GuardedFetcher implements MediaFetcher {
  readonly #settings: FetchSettings;
  readonly #door: GuardedClient;
  #running = 0;

  constructor(settings: FetchSettings, ca: readonly string[] = [], resolve: Resolve = systemResolve) {
    this.#settings = settings;
    this.#door = new GuardedClient(settings, ca, resolve);
  }

  get running(): number {
    return this.#running;
  }

  async fetch(url: string, kind: MediaKind): Promise<FetchedMedia> {
    if (this.#running >= this.#settings.maxAtOnce)
      throw new GatewayError({ kind: 'overloaded', message: 'The gateway is fetching too many files at once.' });
    try {
      const gathered = new GatheredBytes();
      const { content } = await this.open(url, this.#settings);
      for await (const piece of content) gathered.push(piece);
      const whole = gathered.join();
      const bytes = Buffer.from(whole.buffer, whole.byteOffset, whole.length);
      const mimeType = sniffMedia(bytes, kind);
      if (mimeType === undefined) throw new Error(`not a known kind of ${kind}`);
      return { mimeType, base64: bytes.toString('base64') };
    } catch (error) {
      const failed = cannotCarry('block.media', `holds ${kind} input by URL, which could not be fetched`);
      throw Object.assign(failed, { cause: error });
    }
  }

  /** The file as a stream, for callers that store it without holding it whole. The timeout covers all of it. */
  async open(
    url: string,
    { maxBytes, timeoutMs }: { readonly maxBytes: number; readonly timeoutMs: number },
  ): Promise<FileStream> {
    this.#running++;
    let opened: OpenAnswer | undefined;
    let isOver = false;
    const over = async (): Promise<void> => {
      if (isOver) return;
      isOver = true;
      this.#running--;
      await opened?.close();
    };
    const signal = AbortSignal.timeout(timeoutMs);
    // Also for a stream that is never read.
    signal.addEventListener('abort', over, { once: true });
    try {
      opened = await this.#door.ask(url, { method: 'GET', headers: HEADERS, signal });
      const { answer } = opened;
      checkHead(answer, maxBytes);
      const type = answer.headers['content-type'];
      return {
        declaredType: typeof type === 'string' ? type : undefined,
        content: bounded(answer.body, maxBytes, over),
      };
    } catch (error) {
      await over();
      throw error;
    }
  }
}

function checkHead({ statusCode, headers }: Dispatcher.ResponseData, maxBytes: number): void {
  const encoding = headers['content-encoding'];
  if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  if (encoding !== undefined && encoding !== 'identity') throw new Error('a compressed file');
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw new Error('too large');
}

async function* bounded(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  over: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  try {
    for await (const piece of body) {
      length += piece.length;
      if (length > maxBytes) throw new Error('too large');
      yield piece;
    }
  } finally {
    await over();
  }
}
