/** Image streams: partial images in order, one completed image, and nothing after it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  framesOf,
  GEMINI,
  GPT,
  IMAGEN,
  type ImageFrame,
  imageConfig,
  imageHosts,
  PNG,
  postEdit,
  type Reply,
  SMALL,
  startsAs,
  streamed,
} from '../../support/image-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: imageHosts, config: imageConfig });
});
afterAll(() => stand.close());

const generate = (prompt = 'a cat', model = GPT, more: object = {}): Promise<Reply> =>
  streamed(stand, { model, prompt, partial_images: 3, ...more });
const edit = (prompt = 'a cat', model = GPT): Promise<Reply> =>
  postEdit(stand, [
    ['model', model],
    ['prompt', prompt],
    ['image', PNG],
    ['stream', 'true'],
    ['partial_images', '3'],
  ]);
const ROUTES = [
  ['image_generation', generate],
  ['image_edit', edit],
] as const;
const kindsOf = (frames: readonly ImageFrame[]): readonly unknown[] => frames.map(({ data }) => data['type']);

test('[IS-16] [IS-17] every frame has its type in the event and in the data, and only types of its route', async () => {
  for (const [kind, send] of ROUTES) {
    const frames = framesOf(await send());
    for (const { event, data } of frames) expect(event).toBe(data['type']);
    expect(new Set(kindsOf(frames))).toEqual(new Set([`${kind}.partial_image`, `${kind}.completed`]));
  }
});

test('[IS-18] [IS-19] partial images have all their fields, and indexes from 0', async () => {
  for (const [kind, send] of ROUTES) {
    const partials = framesOf(await send()).filter(({ event }) => event === `${kind}.partial_image`);
    expect(partials.map(({ data }) => data['partial_image_index'])).toEqual([0, 1, 2]);
    for (const { data } of partials)
      expect(data).toEqual({
        type: `${kind}.partial_image`,
        b64_json: expect.any(String),
        created_at: expect.any(Number),
        background: 'opaque',
        output_format: 'png',
        partial_image_index: expect.any(Number),
        quality: 'high',
        size: '1024x1024',
      });
    expect(new Set(partials.map(({ data }) => data['b64_json'])).size).toBe(3);
  }
});

test('[IS-20] the completed image has the fields of a partial image, without the index', async () => {
  for (const [kind, send] of ROUTES) {
    const { data = {} } = framesOf(await send()).at(-1) ?? {};
    expect(Object.keys(data).sort()).toEqual(
      ['type', 'b64_json', 'created_at', 'background', 'output_format', 'quality', 'size', 'usage'].sort(),
    );
    expect(data['type']).toBe(`${kind}.completed`);
    expect(startsAs(data['b64_json'], 'png')).toBe(true);
  }
});

test('[IS-21] exactly one completed image is sent, and it is the last frame', async () => {
  for (const model of [GPT, IMAGEN, GEMINI, SMALL])
    for (const [, send] of ROUTES.slice(0, model === SMALL ? 1 : 2)) {
      const reply = await send('a cat', model);
      const kinds = kindsOf(framesOf(reply)).map(String);
      expect(kinds.filter((kind) => kind.endsWith('.completed'))).toHaveLength(1);
      expect(kinds.at(-1)).toMatch(/\.completed$/);
      expect(reply.text.endsWith('\n\n')).toBe(true);
    }
});

test('[IS-22] an image stream may have no partial images', async () => {
  for (const [model, prompt] of [
    [GPT, 'a cat @simulate pictures=no-partials'],
    [IMAGEN, 'a cat'],
    [GEMINI, 'a cat'],
  ] as const)
    expect(kindsOf(framesOf(await generate(prompt, model)))).toEqual(['image_generation.completed']);
  expect(framesOf(await generate())).toHaveLength(4);
});

test('[IS-23] unknown values of a host are replaced by auto', async () => {
  for (const { data } of framesOf(await generate('a cat @simulate pictures=odd-words')))
    expect(data).toMatchObject({ background: 'auto', quality: 'auto', size: 'auto' });
  for (const { data } of framesOf(await generate('a cat', GPT, { quality: 'low', background: 'transparent' })))
    expect(data).toMatchObject({ background: 'transparent', quality: 'low' });
});

test('[IS-24] the format matches the bytes', async () => {
  for (const format of ['png', 'jpeg', 'webp'] as const) {
    const asked = framesOf(await generate('a cat', GPT, { output_format: format }));
    const given = framesOf(await generate(`a cat @simulate pictures=${format === 'png' ? 'plain' : format}`, IMAGEN));
    for (const { data } of [...asked, ...given]) {
      expect(data['output_format']).toBe(format);
      expect(startsAs(data['b64_json'], format)).toBe(true);
    }
  }
});

test('[IS-25] times are integer seconds', async () => {
  const now = Date.now() / 1000;
  for (const [, send] of ROUTES)
    for (const { data } of framesOf(await send())) {
      expect(Number.isInteger(data['created_at'])).toBe(true);
      expect(Math.abs(Number(data['created_at']) - now)).toBeLessThan(600);
    }
});

test('[IS-27] an image stream that fails ends with an error frame, and without a completed image', async () => {
  for (const fault of ['reset-mid-stream', 'end-mid-stream', 'error-frame-mid', 'malformed-frame']) {
    const frames = framesOf(await generate(`a cat @simulate fault=${fault} after=1 tps=20`));
    expect(kindsOf(frames).filter((kind) => String(kind).endsWith('.completed'))).toEqual([]);
    expect(frames.at(-1)).toEqual({
      event: 'error',
      data: {
        type: 'error',
        error: { type: 'server_error', code: expect.any(String), message: expect.any(String), param: null },
      },
    });
  }
  const before = await generate('a cat @simulate status=429');
  expect([before.status, before.headers.get('content-type')]).toEqual([429, 'application/json']);
});
