/** Image edits of the chat protocol: a multipart form with files. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  dataOf,
  framesOf,
  GEMINI,
  GPT,
  IMAGEN,
  imageConfig,
  imageHosts,
  JPEG,
  type Json,
  made,
  type Part,
  PNG,
  postEdit,
  postJson,
  refused,
  startsAs,
} from '../../support/image-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: imageHosts, config: imageConfig });
});
afterAll(() => stand.close());

const BASE: readonly Part[] = [
  ['model', GPT],
  ['prompt', 'make it blue'],
  ['image', PNG],
];
const without = (name: string): readonly Part[] => BASE.filter(([each]) => each !== name);
const edit = (parts: readonly Part[]) => () => postEdit(stand, parts);
const filesOf = (sent: Json, name: string): readonly string[] =>
  (sent['files'] as { name: string; base64: string }[])
    .filter((file) => file.name === name)
    .map(({ base64 }) => base64);

test('[IS-08] images are edited by a multipart form, at hosts of every dialect; other methods are refused', async () => {
  for (const model of [GPT, GEMINI, IMAGEN]) {
    const { reply } = await made(stand, edit([...without('model'), ['model', model]]));
    expect(startsAs(dataOf(reply)[0]?.['b64_json'], 'png')).toBe(true);
  }
  expect((await fetch(`${stand.chatUrl}/images/edits`)).status).toBe(405);
});

test('[IS-09] model and prompt are required parts of an edit', async () => {
  for (const field of ['model', 'prompt']) {
    await refused(stand, edit(without(field)), field);
    await refused(stand, edit([...without(field), [field, '']]), field);
  }
  await made(stand, edit(BASE));
});

test('[IS-10] the image part may repeat, under any of its names, and images keep their order', async () => {
  const two: readonly Buffer[] = [PNG, JPEG];
  const forms: readonly (readonly Part[])[] = [
    [['image', PNG]],
    two.map((file) => ['image', file] as const),
    two.map((file) => ['image[]', file] as const),
    two.map((file, at) => [`image[${at}]`, file] as const),
  ];
  for (const images of forms) {
    const { sent } = await made(stand, edit([...without('image'), ...images]));
    const name = images.length === 1 ? 'image' : 'image[]';
    expect(filesOf(sent, name)).toEqual(images.map(([, file]) => (file as Buffer).toString('base64')));
  }
  await refused(stand, edit([...BASE, ...Array.from({ length: 16 }, () => ['image', PNG] as const)]), 'image');
});

test('[IS-11] an edit needs at least one file, which must be an image', async () => {
  expect((await refused(stand, edit(without('image')), 'image'))['param']).toBe('image');
  await refused(stand, edit([...without('image'), ['image', 'text']]), 'image');
  await refused(stand, edit([...without('image'), ['image', Buffer.from('no image')]]), 'image');
  await refused(stand, edit([...without('image'), ['image', Buffer.alloc(0)]]), 'image');
  await made(stand, edit(BASE));
});

test('[IS-12] stream in a form is the text true or false', async () => {
  const events = await postEdit(stand, [...BASE, ['stream', 'true']]);
  expect(events.headers.get('content-type')).toContain('text/event-stream');
  expect(framesOf(events).at(-1)?.event).toBe('image_edit.completed');
  for (const parts of [BASE, [...BASE, ['stream', 'false'] as const]])
    expect((await made(stand, edit(parts))).reply.headers.get('content-type')).toBe('application/json');
  await refused(stand, edit([...BASE, ['stream', 'yes']]), 'stream');
});

test('[IS-13] a mask is a separate file', async () => {
  const { sent } = await made(stand, edit([...BASE, ['mask', PNG]]));
  expect(filesOf(sent, 'mask')).toEqual([PNG.toString('base64')]);
  const predicted = await made(stand, edit([...without('model'), ['model', IMAGEN], ['mask', PNG]]));
  expect(JSON.stringify(predicted.sent)).toContain('MASK_MODE_USER_PROVIDED');
  await refused(stand, edit([...without('model'), ['model', GEMINI], ['mask', PNG]]), 'mask');
});

test('settings are texts, and only images may repeat: the error names the part and the problem', async () => {
  for (const [parts, name, problem] of [
    [[['prompt', 'again']], 'prompt', 'must be given once'],
    [[['size', PNG]], 'size', 'must be a text, not a file'],
    [
      [
        ['mask', PNG],
        ['mask', PNG],
      ],
      'mask',
      'must be given once',
    ],
  ] as const)
    expect((await refused(stand, edit([...BASE, ...parts]), name))['message']).toBe(`'${name}' ${problem}.`);
});

test('[IS-14] an edit in JSON is refused for its content type', async () => {
  const reply = await postJson(`${stand.chatUrl}/images/edits`, { model: GPT, prompt: 'x' });
  expect(reply.status).toBe(415);
  expect((reply.json['error'] as Json)['code']).toBe('unsupported_media_type');
  expect((await postEdit(stand, BASE)).status).toBe(200);
});

test('[IS-15] numbers in a form are parsed from text', async () => {
  const { reply, sent } = await made(
    stand,
    edit([...BASE, ['n', '2'], ['output_format', 'jpeg'], ['output_compression', '80']]),
  );
  expect(dataOf(reply)).toHaveLength(2);
  expect(sent).toMatchObject({ n: 2, output_format: 'jpeg', output_compression: 80 });
  for (const n of ['x', '0', '1.5', '']) await refused(stand, edit([...BASE, ['n', n]]), 'n');
});

test('a malformed form and a form with too many parts are refused', async () => {
  const send = (body: string) =>
    fetch(`${stand.chatUrl}/images/edits`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer sk-trivium-test-0123456789abcdefghijklmnopqrstuvwxyz',
        'content-type': 'multipart/form-data; boundary=x',
      },
      body,
    });
  for (const body of ['nothing of the kind', '--x\r\n', '']) expect((await send(body)).status).toBe(400);
  const many = Array.from(
    { length: 80 },
    (_, at) => `--x\r\ncontent-disposition: form-data; name="f${at}"\r\n\r\nv\r\n`,
  );
  expect((await send(`${many.join('')}--x--\r\n`)).status).toBe(400);
});
