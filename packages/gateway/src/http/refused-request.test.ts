import { expect, test } from 'vitest';
import { refusedRequest } from './refused-request.ts';

const clock = { nowMs: () => 7, monotonicMs: () => 7 };
const refused = (route: string) =>
  refusedRequest(
    { requestId: 'r', protocol: 'chat', route, fault: { kind: 'malformed', message: 'no' } },
    undefined,
    clock,
  );

test.each(['text-call', 'sound-call', 'rerank-call', 'moderation-call', 'passthrough', 'none'])(
  'a refused request of the route %s leaves a record',
  (route) => expect(refused(route)).toMatchObject({ route, receivedAtMs: 7 }),
);

test.each(['list-models', 'video-poll', 'own-report'])('one of the route %s is no call, and leaves none', (route) =>
  expect(refused(route)).toBeUndefined(),
);
