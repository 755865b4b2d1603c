// A video from its order to its end: written down, made once, charged once, and there for its account alone.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nameIn, openVideoStand, VEO, type VideoStand } from '../support/video-probe.ts';

let stand: VideoStand;
beforeAll(async () => {
  stand = await openVideoStand();
});
afterAll(() => stand.close());

test('is ordered, waited for and fetched', async () => {
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
