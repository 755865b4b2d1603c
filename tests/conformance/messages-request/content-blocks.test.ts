/** Text, images, documents and search results in messages. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { document, IMAGES, image, note, PDF, pdf, png, searchResult } from '../../support/messages-blocks.ts';
import {
  ask,
  CLAUDE,
  GEMINI,
  type Json,
  lossless,
  messagesHosts,
  OPENAI,
  RESPONSES,
  refused,
  served,
  talk,
  text,
  user,
} from '../../support/messages-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: messagesHosts });
});
afterAll(() => stand.close());

const READERS = [CLAUDE, OPENAI, RESPONSES, GEMINI] as const;
const URL_SOURCE = { type: 'url', url: 'https://example.com/a.png' };
const blocksSent = (sent: Json): unknown => (sent['messages'] as Json[])[0]?.['content'];

/** Every upstream that reads such a block accepts it, and one of this dialect receives it unchanged. */
async function taken(block: Json): Promise<void> {
  const { sent } = await lossless(stand, talk(user(text('See:'), block)));
  expect(blocksSent(sent)).toEqual([text('See:'), block]);
  for (const model of [OPENAI, RESPONSES, GEMINI])
    await served(stand, ask({ model, messages: [user(text('See:'), block)] }));
}

const refusedAt = async (block: unknown, place: string): Promise<void> => {
  const field = ['messages.0.content.0', place].filter((part) => part !== '').join('.');
  for (const model of READERS) await refused(stand, ask({ model, messages: [user(block)] }), field);
};

describe('any block', () => {
  test.each([{ type: 'x', text: 'a' }, {}, { text: 'a' }, null, 5, ['a'], { type: 'container_upload' }])(
    '[M-31] the block %j is refused',
    (block) => refusedAt(block, ''),
  );
  test('[M-31] a thinking block in a user message is refused', () =>
    refusedAt({ type: 'thinking', thinking: 'a', signature: 'b' }, ''));

  test.each([{ type: 'text' }, { type: 'text', text: 5 }, { type: 'text', text: null }])(
    '[M-32] the text block %j is refused',
    (block) => refusedAt(block, 'text'),
  );
  test('[M-32] text is forwarded', () => taken(text('Naïve — 😀')));
});

describe('images', () => {
  test.each([
    ['M-34', 'no source', undefined, 'source'],
    ['M-34', 'text as source', 'a.png', 'source'],
    ['M-35', 'a bitmap', { type: 'base64', media_type: 'image/bmp', data: 'Qk0=' }, 'source.media_type'],
    ['M-35', 'no media_type', { type: 'base64', data: IMAGES['image/png'] }, 'source.media_type'],
    ['M-35', 'no data', { type: 'base64', media_type: 'image/png' }, 'source.data'],
    ['M-35', 'a number as data', { type: 'base64', media_type: 'image/png', data: 5 }, 'source.data'],
    ['M-35', 'data that is not base64', { type: 'base64', media_type: 'image/png', data: '###' }, 'source.data'],
    ['M-36', 'no url', { type: 'url' }, 'source.url'],
    ['M-36', 'a number as url', { type: 'url', url: 5 }, 'source.url'],
    ['M-36', 'a url of another kind', { type: 'url', url: 'file:///etc/passwd' }, 'source.url'],
    ['M-37', 'another type of source', { type: 'x' }, 'source.type'],
    ['M-37', 'a source without type', {}, 'source.type'],
  ])('[%s] an image with %s is refused', (_rule, _label, source, place) => refusedAt(image(source), place));

  test('[M-34] an image with a source is accepted', () => taken(png()));
  test.each(Object.entries(IMAGES))('[M-35] an image of type %s is accepted', (media_type, data) =>
    taken(image({ type: 'base64', media_type, data })),
  );
  test('[M-35] the bytes of an image reach every model that reads images', async () => {
    for (const model of READERS) {
      const { sentText } = await lossless(stand, ask({ model, messages: [user(png())] }));
      expect(sentText).toContain(IMAGES['image/png']);
    }
  });
  test.each([CLAUDE, OPENAI, RESPONSES])('[M-36][M-37] an image url is forwarded to %s', async (model) => {
    const { sentText } = await lossless(stand, ask({ model, messages: [user(image(URL_SOURCE))] }));
    expect(sentText).toContain('"https://example.com/a.png"');
  });
});

describe('documents', () => {
  test.each([
    ['M-38', 'an image', { type: 'base64', media_type: 'image/png', data: IMAGES['image/png'] }, 'source.media_type'],
    ['M-38', 'no data', { type: 'base64', media_type: 'application/pdf' }, 'source.data'],
    ['M-38', 'data that is not base64', { type: 'base64', media_type: 'application/pdf', data: '#' }, 'source.data'],
    ['M-39', 'a web page', { type: 'text', media_type: 'text/html', data: '<p>' }, 'source.media_type'],
    ['M-39', 'no text', { type: 'text', media_type: 'text/plain' }, 'source.data'],
    ['M-40', 'a number as content', { type: 'content', content: 5 }, 'source.content'],
    ['M-40', 'no content', { type: 'content' }, 'source.content'],
    ['M-40', 'a block of another kind', { type: 'content', content: [{ type: 'x' }] }, 'source.content.0'],
    ['M-41', 'no url', { type: 'url' }, 'source.url'],
    ['M-41', 'a number as url', { type: 'url', url: 5 }, 'source.url'],
  ])('[%s] documents with %s are refused', (_rule, _label, source, place) => refusedAt(document(source), place));

  test.each([
    ['M-38', 'PDF', pdf()],
    ['M-39', 'plain text', note()],
    ['M-40', 'a string', document({ type: 'content', content: 'About roads.' })],
    ['M-40', 'blocks', document({ type: 'content', content: [text('About roads.'), png()] })],
    ['M-42', 'a title and context', note({ title: 'Roads', context: 'From a book' })],
    ['M-42', 'citations on', note({ citations: { enabled: true } })],
    ['M-42', 'citations off', note({ citations: { enabled: false } })],
  ])('[%s] documents of %s are accepted', (_rule, _label, block) => taken(block));

  test('[M-38] the bytes of a PDF reach every model that reads documents', async () => {
    for (const model of READERS)
      expect((await served(stand, ask({ model, messages: [user(pdf())] }))).sentText).toContain(PDF);
  });

  test('[M-41] documents by url reach an upstream of this dialect', async () => {
    const block = document({ type: 'url', url: 'https://example.com/a.pdf' });
    expect(blocksSent((await lossless(stand, talk(user(block)))).sent)).toEqual([block]);
  });

  test.each([
    ['title', { title: 5 }],
    ['context', { context: 5 }],
    ['citations', { citations: true }],
    ['citations.enabled', { citations: { enabled: 'yes' } }],
  ])('[M-42] documents with a wrong %s are refused', (place, members) => refusedAt(note(members), place));
});

describe('search results', () => {
  test.each([
    ['M-57', 'text', searchResult()],
    ['M-58', 'citations on', searchResult({ citations: { enabled: true } })],
    ['M-58', 'citations off', searchResult({ citations: { enabled: false } })],
  ])('[%s] search results with %s are accepted', (_rule, _label, block) => taken(block));

  test.each([
    ['null as source', { source: null }],
    ['null as title', { title: null }],
    ['an image inside', { content: [text('Look:'), png()] }],
    ['a document inside', { content: [text('Read:'), note()] }],
  ])('[M-57] search results with %s are accepted', async (_label, members) => {
    for (const model of READERS)
      await served(stand, ask({ model, messages: [user(searchResult(members), text('So?'))] }));
  });

  test.each([
    ['M-57', 'text as content', { content: 'x' }, 'content'],
    ['M-57', 'no content', { content: undefined }, 'content'],
    ['M-57', 'a tool result inside', { content: [{ type: 'tool_result', tool_use_id: 'a' }] }, 'content.0'],
    ['M-57', 'a number as source', { source: 5 }, 'source'],
    ['M-57', 'a number as title', { title: 5 }, 'title'],
    ['M-58', 'citations without enabled', { citations: {} }, 'citations.enabled'],
    ['M-58', 'text as enabled', { citations: { enabled: 'yes' } }, 'citations.enabled'],
  ])('[%s] search results with %s are refused', (_rule, _label, members, place) =>
    refusedAt(searchResult(members), place),
  );
});
