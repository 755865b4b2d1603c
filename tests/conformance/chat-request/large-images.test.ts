/** Images of a megabyte are forwarded byte for byte, and get the same answers as small ones. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refused, served, talk, user } from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

/** Different at every place, so that no two parts of it can be taken for each other. */
const bytes = (length: number): Buffer => {
  const made = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) made.writeUInt32LE(Math.imul(at + 1, 2_654_435_761) >>> 0, at);
  return made;
};
const PNG_HEAD = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'base64');
const picture = (length: number): string => Buffer.concat([PNG_HEAD, bytes(length)]).toString('base64');
const IMAGE = picture(1_000_001);
const OTHER = picture(400_000);
const text = (value: string) => ({ type: 'text', text: value });
const image = (base64: string) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } });
const CLAUDE = 'anthropic/claude-sonnet-4-5';

describe('a prompt with images of a megabyte', () => {
  test('a prompt with a large image is forwarded unchanged to a host of the same dialect', async () => {
    const message = user([text('Größe?'), image(IMAGE), text('and'), image(OTHER)]);
    const { sent } = await served(stand, talk(message));
    expect(sent['messages']).toEqual([message]);
  });

  test('a prompt with a large image is translated into another dialect', async () => {
    const { sent } = await served(stand, { ...talk(user([text('a'), image(IMAGE), image(OTHER)])), model: CLAUDE });
    const [turn] = sent['messages'] as { content: { source?: { data: string } }[] }[];
    expect(turn?.content.map(({ source }) => source?.data)).toEqual([undefined, IMAGE, OTHER]);
  });

  test('a prompt with a large image is refused for the same reasons as a small one', async () => {
    const where = 'messages[0].content[1].image_url.url';
    await refused(stand, talk(user([text('a'), image(`${IMAGE.slice(0, -4)}====`)])), where);
    await refused(stand, talk(user([text('a'), image(`${IMAGE}A`)])), where);
    await refused(stand, talk(user([text('a'), { type: 'x', image_url: IMAGE }])), 'messages[0].content[1]');
  });

  test('a large image may be written with JSON escapes', async () => {
    const url = `data:image/png;base64,${IMAGE}`;
    const body = JSON.stringify(talk(user([text('a'), { type: 'image_url', image_url: { url: 'HERE' } }])));
    const { sent } = await served(stand, body.replace('HERE', url.replaceAll('/', '\\/')));
    expect(sent['messages']).toEqual([user([text('a'), image(IMAGE)])]);
  });
});

test('a text of a megabyte that looks like base64 stays a text', async () => {
  const message = user([text(IMAGE)]);
  const { sent } = await served(stand, talk(message));
  expect(sent['messages']).toEqual([message]);
});

test('requests under one Idempotency-Key differ by the last bytes of their images', async () => {
  const changed = `${IMAGE.slice(0, 700_000)}AAAA${IMAGE.slice(700_004)}`;
  const headers = { 'idempotency-key': 'large-image' };
  const { sent } = await served(stand, talk(user([image(IMAGE)])), headers);
  expect(sent['messages']).toEqual([user([image(IMAGE)])]);
  await expect(served(stand, talk(user([image(changed)])), headers)).rejects.toThrow();
});
