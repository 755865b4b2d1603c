/** Callers as raw sockets: thousands at once, well-behaved or not, and cheap enough not to disturb the measurement. */
import { connect, type Socket } from 'node:net';
import type { Question } from './ask.ts';
import { KEY } from './gateway-process.ts';

/** The request as bytes: its headers, and its body. */
export function spell({ url, path, body, headers = {} }: Question): { readonly head: string; readonly body: string } {
  const payload = JSON.stringify(body);
  const all = {
    host: new URL(url).host,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(payload)),
    authorization: `Bearer ${KEY}`,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return { head: `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, body: payload };
}

export class RawPeer {
  readonly socket: Socket;
  readonly openedAtMs = performance.now();
  heardBytes = 0;
  /** The first bytes that came, enough for a status line and an error. */
  opening = '';
  closedAtMs: number | undefined;

  constructor(url: string, { reads = true }: { readonly reads?: boolean } = {}) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    if (reads)
      this.socket.on('data', (bytes) => {
        if (this.heardBytes === 0) this.opening = bytes.toString('latin1', 0, 200);
        this.heardBytes += bytes.length;
      });
    this.socket.on('error', () => undefined); // A cut connection is what some scenarios are about.
    this.socket.on('close', () => {
      this.closedAtMs = performance.now();
    });
  }

  /** Sends a request and resolves when the kernel has accepted it. */
  sends(text: string): Promise<void> {
    return new Promise((resolve) => this.socket.write(text, () => resolve()));
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.opening)?.[1] ?? 0);
  }
}
