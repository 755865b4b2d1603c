// AWS Signature Version 4 over one request, synchronously: the library derives and caches the day's key.

import aws4 from 'aws4';
import type { Clock } from '../../kernel/clock.ts';
import type { RequestSigner, UpstreamRequest } from '../../kernel/upstream.ts';
import type { AwsCredential, AwsKeys } from '../../models/providers/signers/credentials.ts';
import { type Issued, Renewed } from './renewed.ts';

/** `20261115T034500Z`, the time format of a signature. */
export const amzDate = (nowMs: number): string => new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');

const bearerSigner = (token: string): RequestSigner => {
  const headers = ['authorization', `Bearer ${token}`];
  return { sign: () => headers };
};

type Place = {
  readonly service: string;
  readonly region: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

export const sigv4Signer = (credential: AwsCredential, place: Place, clock: Clock): RequestSigner => {
  if (credential.kind === 'bearer') return bearerSigner(credential.token);
  const sign = signingAt(place, clock);
  return { sign: (request) => sign(credential, request) };
};

/** With temporary keys, which are renewed. `isProlonged`: used beyond their end while the issuer is away. */
export const renewedSigv4Signer = (
  issue: () => Promise<Issued<AwsKeys>>,
  place: Place,
  clock: Clock,
  isProlonged: boolean,
): RequestSigner => {
  const sign = signingAt(place, clock);
  const keys = new Renewed(issue, clock, isProlonged);
  return {
    sign: (request) => {
      const current = keys.get();
      return current instanceof Promise ? current.then((fetched) => sign(fetched, request)) : sign(current, request);
    },
    // Keys are known by their session.
    refused: (headers) => keys.refused(({ sessionToken = '' }) => headers.includes(sessionToken)),
    state: () => keys.state,
  };
};

const signingAt =
  ({ headers: fixed, ...place }: Place, clock: Clock) =>
  (
    { accessKeyId, secretAccessKey, sessionToken }: AwsKeys,
    { origin, path, body }: UpstreamRequest,
  ): readonly string[] => {
    const keys = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
    if (typeof body !== 'string') throw new Error('a form cannot be signed');
    const { headers = {} } = aws4.sign(
      {
        ...place,
        method: 'POST',
        host: new URL(origin).host,
        path,
        body,
        // Only headers that must not change on the way are signed; a proxy may add or drop others.
        headers: { 'content-type': 'application/json', ...fixed, 'x-amz-date': amzDate(clock.nowMs()) },
      },
      keys,
    );
    return ADDED.flatMap(([signed, name]) => {
      const value = headers[signed];
      return value === undefined ? [] : [name, String(value)];
    });
  };

/** Headers to add, as the library spells them and as we do. */
const ADDED = [
  ['x-amz-date', 'x-amz-date'],
  ['X-Amz-Security-Token', 'x-amz-security-token'],
  ['Authorization', 'authorization'],
] as const;
