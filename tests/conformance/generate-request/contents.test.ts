/** Turns and their parts: what is accepted, what is refused, and what is sent upstream. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moreModels } from '../../support/generate-models.ts';
import {
  ALL_MODELS,
  ask,
  CHAT,
  GEMINI,
  type Json,
  lossless,
  MESSAGES,
  model,
  PNG,
  part,
  refused,
  served,
  TRANSLATED,
  text,
  user,
} from '../../support/generate-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: moreModels });
});
afterAll(() => stand.close());

const PLACE = 'contents[0].parts[0]';
const contentsSent = (sent: Json): Json[] => sent['contents'] as Json[];
const messagesSent = (sent: Json): Json[] => (sent['messages'] ?? sent['input']) as Json[];

describe('turns', () => {
  test.each(ALL_MODELS)('[G-01, G-04] a minimal body is answered by %s, which receives a user turn', async (target) => {
    const { sent, candidate } = await served(stand, { contents: [{ parts: [{ text: 'hi' }] }] }, { model: target });
    expect(candidate.content.parts.length).toBeGreaterThan(0);
    const [turn] = target === GEMINI ? contentsSent(sent) : messagesSent(sent);
    expect(turn).toMatchObject({ role: 'user' });
    expect(JSON.stringify(turn)).toContain('hi');
  });

  test.each([[{}], [{ contents: {} }], [{ contents: 'x' }], [{ contents: [] }], [{ contents: null }]])(
    '[G-02] %j is refused: it has no contents',
    (body) => refused(stand, body, 'contents'),
  );
  test('[G-02] a body with one turn is accepted', () => lossless(stand, { contents: [user(text('x'))] }));

  test.each(['user', 'model'])('[G-03] the role %s is accepted', async (role) => {
    const { sent } = await lossless(stand, { contents: [{ role, parts: [{ text: 'x' }] }, user(text('y'))] });
    expect(contentsSent(sent)[0]).toMatchObject({ role });
  });
  test.each(['assistant', 'system', 1, ''])('[G-03] the role %j is refused', (role) =>
    refused(stand, { contents: [{ role, parts: [{ text: 'x' }] }] }, 'contents[0].role'),
  );
  test('[G-04] a given role is forwarded unchanged', async () => {
    const { sent } = await served(stand, { contents: [user(text('a')), model(text('b')), { parts: [text('c')] }] });
    expect(contentsSent(sent).map(({ role }) => role)).toEqual(['user', 'model', 'user']);
  });

  test.each([[{}], [{ parts: [] }], [{ parts: {} }], [{ parts: 'x' }]])(
    '[G-05] the turn %j is refused: it has no parts',
    (turn) => refused(stand, { contents: [turn] }, 'contents[0].parts'),
  );
  test('[G-05] several parts of one turn stay separate', async () => {
    const { sent } = await lossless(stand, part(text('one'), text('two')));
    expect(contentsSent(sent)).toEqual([user(text('one'), text('two'))]);
  });

  const history = { contents: [user(text('first')), model(text('second')), user(text('third'))] };
  test('[G-06] history reaches a host of the same dialect unchanged', async () => {
    expect(contentsSent((await lossless(stand, history)).sent)).toEqual(history.contents);
  });
  test.each(TRANSLATED)('[G-06] history keeps its order on the way to %s', async (target) => {
    const sent = messagesSent((await lossless(stand, history, { model: target })).sent);
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    for (const [at, words] of ['first', 'second', 'third'].entries()) expect(JSON.stringify(sent[at])).toContain(words);
  });
});

describe('parts', () => {
  const { inlineData } = PNG;

  test.each([
    [{ text: 'x', inlineData }],
    [{}],
    [{ mediaResolution: 'LOW' }],
    [{ thought: true }],
    [{ functionCall: { name: 'f', args: {} }, text: '' }],
  ])('[G-07] the part %j is refused: it does not hold exactly one datum', (given) =>
    refused(stand, part(given), PLACE),
  );
  test('[G-07] the second part is checked too, and settings beside one datum are accepted', async () => {
    await refused(stand, part(text('x'), {}), 'contents[0].parts[1]');
    await lossless(stand, part({ ...PNG, mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } }));
  });

  test.each([1, true, {}, []])('[G-08] the text %j is refused', (words) =>
    refused(stand, part({ text: words }), `${PLACE}.text`),
  );
  test.each([GEMINI, CHAT])('[G-08] empty text is accepted for %s', async (target) => {
    await served(stand, part(text(''), text('x')), { model: target });
  });

  test.each([
    [{ mimeType: 'image/png' }, 'data'],
    [{ data: 'QUJD' }, 'mimeType'],
    [{ mimeType: 'image/png', data: '%%' }, 'data'],
    [{ mimeType: 'image/png', data: 'QUJ' }, 'data'],
    [{ mimeType: 'image/png', data: 1 }, 'data'],
    [{ mimeType: 1, data: 'QUJD' }, 'mimeType'],
  ])('[G-09] the inline data %j is refused', (given, field) =>
    refused(stand, part({ inlineData: given }), `${PLACE}.inlineData.${field}`),
  );
  test('[G-09] inline bytes reach every dialect unchanged', async () => {
    const bytes = inlineData;
    expect(contentsSent((await lossless(stand, part({ inlineData: bytes }))).sent)).toEqual([
      user({ inlineData: bytes }),
    ]);
    expect((await lossless(stand, part({ inlineData: bytes }), { model: CHAT })).sentText).toContain(
      `data:image/png;base64,${bytes.data}`,
    );
    expect((await lossless(stand, part({ inlineData: bytes }), { model: MESSAGES })).sent).toMatchObject({
      messages: [{ content: [{ source: { type: 'base64', media_type: 'image/png', data: bytes.data } }] }],
    });
  });

  const URI = 'https://files.example/x.png';
  test.each([
    [{ mimeType: 'image/png' }, 'fileUri'],
    [{ fileUri: URI }, 'mimeType'],
    [{ mimeType: 'image/png', fileUri: 1 }, 'fileUri'],
    [{ mimeType: 'image/png', fileUri: '' }, 'fileUri'],
  ])('[G-10] the file %j is refused', (given, field) =>
    refused(stand, part({ fileData: given }), `${PLACE}.fileData.${field}`),
  );
  test('[G-10] a file is forwarded by its URI', async () => {
    const fileData = { mimeType: 'image/png', fileUri: URI };
    expect(contentsSent((await lossless(stand, part({ fileData }))).sent)).toEqual([user({ fileData })]);
    for (const target of TRANSLATED)
      expect((await lossless(stand, part({ fileData }), { model: target })).sentText).toContain(URI);
  });

  test.each([
    'application/pdf',
    'audio/mpeg',
    'audio/mp3',
    'audio/wav',
    'image/png',
    'image/jpeg',
    'image/webp',
    'text/plain',
    'video/mov',
    'video/mpeg',
    'video/mp4',
    'video/mpg',
    'video/avi',
    'video/wmv',
    'video/mpegps',
    'video/flv',
    'video/x-ms-wmv',
  ])('[G-11] the mime type %s is accepted inline and by file', async (mimeType) => {
    await lossless(stand, part({ inlineData: { mimeType, data: 'QUJD' } }, text('What is this?')));
    await lossless(stand, part({ fileData: { mimeType, fileUri: 'https://files.example/x' } }, text('What is this?')));
  });
  test.each(['image/gif', 'application/zip', '', 'IMAGE', 'text/html'])(
    '[G-12] the mime type %j is refused',
    async (mimeType) => {
      await refused(stand, part({ inlineData: { mimeType, data: 'QUJD' } }), `${PLACE}.inlineData.mimeType`);
      await refused(
        stand,
        part({ fileData: { mimeType, fileUri: 'https://files.example/x' } }),
        `${PLACE}.fileData.mimeType`,
      );
    },
  );
  test('[G-12] media that a model generated is accepted in history, whatever its mime type', () =>
    served(stand, {
      contents: [user(text('x')), model({ inlineData: { mimeType: 'image/gif', data: 'QUJD' } }), user(text('y'))],
    }));
});

describe('video', () => {
  const video = { inlineData: { mimeType: 'video/mp4', data: 'QUJD' } };
  test('[G-17] video offsets and frames per second are forwarded', async () => {
    const given = { ...video, videoMetadata: { startOffset: '1.5s', endOffset: '10s', fps: 2 } };
    expect(contentsSent((await lossless(stand, part(given))).sent)).toEqual([user(given)]);
  });
  test.each([
    [{ startOffset: 'abc' }, 'startOffset'],
    [{ endOffset: '10' }, 'endOffset'],
    [{ startOffset: 1 }, 'startOffset'],
    [{ fps: '2' }, 'fps'],
  ])('[G-17] videoMetadata %j is refused', (videoMetadata, field) =>
    refused(stand, part({ ...video, videoMetadata }), `${PLACE}.videoMetadata.${field}`),
  );
  test.each([[{ text: 'x' }], [{ inlineData: { mimeType: 'image/png', data: 'QUJD' } }]])(
    '[G-18] video settings beside %j are refused',
    (given) => refused(stand, part({ ...given, videoMetadata: { fps: 2 } }), `${PLACE}.videoMetadata`),
  );
  test('[G-18] video settings beside a video file are forwarded', async () => {
    const given = {
      fileData: { mimeType: 'video/mp4', fileUri: 'https://files.example/v' },
      videoMetadata: { fps: 1 },
    };
    expect(contentsSent((await lossless(stand, part(given))).sent)).toEqual([user(given)]);
  });
});

describe('resolution of media', () => {
  const png = PNG;
  const spellings = ['HIGH', 'MEDIUM', 'LOW'].flatMap((level) =>
    [level, `MEDIA_RESOLUTION_${level}`].flatMap((word) => [word, { level: word }].map((given) => ({ level, given }))),
  );
  test.each(spellings)('[G-19] $given is accepted as $level', async ({ level, given }) => {
    const { sent } = await lossless(stand, part({ ...png, mediaResolution: given }));
    expect(contentsSent(sent)).toEqual([user({ ...png, mediaResolution: { level: `MEDIA_RESOLUTION_${level}` } })]);
  });
  test.each(['HUGE', { level: 'HUGE' }, 'MEDIA_RESOLUTION_', 'low'])(
    '[G-19] mediaResolution %j is refused',
    (mediaResolution) => refused(stand, part({ ...png, mediaResolution }), `${PLACE}.mediaResolution`),
  );
  test('[G-20] the resolution of a part is forwarded beside that of the request', async () => {
    const generationConfig = { mediaResolution: 'MEDIA_RESOLUTION_HIGH' };
    const { sent } = await lossless(stand, {
      contents: [user({ ...png, mediaResolution: 'LOW' }, png)],
      generationConfig,
    });
    expect(sent).toMatchObject({ generationConfig });
    expect(contentsSent(sent)).toEqual([user({ ...png, mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } }, png)]);
  });
  test('[G-20] in another dialect the resolution of a part becomes the detail of that image', async () => {
    const generationConfig = { mediaResolution: 'MEDIA_RESOLUTION_HIGH' };
    const { sent } = await served(
      stand,
      { contents: [user({ ...png, mediaResolution: 'LOW' }, png)], generationConfig },
      { model: CHAT },
    );
    expect(sent).toMatchObject({ messages: [{ content: [{ image_url: { detail: 'low' } }, {}] }] });
  });
});

test('[G-04] adding a missing role changes nothing else in the request', async () => {
  const { sent } = await lossless(stand, {
    ...ask({ generationConfig: { topP: 0.5 } }),
    contents: [{ parts: [text('x')] }],
  });
  expect(sent).toEqual({ contents: [user(text('x'))], generationConfig: { topP: 0.5 } });
});
