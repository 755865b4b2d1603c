// `blobs`: where results that are too large for an answer are stored, and how callers reach them. Read, secrets are
// resolved and addresses can be dialled.

import Type, { type Static } from 'typebox';
import { parseHttpUrl } from '../reading/urls.ts';
import {
  type Building,
  bytes,
  flag,
  MIB,
  milliseconds,
  optionalSection,
  optionalText,
  section,
  text,
} from './parts.ts';

const s3 = optionalSection(
  {
    endpoint: text(2048, 'Address of the store, e.g. `https://s3.eu-central-1.amazonaws.com` or `http://minio:9000`.'),
    region: text(64, 'Region that requests are signed for; any word for stores that have none.', 'us-east-1'),
    bucket: text(63, 'Bucket; it must exist.'),
    prefix: Type.String({
      pattern: '^(?:[A-Za-z0-9._-]+/)*$',
      maxLength: 200,
      default: 'trivium/',
      description: 'What every key begins with, ending in a slash. Nothing outside is read or deleted.',
    }),
    pathStyle: flag(true, 'Name the bucket in the path. Off: before the host, as `https://bucket.host`.'),
    accessKeyId: text(1024, 'Access key, best as `env:NAME` or `file:/path`.'),
    secretAccessKey: text(4096, 'Its secret, best as `env:NAME` or `file:/path`.'),
    sessionToken: optionalText(8192, 'Token of a temporary access key.'),
  },
  'An S3-compatible store instead of the folder; `blobs.folder` then holds only uploads in progress.',
);

export const blobsSchema = section(
  {
    folder: text(1024, 'Folder for results. Several nodes need a shared one, or `blobs.s3`.', '.trivium/blobs'),
    s3,
    maxBytes: bytes(512 * MIB, 1024, 'Largest result stored, in bytes.'),
    mount: Type.String({
      minLength: 2,
      maxLength: 200,
      default: '/api/blobs',
      description: 'Path prefix of links to results.',
    }),
    publicUrl: optionalText(
      2048,
      'Origin that links begin with, e.g. `https://gateway.example.com`. Without it: the host of the request.',
    ),
    linkMs: milliseconds(3_600_000, 'How long a link is valid; every answer that names the result contains a new one.'),
  },
  'Results that callers download through a signed link, such as videos.',
);

type BlobsData = Static<typeof blobsSchema>;
type S3Data = NonNullable<BlobsData['s3']>;

export type BlobSettings = Omit<BlobsData, 's3' | 'publicUrl'> & {
  readonly publicOrigin?: string;
  readonly s3?: Omit<S3Data, 'endpoint' | 'bucket' | 'pathStyle'> & {
    readonly origin: string;
    /** Empty if the host name contains the bucket. */
    readonly bucketPath: string;
  };
};

const buildS3 = (data: S3Data, building: Building): BlobSettings['s3'] => {
  const at = (field: string) => ['blobs', 's3', field];
  const url = parseHttpUrl(data.endpoint);
  if (url === undefined || url.pathname !== '/' || url.search !== '')
    building.report(at('endpoint'), 'must be an http or https URL without a path');
  const accessKeyId = building.secret(data.accessKeyId, at('accessKeyId'));
  const secretAccessKey = building.secret(data.secretAccessKey, at('secretAccessKey'));
  const sessionToken =
    data.sessionToken === undefined ? undefined : building.secret(data.sessionToken, at('sessionToken'));
  if (url === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  const { region, bucket, prefix, pathStyle } = data;
  if (!pathStyle) url.host = `${bucket}.${url.host}`;
  return {
    origin: url.origin,
    bucketPath: pathStyle ? `/${bucket}` : '',
    region,
    prefix,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
  };
};

export const buildBlobs = (data: BlobsData, building: Building): BlobSettings => {
  const { s3: given, publicUrl, ...rest } = data;
  const publicOrigin = publicUrl === undefined ? undefined : parseHttpUrl(publicUrl)?.origin;
  if (publicUrl !== undefined && publicOrigin !== publicUrl.replace(/\/$/, ''))
    building.report(['blobs', 'publicUrl'], 'must be an origin such as https://gateway.example.com');
  const s3 = given === undefined ? undefined : buildS3(given, building);
  return { ...rest, ...(publicOrigin !== undefined && { publicOrigin }), ...(s3 !== undefined && { s3 }) };
};
