import { expect, test } from 'vitest';
import { textCall } from '../../canonical/call.fixture.ts';
import type { MediaBlock } from '../../canonical/content.ts';
import { fieldOf } from '../dialect.fixture.ts';
import { anthropicMessages } from './index.ts';
import { messagesTarget } from './target.fixture.ts';

const ON_THE_WEB = { via: 'url', url: 'https://a.example/file' } as const;
const INLINE = { via: 'inline', base64: 'aGk=' } as const;
const anywhere = messagesTarget();
const bytesOnly = messagesTarget({}, { fetchesUrls: false });
const withoutDocuments = messagesTarget({}, { documents: false });

const sent = (block: Omit<MediaBlock, 'kind'>, target = anywhere) =>
  anthropicMessages.client.encodeCall(
    textCall({ turns: [{ role: 'user', blocks: [{ kind: 'media', ...block }] }] }),
    target,
  ).body['messages'];

test.each<[string, Omit<MediaBlock, 'kind'>, typeof anywhere]>([
  ['holds an image by URL', { media: 'image', source: ON_THE_WEB }, bytesOnly],
  ['holds a document by URL', { media: 'document', source: ON_THE_WEB }, bytesOnly],
  ['holds an image of type image/bmp', { media: 'image', mimeType: 'image/bmp', source: INLINE }, anywhere],
  ['holds a document, which', { media: 'document', mimeType: 'application/pdf', source: INLINE }, withoutDocuments],
])('media that %s is refused where the model cannot read it', (words, block, target) => {
  expect(fieldOf(() => sent(block, target), ['unsupported'])).toBe('block.media');
  expect(() => sent(block, target)).toThrow(words);
});

test.each<[string, Omit<MediaBlock, 'kind'>, object]>([
  ['an image by URL', { media: 'image', source: ON_THE_WEB }, { type: 'image', source: { type: 'url' } }],
  ['a document by URL', { media: 'document', source: ON_THE_WEB }, { type: 'document', source: { type: 'url' } }],
  ...['image/png', 'image/gif', 'image/webp', 'image/jpeg'].map((type): [string, Omit<MediaBlock, 'kind'>, object] => [
    type,
    { media: 'image', mimeType: type, source: INLINE },
    { type: 'image', source: { media_type: type, data: INLINE.base64 } },
  ]),
  [
    'a misspelt JPEG',
    { media: 'image', mimeType: 'image/jpg', source: INLINE },
    { type: 'image', source: { media_type: 'image/jpeg' } },
  ],
])('%s is sent', (_name, block, wire) => {
  expect(sent(block)).toMatchObject([{ content: [wire] }]);
});

test('the gateway fetches files on the web for hosts that cannot, and nothing else', () => {
  const fetched = (source: MediaBlock['source'], target = bytesOnly) =>
    anthropicMessages.client.needsBytes?.({ kind: 'media', media: 'image', source }, target);
  expect(fetched(ON_THE_WEB)).toBe(true);
  expect(fetched(ON_THE_WEB, anywhere)).toBe(false);
  expect(fetched({ via: 'url', url: 'gs://bucket/file' })).toBe(false);
  expect(fetched(INLINE)).toBe(false);
});
