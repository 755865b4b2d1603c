import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { type Fault, faultOf } from '@trivium/protocol/canonical';
import { describe, expect, test } from 'vitest';
import { LoopBudget } from '../kernel/loop-budget.ts';
import type { BodyReader } from './body-reader.ts';
import { readHeaders } from './head.ts';
import { CODINGS, type Coding, codingFault, codingOf, NO_CODINGS, UnpackedBody } from './unpack.ts';

const PACK = { gzip: gzipSync, zstd: zstdCompressSync } as const;
const BOTH = ['gzip', 'zstd'] as const;
const PIECE = 65_536;

class Gathering implements BodyReader<Buffer> {
  readonly pieces: Buffer[] = [];
  take(chunk: Buffer): void {
    this.pieces.push(chunk);
  }
  end(): Buffer {
    return Buffer.concat(this.pieces);
  }
  get bytes(): number {
    return this.pieces.reduce((sum, { length }) => sum + length, 0);
  }
}

const FREE_LOOP = { turnBytes: 1_073_741_824, turnEvents: 1_000_000 };
const NO_MEMORY: Fault = { kind: 'overloaded', message: 'No memory is left for request bodies.' };

/** Sends it in pieces as a socket does; the fault says whether it was refused before the end. */
async function unpack(
  coding: Coding,
  packed: Buffer,
  { maxBytes = 33_554_432, maxRatio = 100, budget = Number.POSITIVE_INFINITY, turnBytes = FREE_LOOP.turnBytes } = {},
) {
  const reader = new Gathering();
  const loop = new LoopBudget(() => ({ ...FREE_LOOP, turnBytes }), setImmediate);
  let reserved = 0;
  let refuse: (error: unknown) => void = () => undefined;
  const refusal = new Promise<never>((_resolve, reject) => {
    refuse = reject;
  });
  const body = new UnpackedBody(reader, {
    coding,
    maxBytes,
    maxRatio,
    room: {
      accountId: 'a',
      reserve: (bytes) => {
        reserved += bytes;
        return reserved > budget ? NO_MEMORY : undefined;
      },
    },
    loop,
    onRefused: refuse,
  });
  for (let at = 0; at < packed.length; at += PIECE) body.take(packed.subarray(at, at + PIECE));
  const result = await Promise.race([body.end(), refusal]).catch(faultOf);
  return { result, taken: reader.bytes, reserved, waited: loop.waited };
}

describe.each(BOTH)('%s', (coding) => {
  const pack = PACK[coding];
  const text = Buffer.from(JSON.stringify({ input: Array.from({ length: 20_000 }, (_, at) => `line ${at * 7919}`) }));

  test('a body is unpacked in pieces no longer than one read, and its memory is reserved', async () => {
    const { result, reserved } = await unpack(coding, pack(text));
    expect(result).toEqual(text);
    expect(reserved).toBeGreaterThanOrEqual(text.length);
    expect(reserved).toBeLessThan(text.length + 2 * PIECE);
  });

  test('two frames behind each other are one body', async () => {
    const halves = Buffer.concat([pack(text.subarray(0, 1000)), pack(text.subarray(1000))]);
    expect((await unpack(coding, halves)).result).toEqual(text);
  });

  test.each([
    ['cut off', pack(text).subarray(0, -3)],
    ['empty', Buffer.alloc(0)],
    ['plain', text],
    ['followed by other bytes', Buffer.concat([pack(text), Buffer.from('{"more":1}')])],
    ['of the other coding', PACK[coding === 'gzip' ? 'zstd' : 'gzip'](text)],
  ])('a body that is %s is malformed', async (_name, packed) => {
    const { result } = await unpack(coding, packed);
    expect(result).toEqual({ kind: 'malformed', message: `The request body is not valid ${coding}.` });
  });

  test('a bomb is refused as soon as it passes the ratio', async () => {
    const bomb = pack(Buffer.alloc(32_000_000, ' '));
    expect(32_000_000 / bomb.length).toBeGreaterThan(900);
    const { result, taken, reserved } = await unpack(coding, bomb);
    expect(result).toMatchObject({ kind: 'too-large', message: expect.stringContaining('limits.unpackRatio') });
    const allowed = 1_048_576 + 100 * bomb.length;
    expect(taken).toBeLessThanOrEqual(allowed);
    expect(reserved).toBeLessThanOrEqual(allowed + PIECE);
  });

  test('a bomb in a bomb unpacks once, within the bounds, to bytes that are no JSON', async () => {
    const { result, taken } = await unpack(coding, pack(pack(Buffer.alloc(32_000_000, ' '))));
    expect(taken).toBeLessThan(64_000);
    expect(String(result).startsWith('{')).toBe(false);
  });

  test('what it unpacks to is bounded whatever was sent', async () => {
    const { result, taken } = await unpack(coding, pack(text), { maxBytes: 200_000 });
    expect(result).toEqual({ kind: 'too-large', message: 'The request body unpacks to more than 200000 bytes.' });
    expect(taken).toBeLessThanOrEqual(200_000);
  });

  test('it is refused where there is no memory for what it unpacks to', async () => {
    const { result, taken } = await unpack(coding, pack(text), { budget: 2 * PIECE });
    expect(result).toEqual(NO_MEMORY);
    expect(taken).toBeLessThanOrEqual(2 * PIECE);
  });

  test('it waits for later turns of the loop, and is complete in the end', async () => {
    const { result, waited } = await unpack(coding, pack(text), { turnBytes: PIECE });
    expect(result).toEqual(text);
    expect(waited).toBeGreaterThan(1);
  });
});

test('a zstd frame that asks for a window of 128 MB is refused before it holds a byte', async () => {
  const packed = zstdCompressSync(Buffer.alloc(20_000_000, 'abc'), {
    params: { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_contentSizeFlag]: 0 },
  });
  const { result, taken } = await unpack('zstd', packed, { maxRatio: 1_000_000 });
  expect([result, taken]).toEqual([{ kind: 'malformed', message: 'The request body is not valid zstd.' }, 0]);
});

test.each<[readonly string[], Coding | undefined, 'wrong-media-type' | undefined]>([
  [[], undefined, undefined],
  [['identity'], undefined, undefined],
  [['zstd'], 'zstd', undefined],
  [['GZIP'], 'gzip', undefined],
  [['br'], undefined, 'wrong-media-type'],
  [['gzip, zstd'], undefined, 'wrong-media-type'],
  [['gzip', 'gzip'], undefined, 'wrong-media-type'],
])('content-encoding %j', (values, coding, refused) => {
  const headers = readHeaders(values.flatMap((value) => ['Content-Encoding', value]));
  expect(codingFault(headers, CODINGS)?.kind).toBe(refused);
  if (refused === undefined) expect(codingOf(headers)).toBe(coding);
  expect(codingFault(headers, NO_CODINGS) === undefined).toBe(values.length === 0 || values[0] === 'identity');
});
