/** Hosts that make images in jobs: submitted once, polled until done, and fetched by URL. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  FILL,
  FLUX,
  framesOf,
  GPT,
  imageConfig,
  imageHosts,
  JPEG,
  type Json,
  made,
  PNG,
  predict,
  predictionsOf,
  QUEUED_FLUX,
  QUEUED_KONTEXT,
  QUEUED_SEEDREAM,
  QWEN,
  type Reply,
  refused,
  startsAs,
  streamed,
  WAN,
} from '../../support/image-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  // A short keep-alive interval: the gateway polls jobs at this interval.
  const config = (url: string) => ({ ...imageConfig(url), timeouts: { keepAliveToCallerMs: 400 } });
  stand = await openStand({ alsoHosts: imageHosts, config });
});
afterAll(() => stand.close());

const ask = (parameters: object = {}, instance: object = {}, model = FLUX): Promise<Reply> =>
  predict(stand, model, { instances: [{ prompt: 'a cat', ...instance }], parameters });

type Seen<T> = { readonly reply: T; readonly submits: readonly Json[]; readonly polls: number };

/** The submits and polls that the host received; fails if it refused any of them. */
async function watching<T>(send: () => Promise<T>, vendor = 'bfl'): Promise<Seen<T>> {
  const before = stand.simulator.truth.read().length;
  const reply = await send();
  const entries = stand.simulator.truth
    .read()
    .slice(before)
    .filter((entry) => entry.vendor === vendor);
  expect(entries.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  const submits = entries.filter(({ method }) => method === 'POST').map(({ body }) => body as Json);
  return { reply, submits, polls: entries.length - submits.length };
}

const references = (count: number): object => ({
  referenceImages: Array.from({ length: count }, (_, at) => ({
    referenceId: at + 1,
    referenceType: 'REFERENCE_TYPE_RAW',
    referenceImage: { bytesBase64Encoded: PNG.toString('base64') },
  })),
});

test('a job is submitted once and polled, and its image is fetched', async () => {
  const { reply, submits, polls } = await watching(() => ask({ aspectRatio: '1:1', seed: 7, enhancePrompt: true }));
  expect([reply.status, polls]).toEqual([200, 2]);
  const [image] = predictionsOf(reply);
  expect([image?.['mimeType'], startsAs(image?.['bytesBase64Encoded'], 'png')]).toEqual(['image/png', true]);
  expect(submits).toEqual([
    { prompt: 'a cat', width: 1024, height: 1024, seed: 7, prompt_upsampling: true, output_format: 'png' },
  ]);
});

test('fetches of generated images queue up at the concurrency limit, and none is lost', async () => {
  const config = (url: string) => {
    const { media } = imageConfig(url) as { media: { fetch: object } };
    return { media: { fetch: { ...media.fetch, maxAtOnce: 1 } } };
  };
  const narrow = await openStand({ alsoHosts: imageHosts, config });
  try {
    const body = { instances: [{ prompt: 'a cat' }], parameters: { sampleCount: 4 } };
    const [one, other] = await Promise.all([predict(narrow, WAN, body), predict(narrow, WAN, body)]);
    for (const reply of [one, other]) {
      expect(reply.status).toBe(200);
      expect(predictionsOf(reply).map((image) => startsAs(image['bytesBase64Encoded'], 'png'))).toEqual(
        Array.from({ length: 4 }, () => true),
      );
    }
  } finally {
    await narrow.close();
  }
});

const URI = `data:image/png;base64,${PNG.toString('base64')}`;
const inMessage = (...content: object[]): object => ({ messages: [{ role: 'user', content }] });

test('a task in message form may have several images, with images before the text and sizes in pixels', async () => {
  const wanted = { sampleCount: 2, aspectRatio: '16:9', sampleImageSize: '2K', seed: 7, negativePrompt: 'rain' };
  const { reply, submits, polls } = await watching(() => ask(wanted, references(2), WAN), 'dashscope');
  expect([reply.status, polls]).toEqual([200, 2]);
  expect(predictionsOf(reply).map((image) => startsAs(image['bytesBase64Encoded'], 'png'))).toEqual([true, true]);
  expect(submits).toEqual([
    {
      model: 'wan2.7-image',
      input: inMessage({ image: URI }, { image: URI }, { text: 'a cat' }),
      parameters: { n: 2, size: '2730*1536', seed: 7, negative_prompt: 'rain' },
    },
  ]);
  await refused(stand, () => ask({}, references(10), WAN), 'instances[0].referenceImages');
  await refused(stand, () => ask({ sampleCount: 5 }, {}, WAN), 'parameters.sampleCount');
});

test('one image of several in a task with a prompt may be filtered alone', async () => {
  const instance = { prompt: 'a cat @simulate pictures=partly-blocked' };
  const wanted = { sampleCount: 2, aspectRatio: '16:9', addWatermark: false };
  const { reply, submits } = await watching(() => ask(wanted, instance, QWEN), 'dashscope');
  expect(predictionsOf(reply).map((each) => Object.keys(each))).toEqual([
    ['raiFilteredReason'],
    ['bytesBase64Encoded', 'mimeType', 'gcsUri'],
  ]);
  expect(submits[0]).toMatchObject({ input: instance, parameters: { n: 2, size: '1664*928', watermark: false } });
  await refused(stand, () => ask({}, references(1), QWEN), 'instances[0].referenceImages');
});

const pathsOf = (vendor: string, from: number): readonly string[] =>
  stand.simulator.truth
    .read()
    .slice(from)
    .flatMap((entry) => (entry.vendor === vendor ? [entry.path.replace(/picture-[^/]+/, 'ID')] : []));

test('a queued job is submitted at the model’s path, polled below its app, and fetched when it is done', async () => {
  const before = stand.simulator.truth.read().length;
  const edit = () => ask({ aspectRatio: '1:1', seed: 7 }, references(2), QUEUED_FLUX);
  const { reply, submits } = await watching(edit, 'fal');
  expect(reply.status).toBe(200);
  expect(startsAs(predictionsOf(reply)[0]?.['bytesBase64Encoded'], 'png')).toBe(true);
  const size = { image_size: { width: 1024, height: 1024 }, seed: 7, output_format: 'png' };
  expect(submits).toEqual([{ prompt: 'a cat', image_urls: [URI, URI], ...size }]);
  const entry = '/fal-ai/flux-2-pro/requests/ID';
  expect(pathsOf('fal', before)).toEqual(['/fal-ai/flux-2-pro/edit', `${entry}/status`, `${entry}/status`, entry]);
});

test('a queued job with text alone and one with images use the paths that the model has for them', async () => {
  const asked = [
    ask({ aspectRatio: '16:9' }, {}, QUEUED_KONTEXT),
    ask({}, references(1), QUEUED_KONTEXT),
    ask({ sampleCount: 2 }, { prompt: 'a cat @simulate pictures=partly-blocked' }, QUEUED_SEEDREAM),
  ];
  const before = stand.simulator.truth.read().length;
  const { reply } = await watching(() => Promise.all(asked), 'fal');
  expect(reply.map(({ status }) => status)).toEqual([200, 200, 200]);
  const kinds = predictionsOf(reply[2] ?? reply[0]!).map((each) => Object.keys(each)[0]);
  expect(kinds).toEqual(['raiFilteredReason', 'bytesBase64Encoded']);
  expect(pathsOf('fal', before)).toEqual(
    expect.arrayContaining([
      '/fal-ai/flux-pro/kontext/text-to-image',
      '/fal-ai/flux-pro/kontext',
      '/fal-ai/flux-pro/requests/ID',
      '/fal-ai/bytedance/seedream/v4/text-to-image',
      '/fal-ai/bytedance/requests/ID',
    ]),
  );
  await refused(stand, () => ask({}, references(2), QUEUED_KONTEXT), 'instances[0].referenceImages');
  await refused(stand, () => ask({ sampleCount: 7 }, {}, QUEUED_SEEDREAM), 'parameters.sampleCount');
});

test.each([
  [FLUX, 'bfl'],
  [WAN, 'dashscope'],
  [QWEN, 'dashscope'],
  [QUEUED_FLUX, 'fal'],
])(
  '%s: a filtered image is a prediction with its reason, a failure is an error, and neither is submitted again',
  async (model, vendor) => {
    const ending = (manner: string) => ask({}, { prompt: `a cat @simulate pictures=${manner}` }, model);
    const { reply, submits } = await watching(() => Promise.all([ending('blocked'), ending('none')]), vendor);
    const [blocked, failed] = reply;
    expect([blocked.status, failed.status, submits.length]).toEqual([200, 502, 2]);
    expect(Object.keys(predictionsOf(blocked)[0] ?? {})).toEqual(['raiFilteredReason']);
  },
);

test('a failed poll is repeated, and the job goes on', async () => {
  stand.simulator.arm('status=500', { vendor: 'bfl', path: '/v1/get_result' });
  const { reply, submits, polls } = await watching(() => ask());
  // The host counted the failed poll all the same: the next one finds the job done.
  expect([reply.status, submits.length, polls]).toEqual([200, 1, 2]);
});

test('several failed polls in a row do not lose the image', async () => {
  const question = { vendor: 'bfl', path: '/v1/get_result' };
  for (const bad of ['status=503', 'status=429', 'fault=reset-before-headers']) stand.simulator.arm(bad, question);
  const { reply, submits, polls } = await watching(() => ask());
  expect([reply.status, submits.length, polls]).toEqual([200, 1, 4]);
  expect(startsAs(predictionsOf(reply)[0]?.['bytesBase64Encoded'], 'png')).toBe(true);
});

test('a job with a poll refused as forbidden is not polled again', async () => {
  stand.simulator.arm('status=403', { vendor: 'bfl', path: '/v1/get_result' });
  const { reply, submits, polls } = await watching(() => ask());
  expect([reply.status, submits.length, polls]).toEqual([502, 1, 1]);
});

test('[N-20] eight input images are accepted where a host takes eight', async () => {
  const { reply, submits } = await watching(() => ask({}, references(8)));
  expect(reply.status).toBe(200);
  expect(Object.keys(submits[0] ?? {}).filter((name) => name.startsWith('input_image'))).toHaveLength(8);
  await refused(stand, () => ask({}, references(9)), 'instances[0].referenceImages');
});

test('the stream of a job holds its one image', async () => {
  const frames = framesOf(await streamed(stand, { model: FLUX, prompt: 'a cat' }));
  expect(frames.map(({ event }) => event)).toEqual(['image_generation.completed']);
  expect(startsAs(frames[0]?.data['b64_json'], 'png')).toBe(true);
});

/** Two pixels beside each other, with the given colours and alpha. */
function twoPixels(left: readonly number[], right: readonly number[]): Buffer {
  const chunk = (name: string, data: Buffer): Buffer => {
    const framed = Buffer.alloc(12 + data.length);
    framed.writeUInt32BE(data.length);
    framed.write(name, 4, 'latin1');
    data.copy(framed, 8);
    framed.writeUInt32BE(crc32(framed.subarray(4, 8 + data.length)), 8 + data.length);
    return framed;
  };
  const head = Buffer.from([0, 0, 0, 2, 0, 0, 0, 1, 8, 6, 0, 0, 0]);
  return Buffer.concat([
    PNG.subarray(0, 8),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.from([0, ...left, ...right]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const masked = (model: string, mask: Buffer) => () =>
  predict(stand, model, {
    instances: [
      {
        prompt: 'a cat',
        referenceImages: [
          ...(references(1) as { referenceImages: object[] }).referenceImages,
          {
            referenceId: 2,
            referenceType: 'REFERENCE_TYPE_MASK',
            referenceImage: { bytesBase64Encoded: mask.toString('base64') },
            maskImageConfig: { maskMode: 'MASK_MODE_USER_PROVIDED' },
          },
        ],
      },
    ],
  });

test('[I-50] transparent pixels are edited: for hosts that edit white pixels, the mask is inverted', async () => {
  const [transparent, opaque] = [
    [9, 9, 9, 0],
    [200, 200, 200, 255],
  ] as const;
  const mask = twoPixels(transparent, opaque);
  const { reply, submits } = await watching(masked(FILL, mask));
  expect(reply.status).toBe(200);
  const sent = Buffer.from(String(submits[0]?.['mask']), 'base64');
  const at = sent.indexOf('IDAT');
  // The PNG line: filter type none, then one grey byte per pixel.
  expect([...inflateSync(sent.subarray(at + 4, at + 4 + sent.readUInt32BE(at - 4)))]).toEqual([0, 255, 0]);
  expect(submits[0]?.['image']).toBe(PNG.toString('base64'));
  const same = (await made(stand, masked(GPT, mask))).sent['files'] as { name: string; base64: string }[];
  expect(same.find(({ name }) => name === 'mask')?.base64).toBe(mask.toString('base64'));
  const at1 = 'instances[0].referenceImages[1]';
  await refused(stand, masked(FILL, JPEG), at1);
  await refused(stand, masked(FLUX, mask), at1);
});
