import { expect, test } from 'vitest';
import type { Timed } from '../../kernel/timeouts.ts';
import { requestJson } from './request-json.ts';

test('a request that the client refuses to send is an unsent reply, and nothing is left waiting', async () => {
  const watched = new Set<Timed>();
  const refusal = new Error('invalid header');
  const ports = {
    upstream: {
      send: () => {
        throw refusal;
      },
    },
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    timeouts: { watch: (one: Timed) => watched.add(one), unwatch: (one: Timed) => watched.delete(one) },
    redact: (text: string) => text,
  } as never;
  const request = { origin: 'http://u', path: '/', headers: [], body: '' };
  const reply = await requestJson(request, undefined, ports, { timeoutMs: 1000, maxLength: 1000 });
  expect(reply).toMatchObject({ how: 'unsent', cause: refusal });
  expect(watched.size).toBe(0);
});
