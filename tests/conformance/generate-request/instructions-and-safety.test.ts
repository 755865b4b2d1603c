/** System instructions, safety settings, cached prompts, and unknown fields. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moreModels } from '../../support/generate-models.ts';
import {
  ALL_MODELS,
  ask,
  CHAT,
  config,
  GEMINI,
  type Json,
  lossless,
  lossy,
  MESSAGES,
  PNG,
  part,
  pathOf,
  post,
  refused,
  served,
  TRANSLATED,
  text,
} from '../../support/generate-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: moreModels });
});
afterAll(() => stand.close());

describe('instructions', () => {
  const two = ask({ systemInstruction: { parts: [text('Be brief.'), text('Be kind.')] } });

  test('[G-35] the parts of a system instruction stay separate paragraphs, in order, in every dialect', async () => {
    expect((await lossless(stand, two)).sent).toMatchObject({ systemInstruction: two['systemInstruction'] as Json });
    const [system] = (await lossless(stand, two, { model: CHAT })).sent['messages'] as Json[];
    expect(system).toMatchObject({ role: 'system' });
    expect(paragraphs(system?.['content'])).toEqual(['Be brief.', 'Be kind.']);
    expect(paragraphs((await lossless(stand, two, { model: MESSAGES })).sent['system'])).toEqual([
      'Be brief.',
      'Be kind.',
    ]);
  });
  test.each(['Be brief.', 1, []])('[G-35] the instruction %j is refused', (systemInstruction) =>
    refused(stand, ask({ systemInstruction }), 'systemInstruction'),
  );
  test.each([[{}], [{ parts: [] }]])('[G-35] the instruction %j has no parts', (systemInstruction) =>
    refused(stand, ask({ systemInstruction }), 'systemInstruction.parts'),
  );

  test.each(['user', 'system', 'model'])(
    '[G-36] a system instruction with the role %s does not become a turn',
    async (role) => {
      const body = ask({ systemInstruction: { role, parts: [text('Be brief.')] } });
      expect((await lossless(stand, body)).sent['contents']).toHaveLength(1);
      const messages = (await lossless(stand, body, { model: CHAT })).sent['messages'] as Json[];
      expect(messages.map((message) => message['role'])).toEqual(['system', 'user']);
      const { sent } = await lossless(stand, body, { model: MESSAGES });
      expect(sent['messages']).toHaveLength(1);
      expect(paragraphs(sent['system'])).toEqual(['Be brief.']);
    },
  );

  const seen = ask({ systemInstruction: { parts: [text('This is our logo.'), PNG] } });
  test('[G-37] an image in an instruction is forwarded to a host of the same dialect', async () => {
    const before = stand.simulator.truth.read().length;
    await post(stand, pathOf(GEMINI, 'generateContent'), seen);
    const entries = stand.simulator.truth.read().slice(before);
    expect(entries).toHaveLength(1);
    expect(entries[0]?.body).toMatchObject({ systemInstruction: seen['systemInstruction'] as Json });
  });
  test.each(TRANSLATED)('[G-37] an image in an instruction is refused for %s', async (model) => {
    await refused(stand, seen, 'systemInstruction', { model });
  });
});

const paragraphs = (content: unknown): string[] =>
  typeof content === 'string'
    ? content.split('\n\n')
    : (content as { text: string }[]).map(({ text: words }) => words.trim());

describe('safety', () => {
  const setting = { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' };
  const safety = (...safetySettings: unknown[]): Json => ask({ safetySettings });

  test.each([[{}], ['x']])('[G-30] safetySettings %j is refused', (safetySettings) =>
    refused(stand, ask({ safetySettings }), 'safetySettings'),
  );
  test.each([
    [{ category: setting.category }, 'threshold'],
    [{ threshold: setting.threshold }, 'category'],
  ])('[G-30] the safety setting %j is refused', (given, field) =>
    refused(stand, safety(given), `safetySettings[0].${field}`),
  );
  test('[G-30] a complete safety setting is forwarded', async () => {
    expect((await lossless(stand, safety(setting))).sent['safetySettings']).toEqual([setting]);
  });

  test.each(['UNSPECIFIED', 'HATE_SPEECH', 'HARASSMENT', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'])(
    '[G-31] the category %s is forwarded',
    async (name) => {
      const given = { ...setting, category: `HARM_CATEGORY_${name}` };
      expect((await lossless(stand, safety(given))).sent['safetySettings']).toEqual([given]);
    },
  );
  test.each(['HARM_CATEGORY_X', 'HARASSMENT', '', 1])('[G-31] the category %j is refused', (category) =>
    refused(stand, safety({ ...setting, category }), 'safetySettings[0].category'),
  );

  test.each([
    'OFF',
    'BLOCK_NONE',
    'BLOCK_ONLY_HIGH',
    'BLOCK_MEDIUM_AND_ABOVE',
    'BLOCK_LOW_AND_ABOVE',
    'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
  ])('[G-32] the threshold %s is forwarded', async (threshold) => {
    const given = { ...setting, threshold };
    expect((await lossless(stand, safety(given))).sent['safetySettings']).toEqual([given]);
  });
  test.each(['BLOCK_ALL', 'off', 1])('[G-32] the threshold %j is refused', (threshold) =>
    refused(stand, safety({ ...setting, threshold }), 'safetySettings[0].threshold'),
  );

  test.each(['HARM_BLOCK_METHOD_UNSPECIFIED', 'SEVERITY', 'PROBABILITY'])(
    '[G-33] partly: the safety method %s is accepted, and a loss at an edition without methods',
    async (method) => {
      const { sent } = await lossy(stand, safety({ ...setting, method }), ['safetySettings']);
      expect(sent['safetySettings']).toEqual([setting]);
    },
  );
  test('[G-33] partly: without a safety method none is sent, and an unknown one is refused', async () => {
    expect((await lossless(stand, safety(setting))).sent['safetySettings']).toEqual([setting]);
    await refused(stand, safety({ ...setting, method: 'X' }), 'safetySettings[0].method');
  });

  test.each(TRANSLATED)('[G-34] safety settings are a loss at %s', async (model) => {
    const { sentText } = await lossy(stand, safety(setting), ['safetySettings'], { model });
    expect(sentText).not.toContain('HARM');
  });
  test('[G-34] safety settings are no loss at a host of the same dialect', () => lossless(stand, safety(setting)));
});

describe('cached prompts', () => {
  const cachedContent = 'projects/p/locations/l/cachedContents/c1';
  test('[G-23] a well-formed cachedContent name is forwarded', async () => {
    const before = stand.simulator.truth.read().length;
    await post(stand, pathOf(GEMINI, 'generateContent'), ask({ cachedContent }));
    const entries = stand.simulator.truth.read().slice(before);
    expect(entries).toHaveLength(1);
    expect(entries[0]?.body).toMatchObject({ cachedContent });
  });
  // M12: it used to be reported as an outage of the host.
  test("a cached prompt that the host does not find is the caller's error, with the host's own message", async () => {
    const reply = await post(stand, pathOf(GEMINI, 'generateContent'), ask({ cachedContent }));
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ error: { message: 'CachedContent not found (or permission denied)' } });
  });
  test.each([
    'x',
    1,
    '',
    'cachedContents/c1',
    'projects/p/locations/l/cachedContents/',
    'projects/p/locations/l/cachedContents/a/b',
  ])('[G-23] cachedContent %j is refused', (name) => refused(stand, ask({ cachedContent: name }), 'cachedContent'));
  test.each(TRANSLATED)(
    '[G-24] cachedContent is refused for %s, which has no cached prompts, and not dropped',
    (model) => refused(stand, ask({ cachedContent }), 'cachedContent', { model }),
  );
});

describe('unknown fields', () => {
  test.each([
    [ask({ labels: { team: 'a' } }), 'labels'],
    [ask({ foo: 1 }), 'foo'],
    [config({ foo: 1 }), 'generationConfig.foo'],
  ])('[G-99] the unknown field of %j is dropped and reported as a loss', async (body, path) => {
    for (const model of ALL_MODELS) {
      const { sentText } = await lossy(stand, body, [path], { model });
      expect(sentText).not.toContain(path.replace('generationConfig.', ''));
    }
  });
  test('[G-99] known fields are no loss', () => lossless(stand, config({ temperature: 1 })));
});

describe('media without model support', () => {
  const video = { inlineData: { mimeType: 'video/mp4', data: 'QUJD' } };
  test.each([
    ['openai/gpt-5', PNG],
    ['openai/gpt-4o', video],
    [MESSAGES, { inlineData: { mimeType: 'audio/wav', data: 'QUJD' } }],
  ])('[G-13] media that %s cannot read is refused', (model, given) =>
    refused(stand, part(text('What is this?'), given), 'contents[0].parts[1]', { model }),
  );
  test.each([
    ['openai/gpt-5', PNG, 'An image'],
    ['openai/gpt-4o', video, 'A video'],
    [MESSAGES, { inlineData: { mimeType: 'audio/wav', data: 'QUJD' } }, 'A recording'],
  ])('[G-13] media of an earlier turn that %s cannot read are a text and a loss', async (model, given, words) => {
    const contents = [
      { role: 'user', parts: [text('What is this?'), given] },
      { role: 'model', parts: [text('I see.')] },
      { role: 'user', parts: [text('Go on.')] },
    ];
    const { sentText } = await lossy(stand, { contents }, ['contents.parts.inlineData'], { model });
    expect(sentText).toContain(`[${words} was here, which you cannot read.]`);
    const again = {
      contents: [...contents, { role: 'model', parts: [text('Yes.')] }, { role: 'user', parts: [given] }],
    };
    await refused(stand, again, 'contents[4].parts[0]', { model });
  });
  test('[G-13] media reaches a model that can read it', async () => {
    expect((await served(stand, part(text('x'), video))).sent).toEqual(part(text('x'), video));
  });
});
