// Schema of `blobs`: where results that are too large for an answer are stored, and how callers reach them.

import Type, { type Static } from 'typebox';
import { bytes, closed, MIB, milliseconds, section } from './schema-parts.ts';

const text = (description: string, maxLength = 1024) => Type.String({ minLength: 1, maxLength, description });

const s3 = Type.Object(
  {
    endpoint: text('Address of the store, e.g. `https://s3.eu-central-1.amazonaws.com` or `http://minio:9000`.', 2048),
    region: Type.String({
      minLength: 1,
      maxLength: 64,
      default: 'us-east-1',
      description: 'Region that requests are signed for; any word for stores that have none.',
    }),
    bucket: text('Bucket; it must exist.', 63),
    prefix: Type.String({
      pattern: '^(?:[A-Za-z0-9._-]+/)*$',
      maxLength: 200,
      default: 'trivium/',
      description: 'What every key begins with, ending in a slash. Nothing outside is read or deleted.',
    }),
    pathStyle: Type.Boolean({
      default: true,
      description: 'Name the bucket in the path. Off: before the host, as `https://bucket.host`.',
    }),
    accessKeyId: text('Access key, best as `env:NAME` or `file:/path`.'),
    secretAccessKey: text('Its secret, best as `env:NAME` or `file:/path`.', 4096),
    sessionToken: Type.Optional(text('Token of a temporary access key.', 8192)),
  },
  {
    ...closed,
    description: 'An S3-compatible store instead of the folder; `blobs.folder` then holds only uploads in progress.',
  },
);

export const blobsSchema = section(
  {
    folder: Type.String({
      minLength: 1,
      maxLength: 1024,
      default: '.trivium/blobs',
      description: 'Folder for results. Several nodes need a shared one, or `blobs.s3`.',
    }),
    s3: Type.Optional(s3),
    maxBytes: bytes(512 * MIB, 1024, 'Largest result stored, in bytes.'),
    mount: Type.String({
      minLength: 2,
      maxLength: 200,
      default: '/api/blobs',
      description: 'Path prefix of links to results.',
    }),
    publicUrl: Type.Optional(
      text(
        'Origin that links begin with, e.g. `https://gateway.example.com`. Without it: the host of the request.',
        2048,
      ),
    ),
    linkMs: milliseconds(3_600_000, 'How long a link is valid; every answer that names the result contains a new one.'),
  },
  'Results that callers download through a signed link, such as videos.',
);

export type BlobsData = Static<typeof blobsSchema>;
