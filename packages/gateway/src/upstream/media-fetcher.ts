/**
 * Files behind URLs that callers give, for upstreams that fetch none themselves. Off unless configured. Bounded in size,
 * time, redirects and number at once; every hop passes the same checks; no proxy, no cookies, no credentials, nothing
 * decompressed. Why a fetch failed is not told to the caller, who could map a private network by the difference.
 */
import { cannotCarry, GatewayError, type MediaKind } from '@trivium/protocol/canonical';
import { Client, type Dispatcher } from 'undici';
import type { FetchedMedia, MediaFetcher } from '../engine/ports.ts';
import { dialer, type Resolve, systemResolve } from './dialer.ts';
import { isPublicAddress, rangesOf } from './public-addresses.ts';
import { sniffMedia } from './sniff-media.ts';

export type FetchSettings = {
  readonly schemes: readonly string[];
  readonly ports: readonly number[];
  /** Ranges that may be reached although they are not public. */
  readonly alsoAddresses: readonly string[];
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly maxAtOnce: number;
  readonly timeoutMs: number;
};

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
const MAX_URL_LENGTH = 4096;
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'trivium' };

/** A body that is given up says so as an error, which nobody but us could hear. */
const discard = (body: Dispatcher.ResponseData['body']): void => {
  body.on('error', () => undefined).destroy();
};

export class GuardedFetcher implements MediaFetcher {
  readonly #settings: FetchSettings;
  readonly #dial: ReturnType<typeof dialer>;
  #running = 0;

  constructor(settings: FetchSettings, ca: readonly string[] = [], resolve: Resolve = systemResolve) {
    this.#settings = settings;
    const also = rangesOf(settings.alsoAddresses);
    const mayReach = (address: string): boolean => isPublicAddress(address) || also(address);
    this.#dial = dialer({ by: 'caller', mayReach, resolve }, { connectMs: settings.timeoutMs, ca });
  }

  get running(): number {
    return this.#running;
  }

  async fetch(url: string, kind: MediaKind): Promise<FetchedMedia> {
    if (this.#running >= this.#settings.maxAtOnce)
      throw new GatewayError({ kind: 'overloaded', message: 'The gateway is fetching too many files at once.' });
    this.#running++;
    try {
      const bytes = await this.#follow(url, AbortSignal.timeout(this.#settings.timeoutMs));
      const mimeType = sniffMedia(bytes, kind);
      if (mimeType === undefined) throw new Error(`not a known kind of ${kind}`);
      return { mimeType, base64: bytes.toString('base64') };
    } catch (error) {
      const failed = cannotCarry('block.media', `holds ${kind} input by URL, which could not be fetched`);
      throw Object.assign(failed, { cause: error });
    } finally {
      this.#running--;
    }
  }

  async #follow(given: string, signal: AbortSignal): Promise<Buffer> {
    let url = this.#admitted(given, undefined);
    for (let hops = 0; hops <= this.#settings.maxRedirects; hops++) {
      const client = new Client(url.origin, { connect: this.#dial, pipelining: 0, maxHeaderSize: 16_384 });
      try {
        const answer = await client.request({
          path: url.pathname + url.search,
          method: 'GET',
          headers: HEADERS,
          signal,
        });
        if (!REDIRECTS.has(answer.statusCode)) return await this.#read(answer);
        const location = answer.headers['location'];
        discard(answer.body);
        if (typeof location !== 'string') throw new Error('a redirect to nowhere');
        url = this.#admitted(location, url);
      } finally {
        await client.destroy();
      }
    }
    throw new Error('too many redirects');
  }

  /** Parsed once, and the parsed URL is what is dialled: no second reader of the text can see another host in it. */
  #admitted(text: string, base: URL | undefined): URL {
    const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text, base);
    const { schemes, ports } = this.#settings;
    if (url === null || !schemes.includes(url.protocol.slice(0, -1))) throw new Error('not an allowed URL');
    const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port);
    if (port === undefined || !ports.includes(port)) throw new Error('not an allowed port');
    if (url.username !== '' || url.password !== '') throw new Error('a URL with credentials');
    return url;
  }

  async #read({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Buffer> {
    const { maxBytes } = this.#settings;
    const encoding = headers['content-encoding'];
    try {
      if (statusCode !== 200) throw new Error(`status ${statusCode}`);
      if (encoding !== undefined && encoding !== 'identity') throw new Error('a compressed file');
      if (Number(headers['content-length'] ?? 0) > maxBytes) throw new Error('too large');
      const pieces: Buffer[] = [];
      let length = 0;
      for await (const piece of body) {
        length += (piece as Buffer).length;
        if (length > maxBytes) throw new Error('too large');
        pieces.push(piece as Buffer);
      }
      return Buffer.concat(pieces);
    } finally {
      discard(body);
    }
  }
}
