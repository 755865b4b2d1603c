/** Response modalities beside text, media resolution, speech and image settings. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moreModels, PAINTER, SPEAKER, SQUARE_PAINTER, THIRD_PRO } from '../../support/generate-models.ts';
import {
  ALL_MODELS,
  config,
  GEMINI,
  type Json,
  lossless,
  lossy,
  PNG,
  part,
  pathOf,
  post,
  refused,
  sentConfig,
  served,
} from '../../support/generate-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: moreModels });
});
afterAll(() => stand.close());

const at = (name: string): string => `generationConfig.${name}`;
const painted = (imageConfig: unknown): Json => config({ responseModalities: ['TEXT', 'IMAGE'], imageConfig });
const spoken = (speechConfig: unknown): Json => config({ responseModalities: ['AUDIO'], speechConfig });

describe('modalities', () => {
  test('[G-62] without responseModalities the answer is text, and with TEXT too', async () => {
    const { sent, candidate } = await lossless(stand, config({}));
    expect(sent).toEqual(config({}));
    expect(candidate.content.parts.every((each) => typeof each.text === 'string')).toBe(true);
    for (const model of ALL_MODELS) await lossless(stand, config({ responseModalities: ['TEXT'] }), { model });
  });
  test.each([['TEXT'], [{}]])('[G-62] responseModalities that is %j is refused', (responseModalities) =>
    refused(stand, config({ responseModalities }), at('responseModalities')),
  );
  test.each([[['VIDEO']], [['text']], [['TEXT', 1]]])(
    '[G-62] the modalities %j are refused',
    async (responseModalities) => {
      const reply = await post(stand, pathOf(GEMINI, 'generateContent'), config({ responseModalities }));
      expect(reply.json).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
      expect(reply.text).toContain(`${at('responseModalities')}[`);
    },
  );
  test.each([[['TEXT', 'IMAGE']], [['IMAGE', 'TEXT']]])(
    '[G-63] %j is accepted by an image model',
    async (responseModalities) => {
      const body = config({ responseModalities });
      expect(sentConfig(await lossless(stand, body, { model: PAINTER }))).toEqual({ responseModalities });
    },
  );
  test('[G-63] an image alone is refused', () =>
    refused(stand, config({ responseModalities: ['IMAGE'] }), at('responseModalities'), { model: PAINTER }));
  test.each(ALL_MODELS)('[G-64] the IMAGE modality is refused for %s, which makes no images', (model) =>
    refused(stand, config({ responseModalities: ['TEXT', 'IMAGE'] }), at('responseModalities'), { model }),
  );
  test('[G-64] an image model may be asked for images', () =>
    lossless(stand, config({ responseModalities: ['TEXT', 'IMAGE'] }), { model: PAINTER }));
  test.each(ALL_MODELS)('[G-65] the AUDIO modality is refused for %s, which has no audio output', (model) =>
    refused(stand, config({ responseModalities: ['AUDIO'] }), at('responseModalities'), { model }),
  );
  test('[G-65] the AUDIO modality is forwarded to a model with audio output, and sound comes back', async () => {
    const body = config({ responseModalities: ['AUDIO'] });
    const outcome = await lossless(stand, body, { model: SPEAKER });
    expect(sentConfig(outcome)).toEqual({ responseModalities: ['AUDIO'] });
    const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: expect.stringMatching(/^[\w+/]{4}/) };
    expect(outcome.candidate.content.parts).toEqual([{ inlineData }]);
  });
});

describe('reading media', () => {
  test.each(ALL_MODELS)('[G-66] partly: timestamps of audio are a loss at %s', async (model) => {
    await lossy(stand, config({ audioTimestamp: true }), [at('audioTimestamp')], { model });
  });
  test.each([1, 'true'])('[G-66] partly: audioTimestamp %j is refused', (audioTimestamp) =>
    refused(stand, config({ audioTimestamp }), at('audioTimestamp')),
  );
  test.each(['UNSPECIFIED', 'LOW', 'MEDIUM', 'HIGH'])('[G-77] the media resolution %s is forwarded', async (level) => {
    const mediaResolution = `MEDIA_RESOLUTION_${level}`;
    expect(sentConfig(await lossless(stand, config({ mediaResolution })))).toEqual({ mediaResolution });
  });
  test.each(['MEDIA_RESOLUTION_X', 'LOW', 1])('[G-77] the media resolution %j is refused', (mediaResolution) =>
    refused(stand, config({ mediaResolution }), at('mediaResolution')),
  );
  test('[G-77, G-78] the highest media resolution is accepted only by the newest model generation', async () => {
    const mediaResolution = 'MEDIA_RESOLUTION_ULTRA_HIGH';
    expect(sentConfig(await lossless(stand, config({ mediaResolution }), { model: THIRD_PRO }))).toEqual({
      mediaResolution,
    });
    await refused(stand, config({ mediaResolution }), at('mediaResolution'));
  });
  test('[G-78] the highest media resolution of a part is accepted only by the newest model generation, too', async () => {
    const body = part({ ...PNG, mediaResolution: { level: 'MEDIA_RESOLUTION_ULTRA_HIGH' } });
    expect((await lossless(stand, body, { model: THIRD_PRO })).sent).toEqual(body);
    await refused(stand, body, 'contents[0].parts[0].mediaResolution');
  });
});

describe('token estimates for images', () => {
  const estimate = async (model: string, body: Json): Promise<number> => {
    // Requests with a media resolution are counted by the gateway, not by the host (record 0071): this is its estimate.
    const reply = await post(stand, pathOf(model, 'countTokens'), body, { 'x-trivium-zdr': 'true' });
    expect(reply.status).toBe(200);
    return Number(reply.json['totalTokens']);
  };
  const FRAMES = 20;

  test.each([
    ['ULTRA_HIGH', 2240],
    ['HIGH', 1120],
    ['MEDIUM', 560],
  ])(
    '[G-79] an image at %s is estimated at about %d tokens on the newest model generation only',
    async (level, tokens) => {
      const mediaResolution = `MEDIA_RESOLUTION_${level}`;
      const [whole, single] = [
        { ...part(PNG), generationConfig: { mediaResolution } },
        part({ ...PNG, mediaResolution: { level: mediaResolution } }),
      ];
      for (const body of [whole, single]) {
        const estimated = await estimate(THIRD_PRO, body);
        expect(estimated).toBeGreaterThanOrEqual(tokens);
        expect(estimated).toBeLessThanOrEqual(tokens + FRAMES);
        // Other generations: estimated by its few bytes.
        expect(await estimate(GEMINI, body)).toBeLessThan(FRAMES);
      }
    },
  );
});

describe('speech', () => {
  const kore = { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } };
  test('[G-80] speechConfig is forwarded with the AUDIO modality, and is a loss without it', async () => {
    expect(sentConfig(await lossless(stand, spoken(kore), { model: SPEAKER }))).toMatchObject({ speechConfig: kore });
    for (const model of ALL_MODELS) {
      const { sentText } = await lossy(stand, config({ speechConfig: kore }), [at('speechConfig')], { model });
      expect(sentText).not.toContain('Kore');
    }
  });
  test.each(['x', [], 1])('[G-80] the speech config %j is refused', (speechConfig) =>
    refused(stand, config({ speechConfig }), at('speechConfig')),
  );
  test('[G-81] the name of a voice must be a string', async () => {
    expect(sentConfig(await lossless(stand, spoken(kore), { model: SPEAKER }))).toMatchObject({ speechConfig: kore });
    const wrong = { voiceConfig: { prebuiltVoiceConfig: { voiceName: 1 } } };
    await refused(stand, spoken(wrong), at('speechConfig.voiceConfig.prebuiltVoiceConfig.voiceName'), {
      model: SPEAKER,
    });
  });

  const wave = (bits: number, rate: number): string => {
    const bytes = Buffer.alloc(44);
    bytes.write('RIFF', 0);
    bytes.writeUInt32LE(36, 4);
    bytes.write('WAVEfmt ', 8);
    bytes.writeUInt32LE(16, 16);
    bytes.writeUInt16LE(1, 20);
    bytes.writeUInt16LE(1, 22);
    bytes.writeUInt32LE(rate, 24);
    bytes.writeUInt32LE((rate * bits) / 8, 28);
    bytes.writeUInt16LE(bits / 8, 32);
    bytes.writeUInt16LE(bits, 34);
    bytes.write('data', 36);
    return bytes.toString('base64');
  };
  const replicated = (mimeType: string, voiceSample: string): Json => ({
    voiceConfig: { replicatedVoiceConfig: { mimeType, voiceSample } },
  });
  test('[G-82] a voice sample of 16 bits at 24 kHz is forwarded', async () => {
    const given = replicated('audio/wav', wave(16, 24_000));
    expect(sentConfig(await lossless(stand, spoken(given), { model: SPEAKER }))).toMatchObject({ speechConfig: given });
  });
  test.each([
    ['another format', 'audio/mp3', wave(16, 24_000), 'mimeType'],
    ['no base64', 'audio/wav', '%%', 'voiceSample'],
    ['no wave file', 'audio/wav', 'QUJD', 'voiceSample'],
    ['another rate', 'audio/wav', wave(16, 44_100), 'voiceSample'],
    ['another depth', 'audio/wav', wave(8, 24_000), 'voiceSample'],
  ])('[G-82] a voice sample of %s is refused', (_case, mimeType, sample, field) =>
    refused(
      stand,
      spoken(replicated(mimeType, sample)),
      at(`speechConfig.voiceConfig.replicatedVoiceConfig.${field}`),
      {
        model: SPEAKER,
      },
    ),
  );

  const two = {
    speakerVoiceConfigs: [
      { speaker: 'Ann', ...kore },
      { speaker: 'Bob', ...kore },
    ],
  };
  test('[G-83] one voice and several voices together are refused', async () => {
    const both = { ...kore, multiSpeakerVoiceConfig: two };
    await refused(stand, spoken(both), at('speechConfig.multiSpeakerVoiceConfig'), { model: SPEAKER });
    await lossless(stand, spoken(kore), { model: SPEAKER });
    await lossless(stand, spoken({ multiSpeakerVoiceConfig: two }), { model: SPEAKER });
  });
  test('[G-84] several speakers are forwarded', async () => {
    const given = { multiSpeakerVoiceConfig: two };
    expect(sentConfig(await lossless(stand, spoken(given), { model: SPEAKER }))).toMatchObject({ speechConfig: given });
  });
  test.each([
    [{}, ''],
    [[kore], '[0].speaker'],
    [[{ speaker: 'Ann' }], '[0].voiceConfig'],
    [[{ speaker: 1, ...kore }], '[0].speaker'],
    [
      [
        { speaker: 'Ann', ...kore },
        { speaker: 'Bob', ...replicated('audio/mp3', '') },
      ],
      '[1].voiceConfig.replicatedVoiceConfig.mimeType',
    ],
  ])('[G-84] the speakers %j are refused', (speakerVoiceConfigs, field) =>
    refused(
      stand,
      spoken({ multiSpeakerVoiceConfig: { speakerVoiceConfigs } }),
      at(`speechConfig.multiSpeakerVoiceConfig.speakerVoiceConfigs${field}`),
      { model: SPEAKER },
    ),
  );
  test('[G-85] the language of speech must be a string', async () => {
    const given = { ...kore, languageCode: 'en-US' };
    expect(sentConfig(await lossless(stand, spoken(given), { model: SPEAKER }))).toMatchObject({ speechConfig: given });
    await refused(stand, spoken({ languageCode: 1 }), at('speechConfig.languageCode'), { model: SPEAKER });
  });
});

describe('settings that are not forwarded', () => {
  test.each([
    [{ autoMode: { modelRoutingPreference: 'BALANCED' } }],
    [{ manualMode: { modelName: 'gemini-2.0-flash' } }],
  ])('[G-86] routingConfig %j is accepted and not used', async (routingConfig) => {
    const { sentText } = await lossy(stand, config({ routingConfig }), [at('routingConfig')]);
    expect(sentText).not.toContain('routing');
  });
  test.each([['x'], [[]], [{ autoMode: 'x' }]])('[G-86] routingConfig %j is refused', async (routingConfig) => {
    const reply = await post(stand, pathOf(GEMINI, 'generateContent'), config({ routingConfig }));
    expect(reply.json).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
    expect(reply.text).toContain(at('routingConfig'));
  });
  test('[G-87] both modes of routingConfig together are refused', async () => {
    await refused(stand, config({ routingConfig: { autoMode: {}, manualMode: {} } }), at('routingConfig'));
    await served(stand, config({ routingConfig: { autoMode: {} } }));
  });
  test('[G-93] enableAffectiveDialog is a loss and must be a boolean', async () => {
    await lossy(stand, config({ enableAffectiveDialog: true }), [at('enableAffectiveDialog')]);
    await refused(stand, config({ enableAffectiveDialog: 'x' }), at('enableAffectiveDialog'));
  });
});

describe('images', () => {
  test('[G-88] imageConfig is forwarded with the IMAGE modality, and is a loss without it', async () => {
    const imageConfig = { aspectRatio: '16:9' };
    expect(sentConfig(await lossless(stand, painted(imageConfig), { model: PAINTER }))).toMatchObject({ imageConfig });
    for (const model of ALL_MODELS) {
      const { sentText } = await lossy(stand, config({ imageConfig }), [at('imageConfig')], { model });
      expect(sentText).not.toContain('16:9');
    }
  });
  test.each([[[]], ['x']])('[G-88] imageConfig %j is refused', (imageConfig) =>
    refused(stand, config({ imageConfig }), at('imageConfig')),
  );
  test.each(['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '16:9', '21:9', '4:5', '5:4'])(
    '[G-89] the aspect ratio %s is forwarded',
    async (aspectRatio) => {
      const { sent } = await lossless(stand, painted({ aspectRatio }), { model: PAINTER });
      expect(sent).toMatchObject({ generationConfig: { imageConfig: { aspectRatio } } });
    },
  );
  test('[G-89] an aspect ratio that the model does not make is refused', async () => {
    const place = at('imageConfig.aspectRatio');
    await lossless(stand, painted({ aspectRatio: '16:9' }), { model: SQUARE_PAINTER });
    for (const aspectRatio of ['4:5', '5:4'])
      await refused(stand, painted({ aspectRatio }), place, { model: SQUARE_PAINTER });
  });
  test.each(['7:5', '1x1', 1])('[G-89] the aspect ratio %j is refused', (aspectRatio) =>
    refused(stand, painted({ aspectRatio }), at('imageConfig.aspectRatio'), { model: PAINTER }),
  );
  test.each(['1K', '2K', '4K'])('[G-90] the image size %s is forwarded', async (imageSize) => {
    const { sent } = await lossless(stand, painted({ imageSize }), { model: PAINTER });
    expect(sent).toMatchObject({ generationConfig: { imageConfig: { imageSize } } });
  });
  test('[G-90] without an image size none is sent, and unknown sizes are refused', async () => {
    const { sentText } = await lossless(stand, painted({ aspectRatio: '1:1' }), { model: PAINTER });
    expect(sentText).not.toMatch(/[24]K/);
    for (const imageSize of ['3K', '1k', 1])
      await refused(stand, painted({ imageSize }), at('imageConfig.imageSize'), { model: PAINTER });
  });
  test('[G-91] partly: a compression quality is accepted for JPEG only', async () => {
    const place = at('imageConfig.outputCompressionQuality');
    await refused(stand, painted({ outputMimeType: 'image/png', outputCompressionQuality: 80 }), place, {
      model: PAINTER,
    });
    await refused(stand, painted({ outputCompressionQuality: '80' }), place, { model: PAINTER });
    await refused(stand, painted({ outputMimeType: 1 }), at('imageConfig.outputMimeType'), { model: PAINTER });
    await served(stand, painted({ outputMimeType: 'image/jpeg', outputCompressionQuality: 80 }), { model: PAINTER });
  });
  test('[G-92] partly: both forms of the output options give the same upstream body', async () => {
    const flat = await lossy(
      stand,
      painted({ aspectRatio: '1:1', outputMimeType: 'image/jpeg', outputCompressionQuality: 80 }),
      [at('imageConfig')],
      { model: PAINTER },
    );
    const options = { mimeType: 'image/jpeg', compressionQuality: 80 };
    const nested = await lossy(
      stand,
      painted({ aspectRatio: '1:1', imageOutputOptions: options }),
      [at('imageConfig')],
      {
        model: PAINTER,
      },
    );
    expect(flat.sent).toEqual(nested.sent);
    const wrong = painted({ imageOutputOptions: { mimeType: 'image/png', compressionQuality: 80 } });
    await refused(stand, wrong, at('imageConfig.outputCompressionQuality'), { model: PAINTER });
  });
});
