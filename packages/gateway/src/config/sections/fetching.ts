// `media` and `webhooks`: how the gateway connects to addresses from callers and upstreams: files by URL, and webhooks.

import Type, { type Static } from 'typebox';
import { type Building, bytes, checkRanges, count, flag, integer, list, MIB, milliseconds, section } from './parts.ts';

const destinations = {
  schemes: list(Type.Enum(['https', 'http']), 2, ['https'], 'Schemes a URL may have.'),
  ports: list(Type.Integer({ minimum: 1, maximum: 65_535 }), 16, [443], 'Ports a URL may name or imply.'),
  alsoAddresses: list(
    Type.String({ minLength: 2, maxLength: 64 }),
    100,
    [],
    'Addresses or ranges that may be reached although they are not public, e.g. `10.1.2.0/24`.',
  ),
};

export const mediaSchema = section(
  {
    fetch: section(
      {
        enabled: flag(
          false,
          'Download files that callers give by URL, if the host of the model would not. Images that hosts return as a URL are downloaded in any case, within the same limits.',
        ),
        ...destinations,
        maxBytes: bytes(20 * MIB, 1024, 'Largest file downloaded, in bytes.'),
        maxRedirects: integer(0, 10, 3, 'Most redirects followed; each is checked like the first URL.'),
        maxAtOnce: count(
          16,
          'Most concurrent downloads. Beyond it, files from callers are refused as overload; images from hosts are queued.',
        ),
        timeoutMs: milliseconds(10_000, 'Time for one file as a whole, redirects included.'),
      },
      'The fetcher of files by URL. It reaches public addresses only and uses no proxy.',
    ),
  },
  'Images, documents and audio in requests.',
);

export const webhooksSchema = section(
  {
    ...destinations,
    timeoutMs: milliseconds(15_000, 'Time a receiver has to answer. What it does not answer in time is tried again.'),
    lookEveryMs: milliseconds(
      1_000,
      'How often each node checks for due messages while one is due, or while it is not notified of new ones.',
    ),
    maxAtOnce: count(32, 'Most messages a node is sending at once.'),
  },
  'Messages to accounts about their finished operations. They reach public addresses only; see `docs/call/webhooks.md`.',
);

export const checkFetching = (
  media: Static<typeof mediaSchema>,
  webhooks: Static<typeof webhooksSchema>,
  building: Building,
): void => {
  checkRanges(media.fetch.alsoAddresses, ['media', 'fetch', 'alsoAddresses'], building);
  checkRanges(webhooks.alsoAddresses, ['webhooks', 'alsoAddresses'], building);
};
