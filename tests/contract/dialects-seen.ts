/**
 * Writes on every test which formats its hosts were asked in (`meta.dialects`), for `npm run conformance`, which counts on which
 * hosts a rule was seen to hold. A setup file: it runs before each file of tests.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeEach } from 'vitest';
import { dialectOf } from './kinds.ts';
import { isCallersPort } from './watch.ts';

declare module 'vitest' {
  interface TaskMeta {
    dialects?: string[];
  }
}

let seen: string[] | undefined;

const onRequest = (message: unknown): void => {
  const { request } = message as { request: IncomingMessage };
  if (seen === undefined || isCallersPort(request.socket.localPort ?? 0)) return;
  const dialect = dialectOf(request.url ?? '');
  if (dialect !== undefined && !seen.includes(dialect)) seen.push(dialect);
};

subscribe('http.server.request.start', onRequest);
beforeEach(({ task }) => {
  seen = [];
  task.meta.dialects = seen;
});
afterAll(() => {
  seen = undefined;
  unsubscribe('http.server.request.start', onRequest);
});
