// From `blobs` in the file to settings with secrets resolved and addresses that can be dialled.

import type { Building } from './building.ts';
import type { BlobSettings } from './config.ts';
import type { BlobsData } from './schema-blobs.ts';
import { parseHttpUrl } from './urls.ts';

const buildS3 = (data: NonNullable<BlobsData['s3']>, building: Building): BlobSettings['s3'] => {
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
