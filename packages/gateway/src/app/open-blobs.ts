/** The configured blob store with all its dependencies; part of the composition root. */
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { systemClock } from '../kernel/clock.ts';
import type { BlobStore } from '../media/blobs/blob-store.ts';
import { FolderStore } from '../media/blobs/folder-store.ts';
import { KeptBlobs } from '../media/blobs/kept-blobs.ts';
import { S3Store } from '../media/blobs/s3-store.ts';
import type { Log } from '../telemetry/log.ts';
import { ByteClient } from '../upstream/byte-client.ts';
import { s3Signer } from '../upstream/signing/s3-signer.ts';

/** Concurrent transfers: more wait for a connection. */
const S3_CONNECTIONS = 64;
const SPOOL = '.spool';

export function openBlobStore({ blobs, timeouts, upstream }: Config): BlobStore {
  const { folder, maxBytes, s3 } = blobs;
  if (s3 === undefined) return new FolderStore({ folder, maxBytes }, systemClock.nowMs);
  const client = new ByteClient({
    origin: s3.origin,
    connections: S3_CONNECTIONS,
    connectMs: timeouts.connectMs,
    silenceMs: timeouts.silenceMs,
    ca: upstream.ca,
  });
  const { accessKeyId, secretAccessKey, sessionToken } = s3;
  return new S3Store(
    { bucketPath: s3.bucketPath, prefix: s3.prefix, spoolFolder: join(folder, SPOOL), maxBytes },
    {
      send: (request) => client.request(request),
      sign: s3Signer(
        { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
        { host: new URL(s3.origin).host, region: s3.region },
        systemClock,
      ),
      close: () => client.close(),
      nowMs: systemClock.nowMs,
    },
  );
}

/** The store is that of the start; the form of links may change with the configuration. */
export function openBlobs(config: () => Config, log: Log): KeptBlobs {
  const kept = new KeptBlobs({
    store: openBlobStore(config()),
    links: () => {
      const { blobs, seals } = config();
      return { ...blobs, keys: seals.keys };
    },
    nowMs: systemClock.nowMs,
    onTrouble: (error) => log.warn('expired media not deleted', { problem: String(error) }),
  });
  kept.start();
  return kept;
}
