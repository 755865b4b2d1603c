// Image billing: per image, per token and per megapixel, by size and quality; what is free; and how much is held.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../../support/admin-stand.ts';
import { type CannedUpstream, openCannedUpstream, plainAnswer } from '../../support/canned-upstream.ts';
import {
  FLUX,
  GPT,
  GROK,
  imageConfig,
  imageHosts,
  PNG,
  postEdit,
  postImages,
  predict,
  predictionsOf,
  QUEUED_SEEDREAM,
  type Reply,
  streamed,
  WAN,
} from '../../support/image-probe.ts';

/** 0.045 USD a picture up to 2.36 megapixels, 0.09 above. */
const SEEDREAM_PRO = 'bytedance/seedream-5.0-pro';
const BY_PIECE = 'priced/by-piece';
const BY_QUALITY = 'priced/by-quality';
const BY_TIER = 'priced/by-tier';
const BY_MODALITY = 'priced/by-modality';

const usd = (value: string, unit = 'perCount'): object[] => [{ value, unit, currency: 'USD' }];
const PICTURES = { inputModalities: ['text', 'image'], outputModalities: ['image'] };

const pricedModels = [
  {
    id: BY_PIECE,
    ...PICTURES,
    endpoints: [
      {
        provider: 'google',
        dialect: 'google-predict',
        upstreamModel: 'imagen-4',
        image: { imagesMax: 4 },
        pricings: { image: usd('0.04') },
      },
    ],
  },
  {
    id: BY_QUALITY,
    ...PICTURES,
    endpoints: [
      {
        provider: 'openai',
        dialect: 'openai-images',
        upstreamModel: 'gpt-image-1',
        pricings: { prompt: usd('0', 'perMTokens'), image: usd('0.011') },
        priceWhen: { quality: ['low'] },
        otherPrices: [{ basis: 'medium', when: { quality: ['medium'] }, pricings: { image: usd('0.042') } }],
      },
    ],
  },
  {
    id: BY_TIER,
    ...PICTURES,
    endpoints: [
      {
        provider: 'google',
        dialect: 'google-predict',
        upstreamModel: 'imagen-4',
        image: { imagesMax: 4, size: { kind: 'ratio', tiers: ['1K', '2K'] } },
        pricings: { image: usd('0.05') },
        priceWhen: { resolution: ['1k'] },
        otherPrices: [{ basis: '2K', when: { resolution: ['2k'] }, pricings: { image: usd('0.12') } }],
      },
    ],
  },
  {
    id: BY_MODALITY,
    ...PICTURES,
    outputModalities: ['text', 'image'],
    contextLength: 65_536,
    maxOutputTokens: 32_768,
    endpoints: [
      {
        provider: 'canned-google',
        dialect: 'google-generate',
        upstreamModel: 'any',
        pricings: {
          prompt: usd('2', 'perMTokens'),
          completion: usd('12', 'perMTokens'),
          image: usd('120', 'perMTokens'),
        },
      },
    ],
  },
];

let stand: AdminStand;
let canned: CannedUpstream;
let rich: Record<string, string>;
beforeAll(async () => {
  canned = await openCannedUpstream();
  stand = await openAdminStand({
    alsoHosts: (url) => {
      const { providers, models } = imageHosts(url);
      const google = { dialect: 'google-generate', baseUrl: canned.url, credential: 'sk-canned' };
      return { providers: { ...providers, 'canned-google': google }, models: [...models, ...pricedModels] };
    },
    // A short keep-alive interval: the gateway polls jobs at this interval.
    config: (url) => ({ ...imageConfig(url), timeouts: { keepAliveToCallerMs: 400 } }),
  });
  rich = await payer('rich', '100');
});
afterAll(async () => {
  await stand.close();
  await canned.close();
});

async function payer(account: string, credit: string): Promise<Record<string, string>> {
  await stand.admin('POST', '/accounts', { id: account, name: account, kind: 'prepaid' });
  await stand.admin('POST', `/accounts/${account}/credits`, { usd: credit });
  const { json } = await stand.admin('POST', `/accounts/${account}/keys`, { name: 'k' });
  return { authorization: `Bearer ${String(json['secret'])}` };
}

const ask = (model: string, parameters: object = {}, key = rich, prompt = 'a cat', instance: object = {}) =>
  predict(stand, model, { instances: [{ prompt, ...instance }], parameters }, key);

/** In nano-USD, of everything the rich account has been charged. */
let sum = 0n;

/** The bill of one successful call. */
async function billed(call: Promise<Reply>) {
  const { status, text } = await call;
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  const { bill } = stand.records.at(-1) ?? {};
  if (bill === undefined) throw new Error('no bill');
  sum += bill.cost.nanoUsd;
  return {
    nano: bill.cost.nanoUsd,
    lines: bill.cost.lines.map(({ meter, quantity }) => [meter, quantity]),
    unpriced: bill.cost.unpriced,
    estimated: bill.estimated,
  };
}

const sent = (): number => stand.simulator.truth.read().length;

/** The call is refused with 402 and no request reaches an upstream. */
async function refusedUnsent(call: () => Promise<Reply>): Promise<void> {
  const before = sent();
  expect((await call()).status).toBe(402);
  expect(sent()).toBe(before);
}

describe('pricing per image', () => {
  test('a call is billed for the number of images that were made', async () => {
    // 3 × 0.04 USD
    expect(await billed(ask(BY_PIECE, { sampleCount: 3 }))).toEqual({
      nano: 120_000_000n,
      lines: [['pictures', 3]],
      unpriced: [],
      estimated: false,
    });
    expect((await billed(postImages(stand, { model: BY_PIECE, prompt: 'a cat' }, rich))).nano).toBe(40_000_000n);
  });

  test('a task is billed when it is done, for the images that were made and not filtered', async () => {
    // 3 × 0.03 USD, and then one of two
    expect(await billed(ask(WAN, { sampleCount: 3 }))).toMatchObject({ nano: 90_000_000n, lines: [['pictures', 3]] });
    const partly = ask(WAN, { sampleCount: 2 }, rich, 'a cat @simulate pictures=partly-blocked');
    expect((await billed(partly)).nano).toBe(30_000_000n);
    expect((await billed(ask(WAN, {}, rich, 'a cat @simulate pictures=blocked'))).nano).toBe(0n);
    // 2 × 0.03 USD, out of a queue
    expect((await billed(ask(QUEUED_SEEDREAM, { sampleCount: 2 }))).nano).toBe(60_000_000n);
  });

  test('the price per image goes up in steps of the size', async () => {
    expect((await billed(ask(SEEDREAM_PRO, { sampleImageSize: '1K' }))).nano).toBe(45_000_000n);
    // 1536 × 1536 are 2.359296 megapixels.
    expect((await billed(ask(SEEDREAM_PRO, { imageSize: '1536x1536' }))).nano).toBe(45_000_000n);
    // 3 × 0.09 USD
    expect((await billed(ask(SEEDREAM_PRO, { sampleCount: 3, sampleImageSize: '2K' }))).nano).toBe(270_000_000n);
  });

  test('the price per image depends on the size tier where the tier is sent to the host', async () => {
    expect((await billed(ask(BY_TIER))).nano).toBe(50_000_000n);
    // 2 × 0.05 USD and 2 × 0.12 USD
    expect((await billed(ask(BY_TIER, { sampleCount: 2, sampleImageSize: '1K' }))).nano).toBe(100_000_000n);
    expect((await billed(ask(BY_TIER, { sampleCount: 2, sampleImageSize: '2K' }))).nano).toBe(240_000_000n);
  });

  test('the price per image depends on the quality where it is sent to the host; a quality without a price is refused', async () => {
    const draw = (quality: string) => postImages(stand, { model: BY_QUALITY, prompt: 'a cat', quality }, rich);
    expect((await billed(draw('low'))).nano).toBe(11_000_000n);
    expect((await billed(draw('medium'))).nano).toBe(42_000_000n);
    await refusedUnsent(() => draw('high'));
    // A quality that is not sent to this host is a loss, and is not charged.
    const lost = postImages(stand, { model: GROK, prompt: 'a cat', quality: 'medium', n: 2 }, rich);
    expect((await billed(lost)).nano).toBe(80_000_000n);
  });
});

describe('pricing per megapixel', () => {
  test.each([
    ['unsaid: the first', {}, 30_000_000n],
    ['1024 × 1024: the first', { imageSize: '1024x1024' }, 30_000_000n],
    ['1536 × 1024, a second begun', { imageSize: '1536x1024' }, 45_000_000n],
    ['2048 × 2048: three more', { imageSize: '2048x2048' }, 75_000_000n],
    ['a ratio of about one', { aspectRatio: '16:9' }, 30_000_000n],
  ])('an image is billed by its megapixels: %s', async (_what, parameters, nano) => {
    expect((await billed(ask(FLUX, parameters))).nano).toBe(nano);
  });

  test('an edit has its own price for the first megapixel, and the usual price for the others', async () => {
    const image = { image: { bytesBase64Encoded: PNG.toString('base64') } };
    expect((await billed(ask(FLUX, { imageSize: '1024x1024' }, rich, 'blue', image))).nano).toBe(45_000_000n);
    // 0.045 + 3 × 0.015 USD
    expect((await billed(ask(FLUX, { imageSize: '2048x2048' }, rich, 'blue', image))).nano).toBe(90_000_000n);
  });
});

describe('pricing per token', () => {
  test('text tokens are billed at 5 and image tokens at 32 USD per million, streamed or not', async () => {
    // 2 × 5 + 2 × 272 × 32 millionths of a USD
    const two = await billed(postImages(stand, { model: GPT, prompt: 'a cat', n: 2 }, rich));
    expect(two).toEqual({
      nano: 17_418_000n,
      lines: [
        ['prompt', 2],
        ['outputImage', 544],
      ],
      unpriced: [],
      estimated: false,
    });
    const one = await billed(streamed(stand, { model: GPT, prompt: 'a cat', partial_images: 2 }, rich));
    expect(one.nano).toBe(8_714_000n);
  });

  test('input image tokens are billed at 8 USD per million', async () => {
    // 2 × 5 + 323 × 8 + 272 × 32 millionths of a USD
    const parts = [
      ['model', GPT],
      ['prompt', 'a cat'],
      ['image', PNG],
    ] as const;
    expect((await billed(postEdit(stand, parts, rich))).nano).toBe(11_298_000n);
  });

  test('text, reasoning and image tokens of one model are each billed at their own price', async () => {
    const details = (modality: string, tokenCount: number) => [{ modality, tokenCount }];
    canned.say(
      plainAnswer({
        candidates: [
          {
            content: { parts: [{ inlineData: { mimeType: 'image/png', data: PNG.toString('base64') } }] },
            finishReason: 'STOP',
          },
        ],
        usageMetadata: {
          promptTokenCount: 10,
          candidatesTokenCount: 1130,
          candidatesTokensDetails: details('IMAGE', 1120),
          thoughtsTokenCount: 50,
        },
      }),
    );
    // 10 × 2 + (10 + 50) × 12 + 1,120 × 120 millionths of a USD
    expect((await billed(ask(BY_MODALITY))).nano).toBe(135_140_000n);
  });
});

describe('what was not delivered', () => {
  test('when some images are filtered, only the others are billed', async () => {
    const reply = await billed(ask(BY_PIECE, { sampleCount: 2 }, rich, 'a cat @simulate pictures=partly-blocked'));
    expect(reply).toMatchObject({ nano: 40_000_000n, lines: [['pictures', 1]] });
    const set = ask(SEEDREAM_PRO, { sampleCount: 3 }, rich, 'a cat @simulate pictures=partly-blocked');
    expect((await billed(set)).nano).toBe(90_000_000n);
  });

  test.each([BY_PIECE, GPT, SEEDREAM_PRO, FLUX])(
    '%s: when all images are filtered, nothing is billed',
    async (model) => {
      const reply = await ask(model, {}, rich, 'a cat @simulate pictures=blocked');
      expect([reply.status, Object.keys(predictionsOf(reply)[0] ?? {})]).toEqual([200, ['raiFilteredReason']]);
      expect(stand.records.at(-1)?.bill?.cost.nanoUsd).toBe(0n);
      const refused = await postImages(stand, { model, prompt: 'a cat @simulate pictures=blocked' }, rich);
      expect([refused.status, stand.records.at(-1)?.bill]).toEqual([400, undefined]);
    },
  );

  test.each([
    ['refused by the host', BY_PIECE, 'status=500'],
    ['success without a picture', BY_PIECE, 'pictures=none'],
    ['an address with nothing there', FLUX, 'pictures=url-gone'],
  ])('a failed call is not billed: %s', async (_what, model, fate) => {
    const reply = await ask(model, {}, rich, `a cat @simulate ${fate}`);
    expect(reply.status).toBeGreaterThanOrEqual(500);
    expect(stand.records.at(-1)?.bill).toBeUndefined();
  });
});

describe('the hold covers the highest possible cost', () => {
  test('per image, the hold is count × price', async () => {
    const key = await payer('by-piece', '0.1');
    await refusedUnsent(() => ask(BY_PIECE, { sampleCount: 3 }, key));
    expect((await ask(BY_PIECE, { sampleCount: 2 }, key)).status).toBe(200);
    await refusedUnsent(() => ask(BY_PIECE, {}, key));
  });

  test('per megapixel, the hold is for the requested size', async () => {
    const key = await payer('by-size', '0.07');
    await refusedUnsent(() => ask(FLUX, { imageSize: '2048x2048' }, key));
    expect((await ask(FLUX, { imageSize: '1536x1024' }, key)).status).toBe(200);
  });

  test('per token, the hold is for an image of the highest quality of that size', async () => {
    // 1024 × 1024 pixels may be 4,195 tokens at 32 USD a million: 0.13424 USD.
    const key = await payer('by-token', '0.15');
    const draw = (n: number) => postImages(stand, { model: GPT, prompt: 'a cat', size: '1024x1024', n }, key);
    await refusedUnsent(() => draw(2));
    expect((await draw(1)).status).toBe(200);
  });

  test('a large input image is not held for as if its bytes were text', async () => {
    const key = await payer('editor', '0.5');
    const large = Buffer.concat([PNG, Buffer.alloc(1_000_000)]);
    const parts = [
      ['model', GPT],
      ['prompt', 'a cat'],
      ['size', '1024x1024'],
      ['image', large],
    ] as const;
    expect((await postEdit(stand, parts, key)).status).toBe(200);
    const referenceImages = [
      {
        referenceId: 1,
        referenceType: 'REFERENCE_TYPE_RAW',
        referenceImage: { bytesBase64Encoded: large.toString('base64') },
      },
    ];
    expect((await ask(GPT, { aspectRatio: '1:1' }, key, 'a cat', { referenceImages })).status).toBe(200);
  });
});

test('the account was charged exactly the sum of these bills', async () => {
  const spent = await vi.waitFor(async () => {
    const { json } = await stand.admin('GET', '/accounts/rich/credits');
    const nano = BigInt(Math.round(Number(json['spentUsd']) * 1e9));
    expect(nano).toBe(sum);
    return nano;
  }, 20_000);
  expect(spent).toBeGreaterThan(1_000_000_000n);
});
