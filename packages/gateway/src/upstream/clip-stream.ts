/**
 * Streams video clips from URLs that upstreams return. The host that made a clip is called like the operator's own,
 * with the credential if one is needed; any other host is untrusted: guarded, and without a credential.
 */
import type { Readable } from 'node:stream';
import type { ClipFetcher } from '../kernel/video.ts';
import { ByteClient } from './byte-client.ts';
import type { GuardedFetcher } from './media-fetcher.ts';

export type ClipStreamSettings = {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly silenceMs: number;
  readonly connectMs: number;
  readonly ca: readonly string[];
};

type OpenedClip = Awaited<ReturnType<ClipFetcher['open']>>;
type Own = Parameters<ClipFetcher['open']>[1];

/** Redirects of the host that made a clip to itself. */
const MOST_REDIRECTS = 3;

export class ClipStream implements ClipFetcher {
  readonly #settings: ClipStreamSettings;
  readonly #strangers: Pick<GuardedFetcher, 'open'>;

  constructor(settings: ClipStreamSettings, strangers: Pick<GuardedFetcher, 'open'>) {
    this.#settings = settings;
    this.#strangers = strangers;
  }

  open(url: string, own: Own): Promise<OpenedClip> {
    return this.#open(url, own, MOST_REDIRECTS);
  }

  #open(url: string, own: Own, redirectsLeft: number): Promise<OpenedClip> {
    return URL.parse(url)?.origin === own.origin ? this.#fromOwn(url, own, redirectsLeft) : this.#fromStranger(url);
  }

  async #fromStranger(url: string): Promise<OpenedClip> {
    const { content } = await this.#strangers.open(url, this.#settings);
    return { content, close: () => undefined };
  }

  async #fromOwn(url: string, own: Own, redirectsLeft: number): Promise<OpenedClip> {
    const { silenceMs, connectMs, ca } = this.#settings;
    const { origin, pathname, search } = new URL(url);
    const client = new ByteClient({ origin, connections: 1, connectMs, silenceMs, ca });
    const close = (): void => void client.close();
    try {
      const headers = pairsOf(own.headers);
      const { status, header, body } = await client.request({ method: 'GET', path: pathname + search, headers });
      if (status === 200) return { content: body, close };
      const elsewhere = status >= 300 && status < 400 ? header('location') : undefined;
      discard(body);
      close();
      const next = elsewhere === undefined ? null : URL.parse(elsewhere, url);
      if (next === null) throw new Error(`status ${status}`);
      if (redirectsLeft === 0) throw new Error('too many redirects');
      // Where a download is at another host, the redirect URL carries its own authorisation.
      return await this.#open(next.href, own, redirectsLeft - 1);
    } catch (error) {
      close();
      throw error;
    }
  }
}

/** Destroying a body emits an error; without a listener it would end the process. */
const discard = (body: Readable): void => {
  body.on('error', () => undefined).destroy();
};

function pairsOf(headers: readonly string[]): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (let at = 0; at + 1 < headers.length; at += 2) pairs[headers[at] ?? ''] = headers[at + 1] ?? '';
  return pairs;
}
