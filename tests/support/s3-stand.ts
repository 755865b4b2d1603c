/** A strict object store: it verifies every signature, and refuses a body with a wrong digest. */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export const S3_CREDENTIAL = { accessKeyId: 'AKIASTAND00000000000', secretAccessKey: 'stand/secret+0123456789' };
export const S3_BUCKET = 'results';

type Stored = { readonly body: Buffer; readonly headers: Readonly<Record<string, string>> };

export type S3Stand = {
  readonly url: string;
  readonly objects: Map<string, Stored>;
  /** Number of further requests that are answered with 503. */
  failNext: number;
  /** Entries on one page of a list. */
  pageSize: number;
  close(): void;
};

const hex = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

function isSigned({ method, url = '', headers }: IncomingMessage): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/;
  const [, keyId, day = '', region = '', names = '', signature] = form.exec(headers.authorization ?? '') ?? [];
  const [path, query = ''] = url.split('?');
  const said = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const digest = String(headers['x-amz-content-sha256']);
  const canonical = [method, path, query.split('&').sort().join('&'), said.join(''), names, digest].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hex(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${S3_CREDENTIAL.secretAccessKey}`, day), region), 's3'), 'aws4_request');
  const needed = ['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => names.split(';').includes(name));
  return needed && keyId === S3_CREDENTIAL.accessKeyId && hmac(key, toSign).toString('hex') === signature;
}

function listOf(stand: S3Stand, url: URL): string {
  const prefix = url.searchParams.get('prefix') ?? '';
  const after = url.searchParams.get('continuation-token') ?? '';
  const keys = [...stand.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, stand.pageSize);
  const more = keys.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return `<ListBucketResult>${page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}${more}</ListBucketResult>`;
}

type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: Buffer | string };

function answerTo(stand: S3Stand, request: IncomingMessage, body: Buffer): Answer {
  const url = new URL(request.url ?? '', 'http://stand');
  const [, bucket, ...rest] = url.pathname.split('/');
  const key = rest.join('/');
  if (stand.failNext > 0) {
    stand.failNext--;
    return { status: 503 };
  }
  if (!isSigned(request) || hex(body) !== request.headers['x-amz-content-sha256']) return { status: 403 };
  if (bucket !== S3_BUCKET) return { status: 404 };
  if (key === '') return { status: 200, body: listOf(stand, url) };
  if (request.method === 'PUT') {
    const { 'content-type': type = '', 'x-amz-meta-sha256': sha256 } = request.headers;
    stand.objects.set(key, { body, headers: { 'content-type': type, 'x-amz-meta-sha256': String(sha256) } });
    return { status: 200 };
  }
  if (request.method === 'DELETE') {
    stand.objects.delete(key);
    return { status: 204 };
  }
  const stored = stand.objects.get(key);
  if (stored === undefined) return { status: 404 };
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (first === undefined) return { status: 200, ...stored };
  return { status: 206, headers: stored.headers, body: stored.body.subarray(Number(first), Number(last) + 1) };
}

export async function openS3Stand(): Promise<S3Stand> {
  const server = createServer(async (request, response) => {
    const { status, headers = {}, body = '' } = answerTo(stand, request, await buffer(request));
    response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
    response.end(request.method === 'HEAD' ? '' : body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stand: S3Stand = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects: new Map(),
    failNext: 0,
    pageSize: 1000,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return stand;
}
