// Every video dialect against its strict simulated vendor over HTTP: submissions are accepted, and every outcome is understood.
import type { VideoCall, VideoProgress } from '@trivium/protocol/canonical';
import { type VideoDialect, type VideoTarget, type VideoTask, videoDialects } from '@trivium/protocol/dialects';
import { type Simulator, startSimulator } from '@trivium/simulator';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const FRAME = { base64: PNG, mimeType: 'image/png' };

type Home = { readonly base: string; readonly path: string; readonly form?: string; readonly credential?: string };
const HOMES: Readonly<Record<string, readonly Home[]>> = {
  'google-operations': [
    { base: '/google/v1beta', path: '/models/veo:predictLongRunning' },
    {
      base: '/vertex/v1/projects/p/locations/l',
      path: '/publishers/google/models/veo:predictLongRunning',
      form: 'cloud',
    },
  ],
  'ark-video': [{ base: '/ark/api/v3', path: '/contents/generations/tasks' }],
  'dashscope-video': [{ base: '/dashscope/api/v1', path: '/services/aigc/video-generation/video-synthesis' }],
  'kling-video': [{ base: '/kling', path: '/v1/videos/text2video' }],
  'minimax-video': [{ base: '/minimax/v1', path: '/video_generation' }],
  'xai-video': [{ base: '/xai/v1', path: '/videos/generations' }],
  'fal-video': [{ base: '/fal', path: '/fal-ai/bytedance/seedance/v1/pro', credential: 'Key sk-upstream' }],
  'openai-videos': [{ base: '/openai/v1', path: '/videos' }],
};
const ROADS = videoDialects.flatMap((dialect) =>
  (HOMES[dialect.id] ?? []).map((home) => ({ name: `${dialect.id} at ${home.base}`, dialect, home })),
);

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({});
});
afterAll(() => simulator.close());
beforeEach(() => simulator.truth.clear());

class Road {
  readonly dialect: VideoDialect;
  readonly target: VideoTarget;
  readonly #base: string;
  readonly #credential: string;

  constructor(dialect: VideoDialect, { base, path, form, credential = 'Bearer sk-upstream' }: Home) {
    this.dialect = dialect;
    this.#credential = credential;
    this.#base = `${simulator.url}${base}`;
    // Vendors that always make audio refuse the parameter.
    const audio = form === 'cloud' || !['google-operations'].includes(dialect.id) ? 'choice' : 'always';
    this.target = { upstreamModel: 'veo', path, limits: { audio }, ...(form !== undefined && { form }) };
  }

  async send(method: string, path: string, body?: object, headers: readonly (readonly [string, string])[] = []) {
    const response = await fetch(path.startsWith('http') ? path : `${this.#base}${path}`, {
      method,
      headers: {
        authorization: this.#credential,
        'x-goog-api-key': 'sk-upstream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...Object.fromEntries(headers),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text };
  }

  async submit(call: Partial<VideoCall>): Promise<VideoTask> {
    const submitted = this.dialect.submit(
      { operation: 'video', model: 'm', prompt: 'a cat', count: 1, ...call },
      this.target,
    );
    const { status, text } = await this.send('POST', submitted.path, submitted.body, submitted.headers);
    expect(status, text).toBe(200);
    const task = this.dialect.taskOf(JSON.parse(text), submitted);
    if (task === undefined) throw new Error('no task');
    return task;
  }

  async ask(task: VideoTask): Promise<VideoProgress> {
    const { method, path, body } = this.dialect.poll(task, this.target);
    const { status, text } = await this.send(method, path, body);
    expect([200, 202], text).toContain(status);
    const progress = this.dialect.progressOf(JSON.parse(text));
    if (progress.state !== 'errand') return progress;
    const { errand } = progress;
    const fetched = await this.send(errand.method, errand.path);
    const answer = JSON.parse(fetched.text);
    return this.dialect.noClips?.(fetched.status, answer) ?? this.dialect.clipsOf(answer);
  }
}

/** Only what all dialects have in common; the fixtures of each dialect have its own parameters. */
const CALLS: readonly { readonly name: string; readonly call: Partial<VideoCall> }[] = [
  { name: 'words alone', call: {} },
  { name: 'a first frame', call: { firstFrame: FRAME } },
  { name: 'shape and length', call: { aspectRatio: '9:16', seconds: 8 } },
];

describe.each(ROADS)('$name', ({ dialect, home }) => {
  test.each(CALLS)('the vendor accepts the submission: $name', async ({ call }) => {
    const road = new Road(dialect, home);
    await road.submit(call);
    expect(simulator.truth.read().map(({ refusal }) => refusal)).toEqual([undefined]);
  });

  test('a task is polled until done, and its clip can be fetched', async () => {
    const road = new Road(dialect, home);
    const task = await road.submit({ prompt: 'a cat @simulate polls=2' });
    expect((await road.ask(task)).state).toBe('waiting');
    expect((await road.ask(task)).state).toBe('waiting');
    const progress = await road.ask(task);
    if (progress.state !== 'done') throw new Error(`is ${progress.state}`);
    expect(progress.blocked).toEqual([]);
    expect(progress.videos).toHaveLength(1);
    const clip = await road.send('GET', progress.videos[0]?.url ?? '');
    expect(clip.text.slice(4, 8)).toBe('ftyp');
  });

  test('a filtered task is done without clips, and with a reason', async () => {
    const road = new Road(dialect, home);
    const task = await road.submit({ prompt: 'a cat @simulate polls=0 clip=blocked' });
    const progress = await road.ask(task);
    expect(progress).toMatchObject({ state: 'done', videos: [], blocked: [expect.any(String)] });
  });

  test('a failed task is an upstream failure', async () => {
    const road = new Road(dialect, home);
    const task = await road.submit({ prompt: 'a cat @simulate polls=0 clip=fails' });
    expect(await road.ask(task)).toMatchObject({ state: 'failed', fault: { kind: 'upstream-broken' } });
  });
});

test('one of several clips may be filtered', async () => {
  const dialect = videoDialects.find(({ id }) => id === 'google-operations');
  const home = HOMES['google-operations']?.[1];
  if (dialect === undefined || home === undefined) throw new Error('is not built');
  const road = new Road(dialect, home);
  const task = await road.submit({ prompt: 'a cat @simulate polls=0 clip=partly-blocked', count: 2 });
  expect(await road.ask(task)).toMatchObject({ state: 'done', videos: [{}], blocked: [{}] });
});

describe('the simulated vendors refuse', () => {
  test.each([
    ['/ark/api/v3/contents/generations/tasks', { model: 'm', content: [] }],
    ['/ark/api/v3/contents/generations/tasks', { model: 'm', content: [{ type: 'text', text: 'a' }], fps: 24 }],
    ['/dashscope/api/v1/services/aigc/video-generation/video-synthesis', { model: 'm', input: { prompt: 'a' } }],
    ['/kling/v1/videos/image2video', { model_name: 'm', prompt: 'a' }],
    ['/kling/v1/videos/text2video', { model_name: 'm', prompt: 'a', duration: 5 }],
    ['/minimax/v1/video_generation', { model: 'm', prompt: 'a', resolution: '720P' }],
    ['/xai/v1/videos/generations', { model: 'm' }],
    ['/openai/v1/videos', { model: 'm', prompt: 'a', seconds: 4 }],
    [
      '/google/v1beta/models/veo:predictLongRunning',
      { instances: [{ prompt: 'a' }], parameters: { durationSeconds: 5 } },
    ],
    [
      '/google/v1beta/models/veo:predictLongRunning',
      { instances: [{ prompt: 'a' }], parameters: { generateAudio: true } },
    ],
    ['/fal/fal-ai/bytedance/seedance/v1/pro/image-to-video', { prompt: 'a' }],
    ['/fal/fal-ai/bytedance/seedance/v1/pro/text-to-video', { prompt: 'a', duration: 5 }],
  ])('the simulated vendor refuses an invalid body: %s %j', async (path, body) => {
    const response = await fetch(`${simulator.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: path.startsWith('/fal') ? 'Key k' : 'Bearer k',
        'x-goog-api-key': 'k',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(400);
  });

  test('the simulated vendors refuse missing credentials and tasks of other keys', async () => {
    const asked = await fetch(`${simulator.url}/ark/api/v3/contents/generations/tasks/clip-1`);
    expect(asked.status).toBe(401);
    const road = new Road(ROADS[2]!.dialect, ROADS[2]!.home);
    const task = await road.submit({});
    const elsewhere = await fetch(`${simulator.url}/ark@other/api/v3/contents/generations/tasks/${task.id}`, {
      headers: { authorization: 'Bearer k' },
    });
    expect(elsewhere.status).toBe(404);
  });
});
