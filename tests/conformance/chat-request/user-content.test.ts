/** What a user message may hold. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, COMPATIBLE, lossless, lossy, refused, talk, user } from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const DATA_URL = `data:image/png;base64,${PIXEL}`;
const text = (value: unknown) => ({ type: 'text', text: value });
const image = (image_url: unknown) => ({ type: 'image_url', image_url });
const audio = (input_audio: unknown) => ({ type: 'input_audio', input_audio });
const file = (value: unknown) => ({ type: 'file', file: value });
const PDF = Buffer.from('%PDF-1.4 a small document').toString('base64');
const WAVE = Buffer.from('RIFF a small sound').toString('base64');

describe('content', () => {
  test.each([
    ['a text', 'Hi'],
    ['an empty text', ''],
    ['one part', [text('Hi')]],
    ['several parts', [text('a'), text('b'), image({ url: DATA_URL })]],
  ])('[C-63] user content that is %s is forwarded unchanged', async (_case, content) => {
    expect((await lossless(stand, talk(user(content)))).sent['messages']).toEqual([user(content)]);
  });

  test.each([
    ['missing', { role: 'user' }],
    ['null', user(null)],
    ['a number', user(5)],
    ['an object', user(text('x'))],
    ['no parts', user([])],
  ])('[C-63] user content is refused: %s', (_case, message) => refused(stand, talk(message), 'messages[0].content'));

  test.each([
    ['of an unknown type', { type: 'x' }],
    ['without type', { text: 'x' }],
    ['of another role', { type: 'refusal', refusal: 'x' }],
    ['that is a text', 'x'],
    ['that is null', null],
  ])('[C-64] a part %s is refused at its place', async (_case, part) => {
    await refused(stand, talk(user([part])), 'messages[0].content[0]');
    await refused(stand, talk(user('a'), user([text('b'), part])), 'messages[1].content[1]');
  });

  test('[C-64] each known type of part is served', async () => {
    const content = [
      text('a'),
      image({ url: DATA_URL }),
      audio({ data: WAVE, format: 'wav' }),
      file({ file_data: PDF, filename: 'a.pdf' }),
    ];
    expect((await lossless(stand, talk(user(content)))).sent['messages']).toEqual([user(content)]);
  });

  test.each([[undefined], [5], [null]])('[C-65] a text part with text %j is refused', (value) =>
    refused(stand, talk(user([text(value)])), 'messages[0].content[0].text'),
  );

  test('[C-65] a text part with text is served', async () => {
    expect((await lossless(stand, talk(user([text('a')])))).sent['messages']).toEqual([user([text('a')])]);
  });
});

describe('image parts', () => {
  test.each([
    ['a URL', 'https://example.com/a.png'],
    ['a data URL', DATA_URL],
  ])('[C-66] an image as %s reaches the model', async (_case, url) => {
    for (const model of ['openai/gpt-4o', COMPATIBLE])
      expect((await lossless(stand, ask({ model, messages: [user([image({ url })])] }))).sent['messages']).toEqual([
        user([image({ url })]),
      ]);
  });

  test('[C-66] a rebuilt request carries the same image', async () => {
    const content = [text('See'), image({ url: DATA_URL, detail: 'low' }), image({ url: 'https://example.com/a.png' })];
    const { sent } = await lossless(
      stand,
      ask({ model: COMPATIBLE, messages: [{ role: 'developer', content: 'x' }, user(content)] }),
    );
    expect(sent['messages']).toEqual([{ role: 'system', content: 'x' }, user(content)]);
  });

  test.each([
    ['no image_url', undefined, 'image_url'],
    ['image_url as text', DATA_URL, 'image_url'],
    ['no url', {}, 'image_url.url'],
    ['a url that is no text', { url: 5 }, 'image_url.url'],
    ['a broken data URL', { url: 'data:x' }, 'image_url.url'],
    ['a data URL that is not base64', { url: 'data:image/png;base64,***' }, 'image_url.url'],
    ['a data URL without base64', { url: 'data:image/png,abc' }, 'image_url.url'],
    ['a bare word', { url: 'cat.png' }, 'image_url.url'],
    ['a file URL', { url: 'file:///etc/passwd' }, 'image_url.url'],
  ])('[C-66] an image part with %s is refused', (_case, value, place) =>
    refused(stand, talk(user([image(value)])), `messages[0].content[0].${place}`),
  );

  test('[C-66] an image is refused for a model without image input', () =>
    refused(
      stand,
      ask({ model: 'openai/gpt-5', messages: [user([text('a'), image({ url: DATA_URL })])] }),
      'messages[0].content[1]',
    ));

  test.each(['low', 'high', 'auto'])('[C-67] image detail %s is forwarded', async (detail) => {
    expect((await lossless(stand, talk(user([image({ url: DATA_URL, detail })])))).sent['messages']).toEqual([
      user([image({ url: DATA_URL, detail })]),
    ]);
  });

  test.each([['max'], [''], [1]])('[C-67] image detail %j is refused', (detail) =>
    refused(stand, talk(user([image({ url: DATA_URL, detail })])), 'messages[0].content[0].image_url.detail'),
  );

  test('[C-67] image detail null counts as absent', async () => {
    expect((await lossless(stand, talk(user([image({ url: DATA_URL, detail: null })])))).sent['messages']).toEqual([
      user([image({ url: DATA_URL })]),
    ]);
  });
});

describe('audio parts', () => {
  test.each(['wav', 'mp3'])('[C-68] %s audio reaches the model', async (format) => {
    const content = [audio({ data: WAVE, format })];
    expect((await lossless(stand, talk(user(content)))).sent['messages']).toEqual([user(content)]);
  });

  test.each([
    ['data that is not base64', { data: '***', format: 'wav' }, 'input_audio.data'],
    ['no data', { format: 'wav' }, 'input_audio.data'],
    ['empty data', { data: '', format: 'wav' }, 'input_audio.data'],
    ['no format', { data: WAVE }, 'input_audio.format'],
    ['a format that is no text', { data: WAVE, format: 5 }, 'input_audio.format'],
    ['nothing', undefined, 'input_audio'],
  ])('[C-68] an audio part with %s is refused', (_case, value, place) =>
    refused(stand, talk(user([audio(value)])), `messages[0].content[0].${place}`),
  );

  test('[C-68] audio in an earlier turn of a model without audio input is a text and a loss', async () => {
    const messages = [
      user([audio({ data: WAVE, format: 'wav' })]),
      { role: 'assistant', content: 'Yes?' },
      user('Go on.'),
    ];
    const { sent } = await lossy(stand, ask({ model: COMPATIBLE, messages }), 'messages.content');
    expect(JSON.stringify(sent['messages'])).toContain('A recording was here');
    expect(JSON.stringify(sent['messages'])).not.toContain(WAVE);
  });

  test('[C-68] audio is refused for a model without audio input', () =>
    refused(
      stand,
      ask({ model: COMPATIBLE, messages: [user([audio({ data: WAVE, format: 'wav' })])] }),
      'messages[0].content[0]',
    ));
});

describe('file parts', () => {
  test.each([
    ['base64', { file_data: PDF, filename: 'a.pdf' }],
    ['a data URL', { file_data: `data:application/pdf;base64,${PDF}`, filename: 'a.pdf' }],
  ])('[C-69] a document as %s reaches the model', async (_case, value) => {
    expect((await lossless(stand, talk(user([file(value)])))).sent['messages']).toEqual([user([file(value)])]);
  });

  test('[C-69] the name of a document reaches Gemini, which has no field for it, as text', async () => {
    const value = { file_data: PDF, filename: 'a.pdf' };
    const { sent } = await lossless(stand, { ...talk(user([file(value)])), model: 'google/gemini-2.5-flash' });
    expect(sent['contents']).toEqual([
      { role: 'user', parts: [{ text: 'a.pdf' }, { inlineData: { mimeType: 'application/pdf', data: PDF } }] },
    ]);
  });

  test.each([
    ['neither data nor id', { filename: 'a.pdf' }, 'file'],
    ['data that is not base64', { file_data: '***' }, 'file.file_data'],
    ['data that is no text', { file_data: 5 }, 'file.file_data'],
    ['a filename that is no text', { file_data: PDF, filename: 5 }, 'file.filename'],
    ['the id of a file of another owner', { file_id: 'file-abc' }, 'file.file_id'],
    ['nothing', undefined, 'file'],
  ])('[C-69] a file part with %s is refused', (_case, value, place) =>
    refused(stand, talk(user([file(value)])), `messages[0].content[0].${place}`),
  );

  test('[C-69] a file is refused for a model without file input', () =>
    refused(stand, ask({ model: COMPATIBLE, messages: [user([file({ file_data: PDF })])] }), 'messages[0].content[0]'));
});
