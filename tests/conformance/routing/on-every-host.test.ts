/**
 * Rules that were once tested at one host only and failed at another (field report), tested at hosts of every dialect: the four
 * for text, and each provider's own for images.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVERY_DESTINATION, withConverse } from '../../support/converse-host.ts';
import * as generate from '../../support/generate-probe.ts';
import * as image from '../../support/image-probe.ts';
import * as messages from '../../support/messages-probe.ts';
import { streamMessages } from '../../support/messages-stream.ts';
import { responsesHosts } from '../../support/responses-probe.ts';
import { openStand, postChat, type Stand } from '../../support/stand.ts';

type Json = Record<string, unknown>;
type Odds = Json & {
  readonly logprobsResult: { readonly chosenCandidates: readonly { readonly logProbability: number }[] };
};

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: withConverse((url) => {
      const [text, pictures] = [responsesHosts(url), image.imageHosts(url)];
      return {
        providers: { ...text.providers, ...pictures.providers },
        models: [...text.models, ...pictures.models],
      };
    }),
    config: (url) => ({
      ...image.imageConfig(url),
      timeouts: { silenceMs: 2000, classes: { reasoning: { silenceMs: 2000 } } },
    }),
  });
});
afterAll(() => stand.close());

const lastSent = (): string => stand.simulator.truth.last()?.bodyText ?? '';
const PLACE = { city: 'Rome', region: 'Lazio', country: 'IT', timezone: 'Europe/Rome' };
const searching = (model: string, location: Json): Json =>
  messages.ask({ model, tools: [{ type: 'web_search_20250305', name: 'web_search', user_location: location }] });
/** Dialects with a web search that takes no user location, or without one. */
const PLACELESS: readonly string[] = ['google-generate', 'amazon-converse'];
/** Without log probabilities; the gateway refuses them. */
const WITHOUT_ODDS: readonly string[] = ['anthropic-messages', 'amazon-converse'];

describe.each(EVERY_DESTINATION)('at $dialect', ({ dialect, model }) => {
  test('[C-60] an unknown field does not fail the call, and is a loss where it is not forwarded', async () => {
    const body = { model, messages: [{ role: 'user', content: 'Hello' }], foo: 1 };
    const reply = await postChat(stand, body);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.headers.get('x-trivium-losses')).toBe('foo');
    expect(lastSent()).not.toContain('foo');
    const strict = await postChat(stand, body, { 'x-trivium-strict': 'true' });
    expect([strict.status, strict.text]).toEqual([400, expect.stringContaining('foo')]);
  });

  test('[M-76] every field of the user location reaches the host, or is a loss', async () => {
    const approximate = { type: 'approximate', ...PLACE };
    if (PLACELESS.includes(dialect)) {
      await messages.lossy(stand, searching(model, approximate), 'tools.web_search');
    } else {
      const { sentText } = await messages.lossless(stand, searching(model, approximate));
      for (const [name, value] of Object.entries(PLACE)) expect(sentText).toContain(`"${name}":"${value}"`);
    }
    for (const [member, wrong] of [
      ['type', 'exact'],
      ['country', 'Germany'],
      ['timezone', 'Mars/X'],
    ] as const)
      await messages.refused(
        stand,
        searching(model, { ...approximate, [member]: wrong }),
        `tools.0.user_location.${member}`,
      );
  });

  test.each([
    ['status=400', 400, 'INVALID_ARGUMENT'],
    ['status=429', 429, 'RESOURCE_EXHAUSTED'],
    ['status=500', 502, 'UNAVAILABLE'],
    ['status=503', 503, 'UNAVAILABLE'],
    ['fault=html-200', 502, 'UNAVAILABLE'],
    ['fault=reset-before-headers', 502, 'UNAVAILABLE'],
  ])('[E-01] a failure of a host (%s) has the RPC error format', async (instruction, status, word) => {
    const reply = await generate.post(stand, generate.pathOf(model, 'generateContent'), generate.play(instruction));
    expect(reply.status).toBe(status);
    expect(reply.json).toEqual({
      error: { code: status, message: expect.stringMatching(/\S/), status: word, details: [] },
    });
  });

  test.each(['error-frame-mid', 'stall-mid-event'])('[MS-21] %s is an api_error inside a stream', async (fault) => {
    const play = messages.simulate(`scenario=text-long fault=${fault} after=12 tps=60`);
    const { status, events } = await streamMessages(stand, messages.ask({ model, messages: [play] }));
    expect(status).toBe(200);
    expect(events.at(-1)).toEqual({
      type: 'error',
      error: { type: 'api_error', message: expect.stringMatching(/\S/) },
    });
  });

  test('[MR-11] the matched stop sequence is returned, whole and streamed', async () => {
    const play = messages.simulate('scenario=text-long');
    const body = messages.ask({ model, messages: [play], stop_sequences: ['zzz', 'word5'] });
    const { reply } = await messages.lossless(stand, body);
    expect(reply.json).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'word5' });
    const { events } = await streamMessages(stand, body);
    expect(events.find(({ type }) => type === 'message_delta')).toMatchObject({
      delta: { stop_reason: 'stop_sequence', stop_sequence: 'word5' },
    });
  });

  test('[GR-19] avgLogprobs is the average over the tokens, where there are any', async () => {
    const path = generate.pathOf(model, 'generateContent');
    const asked = { ...generate.play('scenario=logprobs'), generationConfig: { responseLogprobs: true, logprobs: 2 } };
    const { status, json } = await generate.post(stand, path, asked);
    if (WITHOUT_ODDS.includes(dialect)) {
      expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining('responseLogprobs')]);
    } else {
      const [candidate] = json['candidates'] as Json[];
      const { logprobsResult, avgLogprobs } = candidate as Odds;
      const odds = logprobsResult.chosenCandidates.map(({ logProbability }) => logProbability);
      expect(avgLogprobs).toBeCloseTo(odds.reduce((sum, one) => sum + one, 0) / odds.length, 6);
    }
    const plain = await generate.post(stand, path, generate.play('scenario=text-basic'));
    expect(plain.text).not.toContain('avgLogprobs');
  });
});

const { GPT, IMAGEN, GEMINI, SMALL, SEEDREAM, FLUX, WAN, QWEN, QUEUED_FLUX, QUEUED_SEEDREAM, GROK } = image;
/** One image model of every dialect. */
const PAINTERS = [GPT, IMAGEN, SMALL, SEEDREAM, FLUX, WAN, QWEN, QUEUED_FLUX, QUEUED_SEEDREAM, GROK];
/** A server that refuses without a machine-readable code: an ordinary refusal. */
const WORDLESS = SMALL;
const FORMAT = 'parameters.outputOptions.mimeType';
const PERSONS = 'parameters.personGeneration';
const painting = (parameters: object): Json => ({ instances: [{ prompt: 'a cat' }], parameters });
const lossesOf = ({ headers }: image.Reply): string[] => headers.get('x-trivium-losses')?.split(',') ?? [];

describe.each(PAINTERS)('images of %s', (model) => {
  test('[IS-30] a moderated image is an error with its code, and nothing is charged', async () => {
    const reply = await image.postImages(stand, { model, prompt: 'a cat @simulate pictures=blocked' });
    expect([reply.status, reply.json['error']]).toEqual([
      400,
      expect.objectContaining({
        code: model === WORDLESS ? 'invalid_value' : 'moderation_blocked',
        type: 'invalid_request_error',
      }),
    ]);
    const record = await image.recordOf(stand, reply);
    expect([record.how, record.reading?.usage['pictures'] ?? 0]).toEqual(['fault', 0]);
  });

  test('[I-20] personGeneration is case-insensitive at hosts that have it, and is a loss at others', async () => {
    for (const word of ['dont_allow', 'ALLOW_ADULT']) {
      const reply = await image.predict(stand, model, painting({ personGeneration: word }));
      expect(reply.status, reply.text).toBe(200);
      expect(lossesOf(reply).includes(PERSONS)).toBe(model !== IMAGEN);
    }
    await image.refused(stand, () => image.predict(stand, model, painting({ personGeneration: 'allow_all' })), PERSONS);
  });

  test('[I-14] an image is PNG, or the format is a loss', async () => {
    const reply = await image.predict(stand, model, painting({}));
    expect(reply.status, reply.text).toBe(200);
    const [first] = image.predictionsOf(reply);
    const isPng = image.startsAs(first?.['bytesBase64Encoded'], 'png');
    expect([first?.['mimeType'] === 'image/png', lossesOf(reply).includes(FORMAT)]).toEqual([isPng, !isPng]);
  });
});

test('[I-14] [I-20] the same rules hold for hosts that make images in a conversation', async () => {
  const reply = await image.predict(stand, GEMINI, painting({ personGeneration: 'allow_adult' }));
  expect(lossesOf(reply)).toEqual([PERSONS]);
  expect(image.startsAs(image.predictionsOf(reply)[0]?.['bytesBase64Encoded'], 'png')).toBe(true);
});
