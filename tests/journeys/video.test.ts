// A video from submission to result: stored, made once, charged once, and visible to its account only.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nameIn, openVideoStand, VEO, type VideoStand } from '../support/video-probe.ts';

let stand: VideoStand;
beforeAll(async () => {
  stand = await openVideoStand();
});
afterAll(() => stand.close());

test('a clip can be played from the console listener by its signed link only', async () => {
  const name = nameIn((await stand.submit(VEO, { prompt: 'a cat' }, { durationSeconds: 8 })).json);
  const { response } = (await stand.finished(name)) as { response: { videos: { gcsUri: string }[] } };
  const { pathname, search } = new URL(response.videos[0]?.gcsUri ?? '');
  const range = { headers: { range: 'bytes=4-7' } };
  const part = await fetch(`${stand.gateway.adminUrl}${pathname}${search}`, range);
  expect([part.status, await part.text()]).toEqual([206, 'ftyp']);
  expect((await fetch(`${stand.gateway.adminUrl}${pathname}`)).status).toBe(403);
});

test('a video is submitted, polled and fetched', async () => {
  const reply = await stand.submit(VEO, { prompt: 'a cat @simulate polls=2' }, { durationSeconds: 8 });
  expect(reply.status, reply.text).toBe(200);
  const name = nameIn(reply.json);
  expect(name).toMatch(/^publishers\/google\/models\/veo-3\.1\/operations\/[\w-]{22,}$/);
  const { response } = (await stand.finished(name)) as { response: { videos: { gcsUri: string }[] } };
  const clip = await fetch(response.videos[0]?.gcsUri ?? '');
  expect(clip.status).toBe(200);
  expect(clip.headers.get('content-type')).toBe('video/mp4');
  expect((await clip.text()).slice(4, 8)).toBe('ftyp');
});
