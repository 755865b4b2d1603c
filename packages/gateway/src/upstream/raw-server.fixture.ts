/** For tests: an upstream that writes any bytes, and records requests as they were sent. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/** For localhost, self-signed, valid until 2126. The key protects nothing. */
export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUXSLpeEFTnbdYhqxmlYfL/WOP6DowCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNjA5MDcyMVoYDzIxMjYxMDIz
MDkwNzIxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATJZrIk4hZQft/FD7my8hnHhYxtHwCAg+fJqvFuzLbEmv7ii5dCHkBl
9/HYbcN2axq9KQEAEbpFDXTmh3NbnQNco28wbTAdBgNVHQ4EFgQUqH4x2Z/hc9Mw
+fpMSMvuBQmoNCAwHwYDVR0jBBgwFoAUqH4x2Z/hc9Mw+fpMSMvuBQmoNCAwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgLacJiQyjJKGpRDFoFpAS+leqPNutQSjVxyE17xeiqF8CIQCn
LUBFhfYxPvM4BEQFDQtu2aVGJJjbVoHJwFzJFACGKw==
-----END CERTIFICATE-----
`;
const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVE2UyACajCHOwa7T
clyRkFUMeFs1bjmNM7gddn/SLkuhRANCAATJZrIk4hZQft/FD7my8hnHhYxtHwCA
g+fJqvFuzLbEmv7ii5dCHkBl9/HYbcN2axq9KQEAEbpFDXTmh3NbnQNc
-----END PRIVATE KEY-----
`;

export type RawRequest = {
  /** Head and body, as Latin-1. */
  readonly text: string;
  readonly socket: Socket;
  /** Number of its connection, from 0. */
  readonly connection: number;
  /** Number of the request on its connection, from 0. */
  readonly turn: number;
};

export type RawServer = {
  readonly origin: string;
  readonly requests: readonly RawRequest[];
  readonly sockets: readonly Socket[];
  /** Connections accepted so far, and those that are open. */
  readonly connections: number;
  readonly open: number;
  close(): Promise<void>;
};

const END_OF_HEAD = '\r\n\r\n';

function lengthOf(text: string): number | undefined {
  const end = text.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? '0';
  return end + END_OF_HEAD.length + Number(length);
}

/** `answer` is called for each complete request. */
export async function openRawServer(answer: (request: RawRequest) => void, scheme = 'http'): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets: Socket[] = [];
  const accept = (socket: Socket): void => {
    const connection = sockets.push(socket) - 1;
    let text = '';
    let turn = 0;
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      for (let end = lengthOf(text); end !== undefined && text.length >= end; end = lengthOf(text)) {
        const request = { text: text.slice(0, end), socket, connection, turn: turn++ };
        text = text.slice(end);
        requests.push(request);
        answer(request);
      }
    });
  };
  const server =
    scheme === 'https' ? createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, accept) : createServer(accept);
  // All of 127.0.0.0/8, which has addresses that the certificate does not name.
  server.listen(0, scheme === 'https' ? '0.0.0.0' : '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `${scheme}://localhost:${(server.address() as AddressInfo).port}`,
    requests,
    sockets,
    get connections() {
      return sockets.length;
    },
    get open() {
      return sockets.filter(({ destroyed }) => !destroyed).length;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

/** A complete answer with this body. */
export const reply = (body: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
