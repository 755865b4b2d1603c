import { describe, expect, test } from 'vitest';
import type { Block, MediaBlock } from '../../canonical/content.ts';
import { fieldOf } from '../dialect.fixture.ts';
import { assistant, call, contents, encode, older, target, text, user } from './call.fixture.ts';
import { googleGenerate } from './index.ts';

const media = (own: Partial<MediaBlock>): MediaBlock => ({
  kind: 'media',
  media: 'video',
  mimeType: 'video/mp4',
  source: { via: 'inline', base64: 'QUJD' },
  ...own,
});
const byUrl = (url: string): MediaBlock => {
  const { mimeType: _, ...block } = media({ source: { via: 'url', url } });
  return block;
};
const parts = (block: Block, facts = target()) => contents([user(block)], facts)[0]?.['parts'];

describe('content that this format cannot express is refused', () => {
  test.each([
    ['block.media', user(byUrl('https://a.example/film'))],
    ['block.text', user(text(''))],
  ] as const)('%s', (field, turn) => {
    expect(fieldOf(() => encode(call([turn])), ['unsupported'])).toBe(field);
  });
});

test('a part of this format goes back with its signature to its owner only, and other formats’ parts are reported', () => {
  const wire = { executableCode: { language: 'PYTHON', code: '1' } };
  const turns = (dialect: 'google-generate' | 'openai-responses') => [
    user(text('q')),
    assistant({ kind: 'foreign', dialect, wire: { ...wire, thoughtSignature: 'c2ln' } }, text('a')),
  ];
  const partsFor = (facts = target()) => contents(turns('google-generate'), facts)[1]?.['parts'];
  expect(partsFor()).toEqual([{ ...wire, thoughtSignature: 'c2ln' }, { text: 'a' }]);
  const elsewhere = { ...target(), sealOwner: { dialect: 'google-generate', family: 'other' } } as const;
  expect(partsFor(elsewhere)).toEqual([wire, { text: 'a' }]);
  const { body, losses } = encode(call(turns('openai-responses')));
  expect(body['contents']).toMatchObject([{}, { parts: [{ text: 'a' }] }]);
  expect(losses).toEqual([{ field: 'block.foreign', why: 'no-equivalent' }]);
});

describe('files', () => {
  test.each([
    ['https://a.example/film.MP4?x=a.png#b.pdf', 'video/mp4'],
    ['https://a.example/a.b/photo.jpg', 'image/jpeg'],
    ['gs://a/b.jpeg', 'image/jpeg'],
    ['gs://a/b.png', 'image/png'],
    ['gs://a/b.webp', 'image/webp'],
    ['gs://a/b.gif', 'image/gif'],
    ['gs://a/b.heic', 'image/heic'],
    ['gs://a/b.pdf', 'application/pdf'],
    ['gs://a/b.mp3', 'audio/mpeg'],
    ['gs://a/b.wav', 'audio/wav'],
    ['gs://a/b.mov', 'video/mov'],
    ['gs://a/b.txt', 'text/plain'],
  ])('%s has the type of its ending', (fileUri, mimeType) => {
    expect(parts(byUrl(fileUri))).toEqual([{ fileData: { mimeType, fileUri } }]);
  });
  test.each([
    [{ start: '1.5s' }, { startOffset: '1.5s' }],
    [{ end: '10s' }, { endOffset: '10s' }],
    [{ framesPerSecond: 2 }, { fps: 2 }],
  ])('the clip %j of a video is %j', (clip, videoMetadata) => {
    expect(parts(media({ clip }))).toEqual([{ inlineData: { mimeType: 'video/mp4', data: 'QUJD' }, videoMetadata }]);
  });
  test('a resolution stays on its part for the newest generation, and is reported for others', () => {
    const inlineData = { mimeType: 'video/mp4', data: 'QUJD' };
    const turns = [user(media({ detail: 'ultra' }))];
    expect(encode(call(turns))).toMatchObject({
      body: { contents: [{ parts: [{ inlineData, mediaResolution: { level: 'MEDIA_RESOLUTION_ULTRA_HIGH' } }] }] },
      losses: [],
    });
    const { body, losses } = encode(call(turns), older());
    expect(body['contents']).toEqual([{ role: 'user', parts: [{ inlineData }] }]);
    expect(losses).toEqual([{ field: 'call.mediaResolution', why: 'no-equivalent' }]);
  });
  test('an automatic resolution is the default and no loss', () => {
    expect(encode(call([user(media({ detail: 'auto' }))]), older()).losses).toEqual([]);
    expect(JSON.stringify(parts(media({ detail: 'auto' })))).not.toContain('mediaResolution');
  });
  test.each([
    [true, byUrl('https://a.example/film.mp4')],
    [true, byUrl('http://youtube.com.a.example/film.mp4')],
    [false, byUrl('https://www.youtube.com/watch?v=1')],
    [false, byUrl('https://youtu.be/1')],
    [false, byUrl('https://generativelanguage.googleapis.com/v1beta/files/1')],
    [false, byUrl('gs://bucket/film.mp4')],
    [false, media({})],
  ])('are fetched by the gateway: %j, for %j', (needed, block) => {
    expect(googleGenerate.client.needsBytes?.(block, target())).toBe(needed);
  });
});
