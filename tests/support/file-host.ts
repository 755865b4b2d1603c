/** A host of files for callers' URLs: some valid, most of them bad in one way each. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { PNG } from './image-probe.ts';

export type FileHost = { readonly port: number; close(): void };

const MB = 1024 * 1024;
const DRIP_MS = 50;

const redirect = (response: ServerResponse, to: string): void => void response.writeHead(302, { location: to }).end();

/** Endless: sends until the reader stops. */
function pour(response: ServerResponse, piece: Buffer, everyMs: number): void {
  const timer = setInterval(() => response.write(piece), everyMs);
  response.on('close', () => clearInterval(timer));
}

const FILES: Readonly<Record<string, (response: ServerResponse, rest: string, own: string) => void>> = {
  png: (response) => void response.end(PNG),
  pdf: (response) => void response.end('%PDF-1.4\n%%EOF\n'),
  to: (response, rest) => redirect(response, rest),
  twice: (response, rest, own) => redirect(response, `${own}/to/${encodeURIComponent(rest)}`),
  loop: (response, _, own) => redirect(response, `${own}/loop`),
  down: (response, rest, own) =>
    redirect(response, Number(rest) <= 1 ? `${own}/png` : `${own}/down/${Number(rest) - 1}`),
  html: (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('<html></html>'),
  svg: (response) => void response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg/>'),
  missing: (response) => void response.writeHead(404).end(PNG),
  zipped: (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(PNG)),
  bomb: (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(20 * MB))),
  huge: (response) => void response.writeHead(200, { 'content-length': String(1024 * MB) }).write(PNG),
  endless: (response) => pour(response.writeHead(200), Buffer.concat([PNG, Buffer.alloc(MB)]), 0),
  slow: (response) => pour(response.writeHead(200), PNG.subarray(0, 1), DRIP_MS),
  silent: (response) => void response.writeHead(200).write(PNG),
  empty: (response) => void response.end(),
  truncated: (response) => {
    response.writeHead(200, { 'content-length': '1000' }).write(PNG);
    response.socket?.destroySoon();
  },
};

export async function openFileHost(): Promise<FileHost> {
  const server = createServer((request, response) => {
    const [, name = '', rest = ''] = /^\/([a-z]+)\/?(.*)$/.exec(request.url ?? '') ?? [];
    const file = FILES[name];
    if (file === undefined) response.destroy();
    else file(response, decodeURIComponent(rest), `http://${request.headers.host}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
