import { cannotCarry, type TextCall } from '@trivium/protocol/canonical';
import { findDialect } from '@trivium/protocol/dialects';
import { expect, test } from 'vitest';
import type { Target } from '../../kernel/target.ts';
import type { Lane } from '../lane.ts';
import type { Understood } from '../request.ts';
import { foresee, laneFor, laneWithoutSeals } from './choose-lane.ts';

test('the thread that holds a large request learns whether the refused seals were recalled ones', async () => {
  const lane = { losses: [] } as unknown as Lane;
  // Recalled seals were never the caller's, so leaving them out is no loss; without them there must be one.
  const planned = {
    strict: false,
    onWorker: { bareLane: async (_: Target, recalled: boolean) => (recalled ? lane : undefined) },
  };
  const without = (refused: Partial<Lane>) =>
    laneWithoutSeals(planned as unknown as Understood, {} as Target, refused as Lane);
  expect(await without({ recalled: true })).toBe(lane);
  expect(await without({})).toBeUndefined();
});

test('a file that cannot be downloaded is refused by the name of its field in the protocol of the caller', async () => {
  const picture = { kind: 'media', media: 'image', source: { via: 'url', url: 'https://a.example/p.png' } } as const;
  const call = { operation: 'text', turns: [{ role: 'user', blocks: [picture] }] } as unknown as TextCall;
  const planned = { dialect: findDialect('openai-chat')!, understanding: { call: () => call } };
  const target = {
    dialect: { id: 'other', operation: 'text', client: { needsBytes: () => true } },
    facts: { model: {} },
  };
  const media = { fetch: () => Promise.reject(cannotCarry('block.media', 'cannot be downloaded')) };
  const lane = laneFor(planned as never, target as never, { media } as never);
  await expect(lane).rejects.toMatchObject({ fault: { field: 'messages.content' } });
});

test('a file that the gateway would download is foreseen as kept, without downloading it', () => {
  const picture = { kind: 'media', media: 'image', source: { via: 'url', url: 'https://a.example/p.png' } } as const;
  const call = { operation: 'text', turns: [{ role: 'user', blocks: [picture] }], sampling: {} } as unknown as TextCall;
  const understanding = { call: () => call, losses: [] };
  const encode = () => {
    throw cannotCarry('block.media', 'cannot be given by URL');
  };
  const client = { needsBytes: () => true, encodeCall: encode };
  const target = { dialect: { id: 'other', operation: 'text', client }, facts: { model: {} } } as never;
  const planned = { dialect: findDialect('openai-chat')!, understanding } as never;
  expect(foresee(planned, target, true)).toMatchObject({ kind: 'translated', losses: [] });
  expect(() => foresee(planned, target, false)).toThrow('cannot be given by URL');
});
