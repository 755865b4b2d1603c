import { expect, test } from 'vitest';
import type { CallerPort } from '../../kernel/caller-port.ts';
import type { Reservation, StoredAnswer } from '../../kernel/idempotency.ts';
import { RecordedReply } from './idempotency.ts';

function recording() {
  const kept: (StoredAnswer | 'too long')[] = [];
  const said: string[] = [];
  const caller: CallerPort = {
    gone: false,
    address: '',
    onGone: () => {},
    onDrain: () => {},
    answer: (_status, _headers, body) => said.push(`answer ${body}`),
    open: (status) => said.push(`open ${status}`),
    write: (text) => said.push(`write ${text}`) > 0,
    finish: (trailers) => said.push(`finish ${JSON.stringify(trailers ?? null)}`),
    cut: () => said.push('cut'),
  };
  const keeping: Reservation = {
    keep: (answer) => kept.push(answer),
    tooLong: () => kept.push('too long'),
    forget: () => {},
  };
  return { reply: new RecordedReply(caller, keeping, 10), kept, said };
}

const STREAMED = { status: 200, headers: ['a', 'b'], streamed: true };

test('a stream is stored as it was sent, with its trailers', () => {
  const { reply, kept, said } = recording();
  reply.open(200, ['a', 'b']);
  reply.write('one ');
  reply.write('two');
  reply.finish({ 'x-trivium-losses': 'seed' });
  expect(kept).toEqual([{ ...STREAMED, body: 'one two', complete: true, trailers: { 'x-trivium-losses': 'seed' } }]);
  expect(said).toEqual(['open 200', 'write one ', 'write two', 'finish {"x-trivium-losses":"seed"}']);
});

test('a stream without trailers is replayed without them', () => {
  const { reply, kept } = recording();
  reply.open(200, ['a', 'b']);
  reply.finish();
  expect(kept).toStrictEqual([{ ...STREAMED, body: '', complete: true }]);
});

test('a stream that was cut is stored up to the cut', () => {
  const { reply, kept, said } = recording();
  reply.open(200, ['a', 'b']);
  reply.write('one');
  reply.cut();
  expect(kept).toEqual([{ ...STREAMED, body: 'one', complete: false }]);
  expect(said.at(-1)).toBe('cut');
});

test('a stored answer names the model and the host that produced it', () => {
  const { reply, kept } = recording();
  reply.servedBy({ modelId: 'm', provider: 'p' });
  reply.answer(200, [], 'one');
  expect(kept).toMatchObject([{ body: 'one', source: { modelId: 'm', provider: 'p' } }]);
});

test('an answer that is too long reaches its caller and is not stored', () => {
  const { reply, kept, said } = recording();
  reply.open(200, []);
  reply.write('0123456789');
  reply.write('0');
  reply.finish();
  expect(kept).toEqual(['too long']);
  expect(said).toEqual(['open 200', 'write 0123456789', 'write 0', 'finish null']);
});
