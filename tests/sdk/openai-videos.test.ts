// The official OpenAI SDKs as judges of videos in their format: JavaScript and Python, at hosts of two formats.
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Judgement, judgeWithPython } from '../support/python-judge.ts';
import { KEY, openVideoStand, PNG, SORA, VEO, type VideoStand } from '../support/video-probe.ts';

let stand: VideoStand;
let python: Judgement;
beforeAll(async () => {
  stand = await openVideoStand();
  python = await judgeWithPython(stand, 'test_openai_videos.py');
});
afterAll(() => stand.close());

test.each([SORA, VEO])(
  '[VO-13] openai for JavaScript and for Python order, await, list, download and delete, %s',
  async (model) => {
    const { videos } = new OpenAI({ apiKey: KEY, baseURL: `${stand.url}/v1`, maxRetries: 0 });
    const input_reference = await toFile(Buffer.from(PNG, 'base64'), 'first.png', { type: 'image/png' });
    const order = { model, prompt: 'a boat', seconds: '8', size: '1280x720' } as const;
    let video = await videos.create({ ...order, input_reference });
    expect(video).toMatchObject({ object: 'video', status: 'queued', model });
    const until = performance.now() + 20_000;
    while (video.status !== 'completed' && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      video = await videos.retrieve(video.id);
    }
    expect(video).toMatchObject({ status: 'completed', progress: 100, seconds: '8', size: '1280x720' });
    const bytes = await (await videos.downloadContent(video.id)).text();
    expect(bytes.slice(4, 8)).toBe('ftyp');
    const second = await videos.create(order);
    const listed: string[] = [];
    for await (const one of videos.list({ limit: 1 })) listed.push(one.id);
    expect(listed.slice(0, 2)).toEqual([second.id, video.id]);
    expect(await videos.delete(video.id)).toEqual({ id: video.id, deleted: true, object: 'video.deleted' });
    await expect(videos.retrieve(video.id)).rejects.toMatchObject({ status: 404 });
    await expect(videos.remix(second.id, { prompt: 'at night' })).rejects.toMatchObject({ status: 400 });
    expect(python.seen(`whole ${model}`)).toEqual({
      status: 'completed',
      ...{ seconds: '8', size: '1280x720', head: 'ftyp', listed: true, deleted: true, after: 404 },
    });
  },
);
