// AWS Signature Version 4, recomputed from a request as it arrived and compared with the one it contains.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { VendorRequest } from '../wire.ts';
import { headerText } from '../wire.ts';

/** The only access key of this cloud. It protects nothing of value. */
export const simulatedAccessKey = {
  accessKeyId: 'AKIASIMULATOR0000000',
  secretAccessKey: 'simulated/secret+access/key0123456789ABC',
} as const;

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([A-Z0-9]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/u;
const TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u;
const MAX_SKEW_MS = 5 * 60_000;
/** Without these headers a signature would protect nothing. */
const MUST_SIGN = ['host', 'x-amz-date'];

export type Objection = { readonly type: string; readonly message: string };

const MISMATCH: Objection = {
  type: 'InvalidSignatureException',
  message:
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.',
};

const hex = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

export function judgeSignature(request: VendorRequest, service: string, now: Date): Objection | undefined {
  const authorization = headerText(request.headers.authorization);
  const match = AUTHORIZATION.exec(authorization);
  if (match === null) return { type: 'MissingAuthenticationTokenException', message: 'Missing Authentication Token' };
  const [, accessKeyId = '', day = '', region = '', named = '', signedList = '', signature = ''] = match;
  if (accessKeyId !== simulatedAccessKey.accessKeyId)
    return { type: 'UnrecognizedClientException', message: 'The security token included in the request is invalid.' };
  const date = headerText(request.headers['x-amz-date']);
  const signed = signedList.split(';');
  const hasToken = request.headers['x-amz-security-token'] !== undefined;
  const isProtected = [...MUST_SIGN, ...(hasToken ? ['x-amz-security-token'] : [])].every((name) =>
    signed.includes(name),
  );
  if (named !== service || !date.startsWith(day) || !isProtected) return MISMATCH;
  const [, year, month, ofMonth, hour, minute, second] = TIME.exec(date) ?? [];
  const sentMs = Date.parse(`${year}-${month}-${ofMonth}T${hour}:${minute}:${second}Z`);
  if (Math.abs(now.getTime() - sentMs) > MAX_SKEW_MS)
    return { type: 'InvalidSignatureException', message: `Signature expired: ${date} is not within 5 min. of now.` };
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', date, scope, hex(canonical(request, signed))].join('\n');
  const dayKey = hmac(`AWS4${simulatedAccessKey.secretAccessKey}`, day);
  const key = hmac(hmac(hmac(dayKey, region), service), 'aws4_request');
  return timingSafeEqual(hmac(key, toSign), Buffer.from(signature, 'hex')) ? undefined : MISMATCH;
}

function canonical(request: VendorRequest, signed: readonly string[]): string {
  const place = request.host === '' ? request.vendor : `${request.vendor}@${request.host}`;
  // Every character except the unreserved ones is percent-encoded.
  const path = encodeURIComponent(`/${place}${request.path}`)
    .replaceAll('%2F', '/')
    .replaceAll(/[!'()*]/gu, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = request.query === '' ? '' : request.query.split('&').toSorted().join('&');
  const headers = signed.map((name) => `${name}:${headerText(request.headers[name]).trim().replace(/ +/gu, ' ')}\n`);
  return [request.method, path, query, headers.join(''), signed.join(';'), hex(request.body)].join('\n');
}
