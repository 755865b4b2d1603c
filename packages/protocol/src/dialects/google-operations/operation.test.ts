import { describe, expect, test } from 'vitest';
import type { FaultKind } from '../../canonical/fault.ts';
import type { VideoFile } from '../../canonical/video.ts';
import { encodeOperation, operationName, parseOperationName } from './operation.ts';

const errorOf = (kind: FaultKind): unknown =>
  encodeOperation('operations/1', { state: 'failed', fault: { kind, message: 'no' } })['error'];

/** The official numbers of the rpc statuses. */
test.each<[FaultKind, number]>([
  ['cancelled', 1],
  ['malformed', 3],
  ['unsupported', 3],
  ['refused', 3],
  ['context-exceeded', 3],
  ['too-large', 3],
  ['upstream-timeout', 4],
  ['unknown-model', 5],
  ['unknown-operation', 5],
  ['forbidden', 7],
  ['over-budget', 8],
  ['over-rate', 8],
  ['upstream-over-rate', 8],
  ['method-not-allowed', 12],
  ['upstream-broken', 13],
  ['internal', 13],
  ['upstream-overloaded', 14],
  ['overloaded', 14],
  ['unauthenticated', 16],
])('an operation that failed with %s has the rpc code %i', (kind, code) => {
  expect(errorOf(kind)).toMatchObject({ code });
});

test('a running operation has its progress if the host reports one', () => {
  expect(encodeOperation('operations/1', { state: 'waiting', percent: 40 })).toStrictEqual({
    name: 'operations/1',
    metadata: { progressPercent: 40 },
  });
  expect(encodeOperation('operations/1', { state: 'waiting' })).toStrictEqual({ name: 'operations/1' });
});

describe('a finished operation read by its own path has its clips in the form of the developers’ API, too', () => {
  const done = (videos: readonly VideoFile[], blocked: readonly string[]): unknown =>
    encodeOperation('operations/1', { state: 'done', videos, blocked }, 'developer')['response'];
  const url = 'https://host.example/v.mp4';
  const mimeType = 'video/mp4';

  test('clips have a URL or bytes, and their encoding', () => {
    expect(
      done(
        [
          { url, mimeType },
          { base64: 'AAAA', mimeType },
        ],
        [],
      ),
    ).toStrictEqual({
      videos: [
        { gcsUri: url, mimeType },
        { bytesBase64Encoded: 'AAAA', mimeType },
      ],
      generateVideoResponse: {
        generatedSamples: [
          { video: { uri: url, encoding: mimeType } },
          { video: { encodedVideo: 'AAAA', encoding: mimeType } },
        ],
      },
    });
  });

  test('filtered clips have their count and reasons', () => {
    const filtered = { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['no cats'] };
    expect(done([], ['no cats'])).toStrictEqual({ ...filtered, generateVideoResponse: filtered });
  });

  test('other callers get the list of the cloud alone', () => {
    const state = { state: 'done', videos: [{ url, mimeType }], blocked: [] } as const;
    expect(encodeOperation('operations/1', state)).toStrictEqual({
      name: 'operations/1',
      done: true,
      response: { videos: [{ gcsUri: url, mimeType }] },
    });
  });
});

describe('the name of an operation', () => {
  const ID = 'A-Za-z0-9_'.repeat(3);
  const name = operationName('google/veo', ID);

  test('holds its id, and the model as the caller named it', () => {
    expect(name).toBe(`publishers/google/models/veo/operations/${ID}`);
    expect(parseOperationName(name, 'google/veo')).toBe(ID);
  });

  test.each<[string, unknown]>([
    ['is required and must be a text', undefined],
    ['is required and must be a text', 5],
    ['is required and must be a text', ''],
    ['is not the name of an operation', 'operations/1'],
    ['is not the name of an operation', operationName('google/veo', 'short')],
    ['is not the name of an operation', `${name}/..`],
    ['belongs to another model than the path names', operationName('google/other', ID)],
    ['belongs to another model than the path names', operationName('other/veo', ID)],
  ])('%s: %j', (problem, given) => {
    expect(() => parseOperationName(given, 'google/veo')).toThrow(`'operationName' ${problem}`);
  });
});
