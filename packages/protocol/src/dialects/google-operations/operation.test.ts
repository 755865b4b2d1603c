import { describe, expect, test } from 'vitest';
import { FAULT_KINDS } from '../../canonical/fault.ts';
import { encodeOperation, operationName, parseOperationName } from './operation.ts';

const ID = '01J0000000000000000000000A';
const NAME = `publishers/google/models/veo-3.1/operations/${ID}`;

describe('the name of an operation', () => {
  test('has the model in it, and comes back as it went', () => {
    expect(operationName('google/veo-3.1', ID)).toBe(NAME);
    expect(parseOperationName(NAME, 'google/veo-3.1')).toBe(ID);
    expect(parseOperationName(operationName('fal/a/b', ID), 'fal/a/b')).toBe(ID);
  });

  test.each([[undefined], [5], [''], ['op-123'], [`${NAME}/`], ['publishers/google/models/veo-3.1/operations/../x']])(
    '%j is none',
    (name) => expect(() => parseOperationName(name, 'google/veo-3.1')).toThrow(/operationName/),
  );

  test("another model's is refused by its text alone", () => {
    expect(() => parseOperationName(NAME, 'google/veo-2')).toThrow(/another model/);
  });
});

describe('an operation as callers see it', () => {
  test('has neither response nor error before it is done', () => {
    expect(encodeOperation(NAME, { state: 'waiting' })).toEqual({ name: NAME });
    expect(encodeOperation(NAME, { state: 'waiting', percent: 40 })).toEqual({
      name: NAME,
      metadata: { progressPercent: 40 },
    });
  });

  test('lists clips and counts what was held back', () => {
    const videos = [{ url: 'https://gateway.example/v', mimeType: 'video/mp4' }];
    expect(encodeOperation(NAME, { state: 'done', videos, blocked: ['violence'] })).toEqual({
      name: NAME,
      done: true,
      response: {
        videos: [{ gcsUri: 'https://gateway.example/v', mimeType: 'video/mp4' }],
        raiMediaFilteredCount: 1,
        raiMediaFilteredReasons: ['violence'],
      },
    });
  });

  test('says nothing of moderation where nothing was held back', () => {
    const videos = [{ base64: 'AAAA', mimeType: 'video/mp4' }];
    expect(encodeOperation(NAME, { state: 'done', videos, blocked: [] })).toEqual({
      name: NAME,
      done: true,
      response: { videos: [{ bytesBase64Encoded: 'AAAA', mimeType: 'video/mp4' }] },
    });
  });

  test.each([
    ['upstream-timeout', 4],
    ['refused', 3],
    ['internal', 13],
  ] as const)('%s is the rpc code %i', (kind, code) => {
    expect(encodeOperation(NAME, { state: 'failed', fault: { kind, message: 'no' } })).toEqual({
      name: NAME,
      done: true,
      error: { code, message: 'no', details: [] },
    });
  });

  test('never speaks in HTTP statuses', () => {
    for (const kind of FAULT_KINDS) {
      const { error } = encodeOperation(NAME, { state: 'failed', fault: { kind, message: 'no' } });
      expect((error as { code: number }).code).toBeLessThan(17);
    }
  });
});
