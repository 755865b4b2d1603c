// The official OpenAI SDKs as judges of videos in their format: JavaScript and Python, at hosts of two formats.
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Judgement, judgeWithPython } from '../support/python-judge.ts';
import { KEY, openVideoStand, PNG, SORA, VEO, type VideoStand } from '../support/video-probe.ts';

let stand: VideoStand;
let python: Promise<Judgement>;
beforeAll(async () => {
  stand = await openVideoStand();
  // Beside the other one: most of both is waiting.
  python = judgeWithPython(stand, 'test_openai_videos.py');
  python.catch(() => undefined);
});
afterAll(() => stand.close());

test.each([SORA, VEO])(
  '[VO-13] openai for JavaScript and for Python order, await, list, download, remix and delete, %s',
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
    for await (const one of videos.list({ limit: 2 })) listed.push(one.id);
    expect(listed.filter((id) => id === video.id || id === second.id)).toEqual([second.id, video.id]);
    const remix = videos.remix(video.id, { prompt: 'at night' });
    if (model === SORA)
      expect(await remix).toMatchObject({ model, status: 'queued', seconds: '8', remixed_from_video_id: video.id });
    else await expect(remix).rejects.toMatchObject({ status: 400, code: 'remix_unsupported' });
    expect(await videos.delete(video.id)).toEqual({ id: video.id, deleted: true, object: 'video.deleted' });
    await expect(videos.retrieve(video.id)).rejects.toMatchObject({ status: 404 });
    expect((await python).seen(`whole ${model}`)).toEqual({
      status: 'completed',
      ...{ seconds: '8', size: '1280x720', head: 'ftyp', listed: true, deleted: true, after: 404 },
      remixed: model === SORA ? true : 'remix_unsupported',
    });
  },
);
