import { GatewayError } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import type { AnswerSource } from '../../kernel/caller-port.ts';
import type { IdempotencyStore, StoredAnswer } from '../../kernel/idempotency.ts';
import type { Identified } from '../request.ts';
import { withIdempotency } from './idempotency.ts';

const FORBIDDEN = new GatewayError({ kind: 'forbidden', message: 'No.' });

/** Repeats a request whose stored answer came from `source`, with a key for model `m` at host `p` alone. */
async function repeat(source: AnswerSource | undefined, mayMake = true): Promise<readonly string[]> {
  const said: string[] = [];
  const answer: StoredAnswer = {
    status: 200,
    headers: [],
    body: 'kept',
    streamed: false,
    complete: true,
    ...(source !== undefined && { source }),
  };
  const repeats: IdempotencyStore = { maxAnswerLength: 9, claim: () => Promise.resolve({ kind: 'kept', answer }) };
  const identified = {
    id: 'r',
    caller: { accountId: 'a', mayUse: (model: string) => model === 'm', bounds: { providers: new Set(['p']) } },
    dialect: { id: 'openai-chat' },
    head: {},
    reply: { gone: false, answer: (_status: number, _headers: readonly string[], body: string) => said.push(body) },
  } as unknown as Identified;
  await withIdempotency(repeats, 'key', identified, '{}', {
    make: () => Promise.reject(new Error('a kept answer is not made again')),
    requireRights: async () => {
      if (!mayMake) throw FORBIDDEN;
    },
  });
  return said;
}

test.each([
  ['another model', { modelId: 'other', provider: 'p' }],
  ['another host', { modelId: 'm', provider: 'other' }],
])('S9: a stored answer from %s is refused', async (_, source) => {
  await expect(repeat(source)).rejects.toMatchObject({ fault: { kind: 'forbidden', field: 'Idempotency-Key' } });
});

test('S9: a stored answer from a model and host the key may use is replayed', async () => {
  expect(await repeat({ modelId: 'm', provider: 'p' })).toEqual(['kept']);
});

test('S9: if the source is unknown, the key must be allowed to make the call', async () => {
  expect(await repeat(undefined)).toEqual(['kept']);
  await expect(repeat(undefined, false)).rejects.toBe(FORBIDDEN);
});

test('a call whose caller hung up while its key was claimed is not made, and its key is free again', async () => {
  const log: string[] = [];
  const keeping = { forget: () => log.push('free') };
  const claim = async () => ({ kind: 'first', keeping });
  const identified = { caller: {}, dialect: {}, head: {}, reply: { gone: true } } as unknown as Identified;
  const made = withIdempotency({ maxAnswerLength: 9, claim } as unknown as IdempotencyStore, 'key', identified, '{}', {
    make: async () => void log.push('made'),
    requireRights: async () => undefined,
  });
  await expect(made).rejects.toMatchObject({ fault: { kind: 'cancelled' } });
  expect(log).toEqual(['free']);
});
