// Submitting videos: what the body may hold, what reaches the vendor, what is refused and which field the error names.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { body, refusedFor, taken } from '../../support/video-conformance.ts';
import {
  CLOUD,
  FIVE_OR_EIGHT,
  GROK,
  HAILUO,
  JPEG,
  type Json,
  KLING,
  nameIn,
  openVideoStand,
  PNG,
  SEEDANCE,
  STRICT_KEY,
  VEO,
  type VideoStand,
  WAN,
} from '../../support/video-probe.ts';

let stand: VideoStand;
beforeAll(async () => {
  stand = await openVideoStand();
});
afterAll(() => stand.close());

const CAT = { prompt: 'a cat' };
const image = (base64 = PNG, mimeType: unknown = 'image/png'): Json => ({
  bytesBase64Encoded: base64,
  ...(mimeType !== undefined && { mimeType }),
});
const inInstance = ({ sent }: { sent: Json }): Json => (sent['instances'] as Json[])[0] ?? {};
const inParameters = ({ sent }: { sent: Json }): Json => (sent['parameters'] ?? {}) as Json;
const strict = { authorization: `Bearer ${STRICT_KEY}` };

describe('the body', () => {
  test('[V-01] a valid body is 200 with the operation name only; an invalid one is 400', async () => {
    const { reply } = await taken(stand, VEO, CAT);
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.json)).toEqual(['name']);
    await refusedFor(stand, VEO, {}, 'instances');
  });

  test('[V-02] instances holds exactly one object', async () => {
    for (const instances of [undefined, {}, [], [CAT, CAT], [null], ['x']])
      await refusedFor(stand, VEO, instances === undefined ? {} : { instances }, 'instances');
    await taken(stand, VEO, CAT);
  });

  test('[V-03] the prompt is a string and reaches the vendor unchanged', async () => {
    expect(inInstance(await taken(stand, VEO, { prompt: '  a cat\n“and” a dog ' }))['prompt']).toBe(
      '  a cat\n“and” a dog ',
    );
    for (const prompt of [5, []]) await refusedFor(stand, VEO, body({ prompt }), 'instances[0].prompt');
  });

  test('[V-04] a prompt is required unless there is an image', async () => {
    await refusedFor(stand, VEO, body({}), 'instances[0].prompt');
    await refusedFor(stand, VEO, body({ prompt: '' }), 'instances[0].prompt');
    await taken(stand, VEO, CAT);
  });

  test('[V-05] [V-06] an image alone suffices, and is the first frame of the clip', async () => {
    const alone = inInstance(await taken(stand, VEO, { image: image() }));
    expect(alone).toEqual({ image: { bytesBase64Encoded: PNG, mimeType: 'image/png' } });
    const both = inInstance(await taken(stand, VEO, { ...CAT, image: image() }));
    expect(both['lastFrame']).toBeUndefined();
    await refusedFor(stand, WAN, body({ ...CAT, image: image() }), 'instances[0].image');
  });

  test('[V-07] frames are base64 and reach the vendor byte for byte', async () => {
    for (const bytes of [undefined, 5, '%%%'])
      await refusedFor(
        stand,
        VEO,
        body({ ...CAT, image: { mimeType: 'image/png', ...(bytes !== undefined && { bytesBase64Encoded: bytes }) } }),
        'instances[0].image.bytesBase64Encoded',
      );
    expect(inInstance(await taken(stand, VEO, { image: image() }))['image']).toMatchObject({ bytesBase64Encoded: PNG });
  });

  test('[V-08] a frame is PNG or JPEG, detected from its bytes where the mime type is absent', async () => {
    for (const [bytes, type] of [
      [PNG, 'image/png'],
      [JPEG, 'image/jpeg'],
    ] as const) {
      expect(inInstance(await taken(stand, VEO, { image: image(bytes, type) }))['image']).toMatchObject({
        mimeType: type,
      });
      const sniffed = await taken(stand, VEO, { image: { bytesBase64Encoded: bytes } });
      expect(inInstance(sniffed)['image']).toMatchObject({ mimeType: type });
    }
    for (const type of [5, 'text/plain'])
      await refusedFor(stand, VEO, body({ image: image(PNG, type) }), 'instances[0].image.mimeType');
  });

  test('[V-09] [V-10] a last frame is checked like the first, and both keep their places', async () => {
    await refusedFor(
      stand,
      VEO,
      body({ ...CAT, lastFrame: image('%%%') }),
      'instances[0].lastFrame.bytesBase64Encoded',
    );
    await refusedFor(stand, VEO, body({ ...CAT, lastFrame: image(PNG, 5) }), 'instances[0].lastFrame.mimeType');
    const both = inInstance(await taken(stand, VEO, { ...CAT, image: image(), lastFrame: image(JPEG, 'image/jpeg') }));
    expect(both).toMatchObject({
      image: { bytesBase64Encoded: PNG },
      lastFrame: { bytesBase64Encoded: JPEG, mimeType: 'image/jpeg' },
    });
  });

  test('[V-11] a last frame without a first needs a prompt', async () => {
    expect(inInstance(await taken(stand, VEO, { ...CAT, lastFrame: image() }))['lastFrame']).toBeDefined();
    await refusedFor(stand, VEO, body({ lastFrame: image() }), 'instances[0].prompt');
  });

  test('[V-12] a frame the model cannot use is refused, never dropped', async () => {
    await refusedFor(stand, GROK, body({ ...CAT, lastFrame: image() }), 'instances[0].lastFrame');
    await taken(stand, KLING, { ...CAT, image: image(), lastFrame: image() });
  });

  test('[V-13] parameters is optional, and must be an object', async () => {
    await taken(stand, VEO, CAT);
    for (const parameters of [[], 'x']) await refusedFor(stand, VEO, { instances: [CAT], parameters }, 'parameters');
  });
});

describe('the parameters', () => {
  test('[V-14] [V-16] aspectRatio is one of three values, of which a model may have fewer', async () => {
    for (const ratio of ['16:9', '9:16'])
      expect(inParameters(await taken(stand, VEO, CAT, { aspectRatio: ratio }))['aspectRatio']).toBe(ratio);
    expect((await taken(stand, SEEDANCE, CAT, { aspectRatio: '1:1' })).sent['ratio']).toBe('1:1');
    for (const ratio of ['4:3', '16x9', 1.77])
      await refusedFor(stand, VEO, body(CAT, { aspectRatio: ratio }), 'parameters.aspectRatio');
    const message = await refusedFor(stand, VEO, body(CAT, { aspectRatio: '1:1' }), 'parameters.aspectRatio');
    expect(message).toContain('16:9, 9:16');
  });

  test('[V-15] aspectRatio defaults to 16:9 where a vendor requires one', async () => {
    expect(inParameters(await taken(stand, VEO, CAT))['aspectRatio']).toBe('16:9');
    expect(inParameters(await taken(stand, VEO, CAT, { aspectRatio: '9:16' }))['aspectRatio']).toBe('9:16');
  });

  test('[V-17] resolution is a value that the model has, and the error lists those that can be asked for', async () => {
    for (const resolution of ['480p', '720p'])
      expect((await taken(stand, GROK, CAT, { resolution })).sent['resolution']).toBe(resolution);
    await refusedFor(stand, GROK, body(CAT, { resolution: '1080p' }), 'parameters.resolution');

    for (const resolution of ['720p', '1080p'])
      expect(inParameters(await taken(stand, VEO, CAT, { resolution }))['resolution']).toBe(resolution);
    for (const resolution of ['480p', '720', 720])
      await refusedFor(stand, VEO, body(CAT, { resolution }), 'parameters.resolution');
  });

  test('[V-19] durationSeconds is an integer that the model supports', async () => {
    expect(inParameters(await taken(stand, VEO, CAT, { durationSeconds: 4 }))['durationSeconds']).toBe(4);
    for (const durationSeconds of ['8', 5.5, 0, -1, 5])
      await refusedFor(stand, VEO, body(CAT, { durationSeconds }), 'parameters.durationSeconds');
  });

  test('[V-20] generateAudio is a boolean', async () => {
    for (const generateAudio of [true, false])
      expect((await taken(stand, SEEDANCE, CAT, { generateAudio })).sent['generate_audio']).toBe(generateAudio);
    for (const generateAudio of ['true', 1])
      await refusedFor(stand, SEEDANCE, body(CAT, { generateAudio }), 'parameters.generateAudio');
  });

  test('[V-22] negativePrompt is a string, and a loss at vendors without it', async () => {
    expect(inParameters(await taken(stand, VEO, CAT, { negativePrompt: 'rain' }))['negativePrompt']).toBe('rain');
    await refusedFor(stand, VEO, body(CAT, { negativePrompt: 1 }), 'parameters.negativePrompt');
    expect((await taken(stand, SEEDANCE, CAT, { negativePrompt: 'rain' })).losses).toEqual([
      'parameters.negativePrompt',
    ]);
  });

  test('[V-23] enhancePrompt is a boolean, and a loss at vendors without it', async () => {
    for (const enhancePrompt of [true, false])
      expect(inParameters(await taken(stand, CLOUD, CAT, { enhancePrompt }))['enhancePrompt']).toBe(enhancePrompt);
    await refusedFor(stand, CLOUD, body(CAT, { enhancePrompt: 'yes' }), 'parameters.enhancePrompt');
    expect((await taken(stand, KLING, CAT, { enhancePrompt: true })).losses).toEqual(['parameters.enhancePrompt']);
  });

  test('[V-24] [V-26] personGeneration is one of two values, case-insensitive', async () => {
    for (const word of ['allow_adult', 'ALLOW_ADULT', 'dont_allow'])
      expect(inParameters(await taken(stand, VEO, CAT, { personGeneration: word }))['personGeneration']).toBe(
        word.toLowerCase(),
      );
    for (const word of ['maybe', true, 'ALLOW_ALL'])
      await refusedFor(stand, VEO, body(CAT, { personGeneration: word }), 'parameters.personGeneration');
  });

  test('[V-25] personGeneration is forwarded to one provider, a loss at others, and refused there in strict mode', async () => {
    const parameters = { personGeneration: 'allow_adult' };
    expect((await taken(stand, SEEDANCE, CAT, parameters)).losses).toEqual(['parameters.personGeneration']);
    await refusedFor(stand, SEEDANCE, body(CAT, parameters), 'parameters.personGeneration', strict);
  });

  test('[V-18] a resolution is a loss at models with a fixed one, and refused in strict mode', async () => {
    const parameters = { resolution: '720p' };
    const model = 'fixed/clips';
    expect((await taken(stand, model, CAT, parameters)).losses).toEqual(['parameters.resolution']);
    await refusedFor(stand, model, body(CAT, parameters), 'parameters.resolution', strict);
  });

  test('[V-29] seed is an integer, and a loss at vendors without it', async () => {
    expect(inParameters(await taken(stand, VEO, CAT, { seed: 42 }))['seed']).toBe(42);
    for (const seed of [1.5, 'a']) await refusedFor(stand, VEO, body(CAT, { seed }), 'parameters.seed');
    expect((await taken(stand, KLING, CAT, { seed: 42 })).losses).toEqual(['parameters.seed']);
  });

  test('[V-30] fps is an integer, and a loss at vendors without it', async () => {
    expect(inParameters(await taken(stand, CLOUD, CAT, { fps: 24 }))['fps']).toBe(24);
    expect((await taken(stand, VEO, CAT, { fps: 24 })).losses).toEqual(['parameters.fps']);
    for (const fps of [0, 23.9, '24']) await refusedFor(stand, VEO, body(CAT, { fps }), 'parameters.fps');
  });

  test('[V-27] [V-28] sampleCount is at least 1 (default: 1)', async () => {
    for (const sampleCount of [0, -1, 1.5, '2'])
      await refusedFor(stand, VEO, body(CAT, { sampleCount }), 'parameters.sampleCount');
    const two = (await stand.made(VEO, CAT, { sampleCount: 2 })) as { response: { videos: unknown[] } };
    expect(two.response.videos).toHaveLength(2);
    const one = (await stand.made(VEO, CAT)) as { response: { videos: unknown[] } };
    expect(one.response.videos).toHaveLength(1);
    await refusedFor(stand, HAILUO, body(CAT, { sampleCount: 2 }), 'parameters.sampleCount');
  });

  test('[V-34] other sources are refused, storage and compression parameters are losses', async () => {
    for (const source of ['video', 'mask', 'referenceImages'])
      await refusedFor(stand, VEO, body({ ...CAT, [source]: {} }), `instances[0].${source}`);
    const { losses } = await taken(stand, VEO, CAT, { storageUri: 'gs://x', compressionQuality: 'OPTIMIZED' });
    expect(losses).toEqual(['parameters.storageUri', 'parameters.compressionQuality']);
  });

  test('[V-35] an unknown field is a loss, and refused in strict mode', async () => {
    const { losses } = await taken(stand, VEO, { ...CAT, bar: 1 }, { foo: 1 });
    expect(losses).toEqual(['instances[0].bar', 'parameters.foo']);
    await refusedFor(stand, VEO, body(CAT, { foo: 1 }), 'parameters.foo', strict);
  });
});

describe('lengths', () => {
  const lasting = (durationSeconds: number): Json => body(CAT, { durationSeconds });
  const field = 'parameters.durationSeconds';

  test('[N-25] a provider with two lengths makes five or eight seconds, and no other length', async () => {
    for (const durationSeconds of [5, 8])
      expect((await taken(stand, FIVE_OR_EIGHT, CAT, { durationSeconds })).sent['duration']).toBe(durationSeconds);
    for (const durationSeconds of [4, 6, 7, 9])
      expect(await refusedFor(stand, FIVE_OR_EIGHT, lasting(durationSeconds), field)).toContain('5, 8');
  });

  test.each([
    [HAILUO, 6, 10],
    [KLING, 5, 10],
  ])('[N-26] %s makes %d to %d seconds, and not 11', async (model, shortest, longest) => {
    for (const durationSeconds of [shortest, longest]) await taken(stand, model, CAT, { durationSeconds });
    for (const durationSeconds of [shortest - 1, 11])
      expect(await refusedFor(stand, model, lasting(durationSeconds), field)).toContain(`${shortest}, ${longest}`);
  });

  test.each([
    [SEEDANCE, 4, 12],
    [WAN, 2, 15],
    [GROK, 1, 15],
  ])('[N-26] %s, which allows longer clips, makes %d to %d seconds', async (model, shortest, longest) => {
    for (const durationSeconds of [shortest, longest]) await taken(stand, model, CAT, { durationSeconds });
    for (const durationSeconds of [shortest - 1, longest + 1])
      await refusedFor(stand, model, lasting(durationSeconds), field);
  });
});

test('[V-36] the lengths and resolutions of a model come from the catalogue', async () => {
  const short = 'limited/short';
  const long = 'limited/long';
  const parameters = { durationSeconds: 10, resolution: '1080p', generateAudio: true };
  await refusedFor(stand, short, body(CAT, { durationSeconds: 10 }), 'parameters.durationSeconds');
  await refusedFor(stand, short, body(CAT, { resolution: '1080p' }), 'parameters.resolution');
  expect((await taken(stand, short, CAT, { generateAudio: true })).losses).toEqual(['parameters.generateAudio']);
  const { sent, losses } = await taken(stand, long, CAT, parameters);
  expect(losses).toEqual([]);
  expect(sent).toMatchObject({ duration: 10, resolution: '1080p', generate_audio: true });
});

test('[V-37] a failed submission is an HTTP error and leaves no operation behind', async () => {
  stand.simulator.arm('status=500', { path: '/v1beta/models/veo-3.1-generate-preview:predictLongRunning' });
  const { status, json } = await stand.submit(VEO, CAT);
  expect(status).toBe(502);
  expect(json['name']).toBeUndefined();
  const { rows } = await stand.db.query(
    `select o.id, h.state from operations o join ledger_holds h on h.id = o.request_id where o.state = 'refused'`,
  );
  expect(rows).toEqual([{ id: expect.any(String), state: 'released' }]);
  const name = `publishers/google/models/veo-3.1/operations/${rows[0].id}`;
  expect((await stand.poll(name)).status).toBe(404);
  // A submission that is accepted is no error.
  expect(nameIn((await stand.submit(VEO, CAT)).json)).toBeDefined();
});

describe('routing preferences', () => {
  const hostFor = async (headers: Record<string, string>): Promise<string | null> =>
    (await taken(stand, VEO, CAT, undefined, headers)).reply.headers.get('x-trivium-provider');

  test('headers that choose hosts apply', async () => {
    expect(await hostFor({})).toBe('google');
    expect(await hostFor({ 'x-trivium-provider': 'google-vertex, google' })).toBe('google-vertex');
    expect(await hostFor({ 'x-trivium-provider': 'google-vertex, google', 'x-trivium-strategy': 'priority' })).toBe(
      'google-vertex',
    );
    expect(await hostFor({ 'x-trivium-ignore': 'google' })).toBe('google-vertex');
    const inTurn = { 'x-trivium-strategy': 'round_robin' };
    expect([await hostFor(inTurn), await hostFor(inTurn)].toSorted()).toEqual(['google', 'google-vertex']);
  });

  test.each([
    ['x-trivium-provider', 'nowhere', 'names a host that is not known here'],
    ['x-trivium-provider', 'byteplus', 'names no host that serves'],
    ['x-trivium-ignore', 'google, google-vertex', 'leaves no provider'],
    ['x-trivium-strategy', 'best', 'must be one of'],
    ['x-trivium-region', 'eu', 'is marked as working there'],
    ['x-trivium-data-collection', 'deny', 'is marked as not training'],
    ['x-trivium-zdr', 'true', 'is marked as keeping no data'],
  ])('%s: %s, which no host meets, is a 400', async (header, value, problem) => {
    const message = await refusedFor(stand, VEO, body(CAT), header, { [header]: value });
    expect(message).toContain(problem);
  });

  test.each([
    ['x-trivium-strategy', 'least_latency'],
    ['x-trivium-factor', 'cost'],
    ['x-trivium-fallback', 'true'],
    ['x-trivium-models', VEO],
    ['x-trivium-preference', WAN],
    ['x-trivium-on-refusal', 'next'],
  ])('%s: %s does not apply to one order at one host: a loss, and a 400 for strict callers', async (header, value) => {
    expect((await taken(stand, VEO, CAT, undefined, { [header]: value })).losses).toEqual([header]);
    await refusedFor(stand, VEO, body(CAT), header, { ...strict, [header]: value });
  });

  test('a repeated order names the host that makes the video, not the one a new order would get', async () => {
    const again = { 'idempotency-key': 'the-same-video' };
    const first = await taken(stand, VEO, CAT, undefined, { ...again, 'x-trivium-provider': 'google-vertex' });
    const second = await stand.submit(VEO, CAT, undefined, again);
    expect(second.json).toEqual(first.reply.json);
    expect(second.headers.get('x-trivium-replayed')).toBe('true');
    expect(second.headers.get('x-trivium-provider')).toBe('google-vertex');
  });
});
