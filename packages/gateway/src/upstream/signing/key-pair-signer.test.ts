import { createSecretKey } from 'node:crypto';
import { jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { keyPairSigner } from './key-pair-signer.ts';

const REQUEST = { origin: 'https://host.example', path: '/', headers: [], body: '' };

test('a token names the key, is signed with its secret, and is renewed before it expires', async () => {
  let nowMs = 1_800_000_000_000;
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const signer = keyPairSigner({ accessKey: 'ak-1', secretKey: 'a-secret-key' }, clock);
  const [name, value = ''] = await signer.sign(REQUEST);
  expect(name).toBe('authorization');
  const token = value.replace('Bearer ', '');
  const { payload } = await jwtVerify(token, createSecretKey(Buffer.from('a-secret-key')), {
    currentDate: new Date(nowMs),
  });
  expect(payload.iss).toBe('ak-1');
  expect(await signer.sign(REQUEST)).toEqual([name, value]);
  nowMs += 26 * 60_000;
  expect((await signer.sign(REQUEST))[1]).not.toBe(value);
});
