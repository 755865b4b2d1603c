/** Image generation of the chat protocol: what a request may hold, and what its answer holds. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CUSTOM,
  dataOf,
  framesOf,
  GEMINI,
  GPT,
  IMAGEN,
  imageConfig,
  imageHosts,
  made,
  postImages,
  refused,
  SMALL,
  STRICT,
  startsAs,
  streamed,
} from '../../support/image-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: imageHosts, config: imageConfig });
});
afterAll(() => stand.close());

const BASE = { model: GPT, prompt: 'a cat' };
const ask = (body: object) => () => postImages(stand, { ...BASE, ...body });

test('[IS-01] images are generated for callers of the chat protocol, at hosts of every dialect; other methods are refused', async () => {
  for (const model of [GPT, CUSTOM, GEMINI, IMAGEN, SMALL]) {
    const { reply } = await made(stand, ask({ model }));
    expect(startsAs(dataOf(reply)[0]?.['b64_json'], 'png')).toBe(true);
  }
  expect((await fetch(`${stand.chatUrl}/images/generations`)).status).toBe(405);
});

test('[IS-02] model and prompt are required strings', async () => {
  for (const field of ['model', 'prompt'])
    for (const value of [undefined, 5, '', null])
      expect((await refused(stand, ask({ [field]: value }), field))['param']).toBe(field);
  await made(stand, ask({}));
});

test('[IS-03] n is an integer of at least 1', async () => {
  expect(dataOf((await made(stand, ask({ n: 2 }))).reply)).toHaveLength(2);
  expect(dataOf((await made(stand, ask({}))).reply)).toHaveLength(1);
  for (const n of [0, '2', 1.5, -1]) await refused(stand, ask({ n }), 'n');
});

test('[IS-04] size is one of four values', async () => {
  for (const size of ['1024x1024', '1024x1536', '1536x1024', 'auto'])
    expect((await made(stand, ask({ size }))).sent['size']).toBe(size);
  for (const size of ['512x512', 5, '1024']) await refused(stand, ask({ size }), 'size');
});

test('[IS-05] stream chooses between events and JSON', async () => {
  const events = await streamed(stand, BASE);
  expect(events.headers.get('content-type')).toContain('text/event-stream');
  for (const stream of [false, undefined, null]) {
    const { reply } = await made(stand, ask({ stream }));
    expect(reply.headers.get('content-type')).toBe('application/json');
  }
  await refused(stand, ask({ stream: 'x' }), 'stream');
});

test('[IS-06] more than one image cannot be streamed', async () => {
  expect((await refused(stand, ask({ n: 2, stream: true }), 'n'))['param']).toBe('n');
  expect((await streamed(stand, { ...BASE, n: 1 })).status).toBe(200);
});

test('[IS-07] optional fields reach hosts that have them, and are losses elsewhere', async () => {
  const settings = {
    quality: 'low',
    background: 'transparent',
    output_format: 'webp',
    output_compression: 50,
    moderation: 'low',
  };
  const home = await made(stand, ask(settings));
  expect(home.sent).toMatchObject(settings);
  expect(home.losses).toEqual([]);
  const small = await made(stand, ask({ ...settings, model: SMALL }));
  expect(small.losses).toEqual(expect.arrayContaining(Object.keys(settings)));
  await refused(stand, () => postImages(stand, { ...BASE, ...settings, model: SMALL }, STRICT), 'quality');
  expect((await streamed(stand, { ...BASE, partial_images: 3 })).status).toBe(200);
  await made(stand, ask({ response_format: 'b64_json' }));
  const wrong = { partial_images: 4, quality: 'hd', background: 'red', output_format: 'gif', output_compression: 101 };
  for (const [name, value] of Object.entries({ ...wrong, moderation: 'none', response_format: 'bytes' }))
    await refused(stand, ask({ [name]: value }), name);
});

test('a member that the host does not know is left out with a loss, and refused in strict mode', async () => {
  const before = stand.simulator.truth.read().length;
  const reply = await postImages(stand, { ...BASE, foo: 1 });
  expect([reply.status, reply.headers.get('x-trivium-losses')]).toEqual([200, 'foo']);
  const sent = stand.simulator.truth.read().slice(before);
  expect(sent.map(({ refusal }) => refusal)).toEqual([expect.stringContaining("'foo'"), undefined]);
  expect((await postImages(stand, { ...BASE, foo: 1 }, STRICT)).status).toBe(400);
});

test('[IS-26] usage is reported only for models that are billed per token', async () => {
  const figures = {
    input_tokens: 2,
    input_tokens_details: { image_tokens: 0, text_tokens: 2 },
    output_tokens: 272,
    total_tokens: 274,
  };
  expect((await made(stand, ask({}))).reply.json['usage']).toEqual(figures);
  expect(framesOf(await streamed(stand, BASE)).at(-1)?.data['usage']).toEqual(figures);
  for (const model of [IMAGEN, SMALL, GEMINI]) {
    expect((await made(stand, ask({ model }))).reply.json).not.toHaveProperty('usage');
    expect(framesOf(await streamed(stand, { ...BASE, model })).at(-1)?.data).not.toHaveProperty('usage');
  }
});

test('[IS-28] the JSON answer describes the generated images', async () => {
  const { reply } = await made(
    stand,
    ask({ size: '1536x1024', quality: 'high', prompt: 'a cat @simulate pictures=revised' }),
  );
  expect(reply.json).toMatchObject({
    background: 'opaque',
    output_format: 'png',
    quality: 'high',
    size: '1536x1024',
    data: [{ b64_json: expect.any(String), revised_prompt: 'A better prompt.' }],
  });
  expect(Number.isInteger(reply.json['created'])).toBe(true);
  expect(dataOf((await made(stand, ask({}))).reply)[0]).not.toHaveProperty('revised_prompt');
});

test('[IS-29] the answer holds URLs where requested and bytes otherwise, even when the host sends a URL', async () => {
  const byUrl = { model: SMALL, prompt: 'a cat @simulate pictures=by-url' };
  const [address] = dataOf((await made(stand, ask({ ...byUrl, response_format: 'url' }))).reply);
  expect(address).toEqual({ url: expect.stringContaining('/pictures/kept/') });
  const [bytes] = dataOf((await made(stand, ask(byUrl))).reply);
  expect(Object.keys(bytes ?? {})).toEqual(['b64_json']);
  expect(startsAs(bytes?.['b64_json'], 'png')).toBe(true);
  const [inline] = dataOf((await made(stand, ask({ response_format: 'url' }))).reply);
  expect(inline).toEqual({ url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) });
});

test('[IS-30] a moderated image is an error with its code, and nothing is charged', async () => {
  for (const model of [GPT, IMAGEN]) {
    const reply = await postImages(stand, { model, prompt: 'a cat @simulate pictures=blocked' });
    expect(reply.status).toBe(400);
    expect(reply.json['error']).toMatchObject({ code: 'moderation_blocked', type: 'invalid_request_error' });
    const last = stand.records.at(-1);
    expect([last?.how, last?.reading?.usage['pictures'] ?? 0]).toEqual(['fault', 0]);
  }
  await made(stand, ask({}));
});
