/** Requests to control APIs and health endpoints, each over its own connection, so that none is left open and counted. */
import { request } from 'node:http';

export type Page = { readonly status: number; readonly text: string };

export function oneShot(method: string, url: string, limitMs: number, body?: string): Promise<Page> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, agent: false, signal: AbortSignal.timeout(limitMs) }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
