/**
 * The client for hosts that callers or upstreams name: which URLs may be requested at all, and a connection that
 * reaches only permitted addresses. Every hop passes the same checks; no proxy, no cookies, no shared connections.
 */
import { isIP } from 'node:net';
import { dialer, type Resolve, systemResolve } from './dialer.ts';
import { askOnce, type OneRequest, type OpenAnswer } from './one-request.ts';
import { isPublicAddress, rangesOf } from './public-addresses.ts';

export type GuardedClientSettings = {
  readonly schemes: readonly string[];
  readonly ports: readonly number[];
  /** Ranges that may be reached although they are not public. */
  readonly alsoAddresses: readonly string[];
  readonly maxRedirects: number;
  readonly timeoutMs: number;
};

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
const MAX_URL_LENGTH = 4096;

export class GuardedClient {
  readonly #settings: GuardedClientSettings;
  readonly #mayReach: (address: string) => boolean;
  readonly #dial: ReturnType<typeof dialer>;

  constructor(settings: GuardedClientSettings, ca: readonly string[] = [], resolve: Resolve = systemResolve) {
    this.#settings = settings;
    const also = rangesOf(settings.alsoAddresses);
    this.#mayReach = (address) => isPublicAddress(address) || also(address);
    this.#dial = dialer({ by: 'caller', mayReach: this.#mayReach, resolve }, { connectMs: settings.timeoutMs, ca });
  }

  /** Whether the URL itself may be requested; the addresses of its name are checked when it is. */
  admits(url: string): boolean {
    try {
      const { hostname } = this.#admitted(url, undefined);
      const literal = hostname.replace(/^\[|\]$/g, '');
      return isIP(literal) === 0 || this.#mayReach(literal);
    } catch {
      return false;
    }
  }

  /**
   * Throws for a URL that may not be requested, for redirects to one, without a location, and for too many redirects.
   */
  async ask(given: string, request: OneRequest): Promise<OpenAnswer> {
    let url = this.#admitted(given, undefined);
    for (let hops = 0; hops <= this.#settings.maxRedirects; hops++) {
      const opened = await askOnce(url, request, this.#dial);
      if (!REDIRECTS.has(opened.answer.statusCode)) return opened;
      const location = opened.answer.headers['location'];
      await opened.close();
      if (typeof location !== 'string') throw new Error('a redirect without a location');
      url = this.#admitted(location, url);
    }
    throw new Error('too many redirects');
  }

  /** Parsed once, and the parsed URL is what is dialled: no second parser can see another host in the text. */
  #admitted(text: string, base: URL | undefined): URL {
    const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text, base);
    const { schemes, ports } = this.#settings;
    if (url === null || !schemes.includes(url.protocol.slice(0, -1))) throw new Error('not an allowed URL');
    const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port);
    if (port === undefined || !ports.includes(port)) throw new Error('not an allowed port');
    if (url.username !== '' || url.password !== '') throw new Error('a URL with credentials');
    return url;
  }
}
