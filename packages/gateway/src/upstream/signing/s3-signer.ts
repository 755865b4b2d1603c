// AWS Signature Version 4 for object stores: the digest of the content is part of what is signed.

import aws4 from 'aws4';
import type { Clock } from '../../kernel/clock.ts';
import { amzDate } from './sigv4-signer.ts';

export type S3Credential = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

export type S3Request = {
  readonly method: string;
  /** With its query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, in hex. */
  readonly bodySha256: string;
};

/** Returns all headers of the request, including the given ones. */
export const s3Signer =
  (credential: S3Credential, place: { readonly host: string; readonly region: string }, clock: Clock) =>
  ({ method, path, headers, bodySha256 }: S3Request): Record<string, string> => {
    const signed = aws4.sign(
      {
        ...place,
        service: 's3',
        method,
        path,
        headers: { ...headers, 'x-amz-content-sha256': bodySha256, 'x-amz-date': amzDate(clock.nowMs()) },
      },
      { ...credential },
    );
    return Object.fromEntries(Object.entries(signed.headers ?? {}).map(([name, value]) => [name, String(value)]));
  };
