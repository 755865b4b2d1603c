import { type FaultKind, GatewayError } from '@trivium/protocol/canonical';
import { findAnyDialect } from '@trivium/protocol/dialects';
import { DEFAULT_JSON_BOUNDS } from '@trivium/protocol/framing';
import { expect, test } from 'vitest';
import type { HeavyWork, Opened } from '../heavy-work.ts';
import type { Foreseen } from '../lane.ts';
import type { Identified } from '../request.ts';
import { sealingFor } from '../seals/envelopes.ts';
import { type ThreadPorts, understandOnWorker } from './understand-on-thread.ts';

const OPENED: Opened = {
  dialectId: 'openai-chat',
  members: [],
  understanding: {
    model: 'm',
    stream: false,
    responseOptions: { usageInStream: false, withCost: false, hideReasoning: false, logprobs: false },
    losses: [],
    media: [],
    maxOutputTokens: undefined,
    metadata: undefined,
  },
  figures: {
    inputTokens: 1,
    inputTokensAtResolution: 1,
    leastInputTokens: 1,
    candidates: 1,
    complexity: 'low',
    newestMedia: [],
  },
};
const KEEPS: Foreseen = { kind: 'verbatim', losses: [] };
const LOSES: Foreseen = { kind: 'translated', why: 'other', losses: [{ path: 'seed', why: 'unsupported' }] as never };
const refused = (kind: FaultKind): GatewayError => new GatewayError({ kind, message: 'No.' });

/** Understands a request for a model whose hosts have these shapes; each shape is foreseen as given. */
async function fitsOf(shapes: readonly number[], foreseen: (shape: number) => Foreseen) {
  const judged: number[] = [];
  const heavy = {
    run: async (job: string, [, target]: readonly [unknown, { readonly facts: { readonly shape: number } }]) => {
      if (job === 'understand') return OPENED;
      judged.push(target.facts.shape);
      return foreseen(target.facts.shape);
    },
  };
  const dialect = findAnyDialect('openai-chat')!;
  const targets = shapes.map((shape) => ({ shape, dialect, facts: { shape } }));
  const ports = {
    jsonBounds: DEFAULT_JSON_BOUNDS,
    sealing: sealingFor(['a-key-to-sign-seals-with']),
    directory: { find: (name: string) => (name === 'm' ? { id: 'm', targets } : undefined) },
    fetchesMedia: false,
  };
  const identified = {
    id: 'r',
    dialect,
    head: {},
    headers: new Map(),
    caller: { accountId: 'a' },
    reply: { gone: false },
    strict: false,
  };
  const { onWorker } = await understandOnWorker(
    identified as unknown as Identified,
    '{}',
    ports as unknown as ThreadPorts,
    heavy as unknown as HeavyWork,
  );
  return { judged, fits: Object.fromEntries(onWorker?.fits ?? []) };
}

test('hosts that differ are judged before planning, once for each shape', async () => {
  const { judged, fits } = await fitsOf([1, 2, 1, 3, 2], (shape) => {
    if (shape === 3) throw refused('unsupported');
    return shape === 1 ? LOSES : KEEPS;
  });
  expect(fits).toEqual({ 1: 'loses', 2: 'keeps', 3: 'cannot' });
  expect(judged).toEqual([1, 2, 3]);
});

test('hosts that are alike are not judged', async () => {
  expect(await fitsOf([1, 1], () => LOSES)).toEqual({ judged: [], fits: {} });
});

test('eight shapes of host are judged, and no more', async () => {
  const { judged } = await fitsOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], () => LOSES);
  expect(judged).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test.each([
  ['the thread has no room', refused('overloaded')],
  ['the caller hung up', refused('cancelled')],
  ['the thread ended', new Error('the thread ended')],
])('a request is not planned where %s while its hosts are judged', async (_what, error) => {
  const understood = fitsOf([1, 2], () => {
    throw error;
  });
  await expect(understood).rejects.toBe(error);
});
