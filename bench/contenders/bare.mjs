// The baseline: node:http in front, undici dispatch behind, and nothing else (no key, no parsing, no usage).
// What a gateway costs above this is the cost of its features.
//
// usage: node bare.mjs LISTEN_PORT UPSTREAM_PORT [LISTEN_PORT UPSTREAM_PORT ...]
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

// The gateway's own undici: another version of it, which tools here bring along, would compare more than the gateway.
const { Pool } = createRequire(new URL('../../packages/gateway/package.json', import.meta.url))('undici');

const UPSTREAM_CONNECTIONS = 256;
const KEEP_ALIVE_MS = 120_000;

class Relay {
  #response;

  constructor(response) {
    this.#response = response;
  }

  onRequestStart() {}

  onResponseStart(_controller, statusCode, headers) {
    const contentLength = headers['content-length'];
    const contentType = headers['content-type'];
    this.#response.writeHead(
      statusCode,
      contentLength
        ? { 'content-type': contentType, 'content-length': contentLength }
        : { 'content-type': contentType },
    );
  }

  onResponseData(_controller, chunk) {
    this.#response.write(chunk);
  }

  onResponseEnd() {
    this.#response.end();
  }

  onResponseError(_controller, error) {
    if (!this.#response.headersSent) this.#response.writeHead(502);
    this.#response.end(String(error));
  }
}

function serve(listenPort, upstreamPort) {
  const pool = new Pool(`http://127.0.0.1:${upstreamPort}`, { connections: UPSTREAM_CONNECTIONS });
  const server = createServer((request, response) => {
    let first = null;
    let parts = null;
    request.on('data', (part) => {
      if (first === null) first = part;
      else {
        parts ??= [first];
        parts.push(part);
      }
    });
    request.on('end', () => {
      const headers = ['content-type', 'application/json', 'authorization', request.headers.authorization ?? ''];
      const body = parts ? Buffer.concat(parts) : first;
      pool.dispatch({ path: request.url, method: 'POST', headers, body }, new Relay(response));
    });
  });
  // Long, so that a load generator waiting for its core does not find its connection closed.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(listenPort, '127.0.0.1');
}

const ports = process.argv.slice(2).map(Number);
for (let index = 0; index + 1 < ports.length; index += 2) serve(ports[index], ports[index + 1]);
