// VO: videos in OpenAI's format, in front of the same operations, at hosts of several formats.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Json,
  KEY,
  openVideoStand,
  PNG,
  SORA,
  STRICT_KEY,
  VEO,
  type VideoStand,
} from '../../support/video-probe.ts';

const OTHER_KEY = 'sk-trivium-other-0123456789abcdefghijklmnopqrstuv';
const MP4_TYPE = 'video/mp4';
const HOSTS = [SORA, VEO];

let stand: VideoStand;
beforeAll(async () => {
  stand = await openVideoStand({
    config: {
      keys: [
        { name: 'test', secret: KEY, account: 'one' },
        { name: 'strict', secret: STRICT_KEY, account: 'one', strict: true },
        { name: 'other', secret: OTHER_KEY, account: 'two' },
      ],
    },
  });
});
afterAll(() => stand.close());

type Answer = { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: Json };

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${stand.url}/v1/videos${path}`, {
    method,
    headers: {
      authorization: `Bearer ${KEY}`,
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, text, json: isJson ? (JSON.parse(text) as Json) : {} };
}

const by = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const submissions = () =>
  stand.simulator.truth.read().filter(({ method, body }) => method === 'POST' && body !== undefined);

/** 200 after exactly one submission; the video, and what the host got. */
async function ordered(body: unknown, headers: Record<string, string> = {}) {
  const before = submissions().length;
  const { status, json, text, headers: got } = await call('POST', '', body, headers);
  expect(status, text).toBe(200);
  const sent = submissions().slice(before);
  expect(sent.map(({ refusal }) => refusal)).toEqual([undefined]);
  return { id: String(json['id']), video: json, sent: sent[0]?.body as Json, losses: got.get('x-trivium-losses') };
}

async function ended(id: string): Promise<Json> {
  const until = performance.now() + 20_000;
  for (;;) {
    const { status, json, text } = await call('GET', `/${id}`);
    expect(status, text).toBe(200);
    if (json['status'] === 'completed' || json['status'] === 'failed') return json;
    if (performance.now() > until) throw new Error(`${id} does not end`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const made = async (model: string, how = 'polls=0'): Promise<string> => {
  const { id } = await ordered({ model, prompt: `a cat @simulate ${how}` });
  await ended(id);
  return id;
};
const errorOf = ({ status, json }: Answer): Json => {
  const { code, param } = json['error'] as Json;
  return { status, code, param };
};
const operationOf = (id: string): string => id.replace('video_', '');

test('[VO-01] an order as JSON and as a form, below both bases, is answered with its object at once', async () => {
  for (const model of HOSTS) {
    const { video } = await ordered({ model, prompt: 'a cat @simulate polls=1000000', seconds: '8', size: '1280x720' });
    expect(video).toEqual({
      id: expect.stringMatching(/^video_[\w-]{22}$/),
      object: 'video',
      model,
      status: 'queued',
      progress: 0,
      created_at: expect.any(Number),
      completed_at: null,
      expires_at: null,
      prompt: null,
      seconds: '8',
      size: '1280x720',
      remixed_from_video_id: null,
      error: null,
    });
  }
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: SORA, prompt: 'a cat', seconds: '4' })) form.append(name, value);
  expect((await ordered(form)).sent).toMatchObject({ prompt: 'a cat', seconds: '4' });
  const long = await fetch(`${stand.chatUrl}/videos`, { headers: by(KEY) });
  expect(long.status).toBe(200);
  expect((await call('PUT', '', {})).status).toBe(405);
});

test('[VO-02] size, seconds and the first frame reach hosts in their own words', async () => {
  const asked = { prompt: 'a cat', seconds: 8, size: '720x1280' };
  const image_url = `data:image/png;base64,${PNG}`;
  const form = (model: string): FormData => {
    const fields = new FormData();
    for (const [name, value] of Object.entries({ ...asked, model })) fields.append(name, String(value));
    fields.append('input_reference', new Blob([Buffer.from(PNG, 'base64')], { type: 'image/png' }), 'first.png');
    return fields;
  };
  const flat = new FormData();
  for (const [name, value] of Object.entries({ ...asked, model: SORA, 'input_reference[image_url]': image_url }))
    flat.append(name, String(value));
  for (const body of [form(SORA), flat, { ...asked, model: SORA, input_reference: { image_url } }])
    expect((await ordered(body)).sent).toMatchObject({
      prompt: 'a cat',
      seconds: '8',
      size: '720x1280',
      input_reference: { image_url },
    });
  for (const body of [form(VEO), { ...asked, model: VEO, input_reference: { image_url } }])
    expect((await ordered(body)).sent).toMatchObject({
      instances: [{ prompt: 'a cat', image: { bytesBase64Encoded: PNG, mimeType: 'image/png' } }],
      parameters: { aspectRatio: '9:16', resolution: '720p', durationSeconds: 8 },
    });
});

test.each([
  ['prompt', {}],
  ['prompt', { prompt: '' }],
  ['prompt', { prompt: 5 }],
  ['model', { model: 5 }],
  ['size', { size: '13x7' }],
  ['size', { size: 720 }],
  ['seconds', { seconds: 'eight' }],
  ['seconds', { seconds: 0 }],
  ['seconds', { seconds: 4.5 }],
  ['seconds', { seconds: '7' }],
  ['seconds', { model: VEO, seconds: '12' }],
  ['size', { model: VEO, size: '720x720' }],
  ['input_reference', { input_reference: 'x' }],
  ['input_reference', { input_reference: {} }],
  ['input_reference', { input_reference: { file: 0 } }],
  ['input_reference', { input_reference: { image_url: 'data:image/png;base64,AAAA' } }],
  ['input_reference.image_url', { input_reference: { image_url: 'https://pictures.example.com/a.png' } }],
  ['input_reference.file_id', { input_reference: { file_id: 'file-1' } }],
])(
  '[VO-03] a value that is none, or that the model does not have, is refused by name: %s in %j',
  async (param, more) => {
    const before = submissions().length;
    const base = param === 'prompt' ? {} : { prompt: 'a cat' };
    const answer = await call('POST', '', { model: SORA, ...base, ...more });
    expect(errorOf(answer)).toMatchObject({ status: 400, param });
    expect(submissions().length).toBe(before);
  },
);

test('[VO-04] unknown members and a size that is only come near are losses, and refused under strict', async () => {
  expect((await ordered({ model: SORA, prompt: 'a cat', webhook: 'x', style: null })).losses).toBe('webhook');
  const near = { model: VEO, prompt: 'a cat', seconds: '8', size: '1792x1024' };
  const { losses, video } = await ordered(near);
  expect([losses, video['size']]).toEqual(['size', '1920x1080']);
  expect((await ordered({ ...near, size: '1920x1080' })).losses).toBeNull();
  expect((await call('POST', '', near, { 'x-trivium-strict': 'true' })).status).toBe(400);
});

test('[VO-05] a video is queued or in progress until it is completed, or failed with its reason', async () => {
  for (const model of HOSTS) {
    const done = await ended(await made(model, 'polls=2'));
    expect(done).toMatchObject({ model, status: 'completed', progress: 100, error: null });
    expect(done['completed_at']).toBeGreaterThanOrEqual(Number(done['created_at']));
    expect(done['expires_at']).toBeGreaterThan(Number(done['completed_at']));
    const failed = await ended(await made(model, 'clip=fails polls=0'));
    expect(failed).toMatchObject({ status: 'failed', completed_at: null, error: { message: expect.any(String) } });
    expect(await ended(await made(model, 'clip=blocked polls=0'))).toMatchObject({
      status: 'failed',
      error: { code: 'moderation_blocked' },
    });
  }
});

test('[VO-06] the content is the clip, whole or a range; before its end and without one it is an error', async () => {
  for (const model of HOSTS) {
    const id = await made(model);
    const { status, headers, text } = await call('GET', `/${id}/content`);
    expect([status, headers.get('content-type'), text.slice(4, 8)]).toEqual([200, MP4_TYPE, 'ftyp']);
    const part = await call('GET', `/${id}/content`, undefined, { range: 'bytes=4-7' });
    expect([part.status, part.text]).toEqual([206, 'ftyp']);
    expect((await call('GET', `/${id}/content?variant=video`)).status).toBe(200);
    expect(errorOf(await call('GET', `/${id}/content?variant=thumbnail`))).toMatchObject({
      status: 400,
      param: 'variant',
    });
  }
  const inline = await made('google/veo-3.1:google-vertex', 'polls=0 clip=bytes');
  const bytes = await call('GET', `/${inline}/content`);
  expect([bytes.status, bytes.text.slice(4, 8)]).toEqual([200, 'ftyp']);
  expect((await call('GET', `/${inline}/content`, undefined, { range: 'bytes=4-7' })).text).toBe('ftyp');
  const { id: running } = await ordered({ model: SORA, prompt: 'a cat @simulate polls=1000000' });
  expect(errorOf(await call('GET', `/${running}/content`))).toMatchObject({ status: 400, code: 'video_unfinished' });
  const failed = await made(SORA, 'clip=fails polls=0');
  expect(errorOf(await call('GET', `/${failed}/content`))).toMatchObject({ status: 404, code: 'no_content' });
});

test('[VO-07] the list has pages in both orders, of this account alone', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) {
    const { json } = await call('POST', '', { model: SORA, prompt: 'a cat' }, by(OTHER_KEY));
    ids.push(String(json['id']));
  }
  const page = async (query: string) => {
    const { json } = await call('GET', `?${query}`, undefined, by(OTHER_KEY));
    const data = json['data'] as readonly Json[];
    return { ids: data.map(({ id }) => id), more: json['has_more'], first: json['first_id'], last: json['last_id'] };
  };
  const [a, b, c] = ids;
  expect(await page('')).toEqual({ ids: [c, b, a], more: false, first: c, last: a });
  expect(await page('limit=2')).toEqual({ ids: [c, b], more: true, first: c, last: b });
  expect(await page(`limit=2&after=${b}`)).toEqual({ ids: [a], more: false, first: a, last: a });
  expect(await page(`order=asc&limit=1&after=${a}`)).toEqual({ ids: [b], more: true, first: b, last: b });
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'order=up'])
    expect(errorOf(await call('GET', `?${query}`))).toMatchObject({ status: 400, param: query.split('=')[0] });
  for (const after of [a, 'video_none', `video_${'0'.repeat(22)}`])
    expect(errorOf(await call('GET', `?after=${after}`))).toEqual({ status: 404, code: 'not_found', param: 'after' });
});

test('[VO-08] a deleted video is gone with its clip, what it cost stays; one that is being made is not deleted', async () => {
  const id = await made(VEO);
  const operation = await stand.poll(`publishers/google/models/veo-3.1/operations/${operationOf(id)}`);
  const [clip] = (operation.json['response'] as { videos: readonly { gcsUri: string }[] }).videos;
  expect((await fetch(clip?.gcsUri ?? '')).status).toBe(200);
  const { status, json } = await call('DELETE', `/${id}`);
  expect([status, json]).toEqual([200, { id, object: 'video.deleted', deleted: true }]);
  for (const [method, path] of [
    ['GET', `/${id}`],
    ['GET', `/${id}/content`],
    ['DELETE', `/${id}`],
  ] as const)
    expect(errorOf(await call(method, path))).toMatchObject({ status: 404, code: 'not_found' });
  expect((await fetch(clip?.gcsUri ?? '')).status).toBe(404);
  const { json: list } = await call('GET', '?limit=100');
  expect((list['data'] as readonly Json[]).map((one) => one['id'])).not.toContain(id);
  const { rows } = await stand.db.query(`select 1 from ledger_entries where memo = $1`, [
    `operation ${operationOf(id)}`,
  ]);
  expect(rows).toHaveLength(1);
  const { id: running } = await ordered({ model: SORA, prompt: 'a cat @simulate polls=1000000' });
  expect(errorOf(await call('DELETE', `/${running}`))).toMatchObject({ status: 400, code: 'video_unfinished' });
  expect((await call('GET', `/${running}`)).status).toBe(200);
});

test('[VO-09] strangers, unknown ids and crooked ones get one 404; without a key it is 401', async () => {
  const id = await made(SORA);
  const missing = (await call('GET', `/video_${'0'.repeat(22)}`)).json['error'];
  const crooked = ['%00', '..%2F..', "'%20or%201=1--", '%F0%9F%92%A5', '*', 'x'.repeat(190), operationOf(id)];
  for (const [method, part] of [
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/content'],
    ['POST', '/remix'],
  ] as const) {
    const body = method === 'POST' ? { prompt: 'b' } : undefined;
    const theirs = await call(method, `/${id}${part}`, body, by(OTHER_KEY));
    expect([method, part, theirs.status, theirs.json['error']]).toEqual([method, part, 404, missing]);
    for (const bad of crooked) expect([bad, (await call(method, `/${bad}${part}`, body)).status]).toEqual([bad, 404]);
    expect((await call(method, `/${id}${part}`, body, by('sk-trivium-nobody'))).status).toBe(401);
  }
  expect((await call('POST', '', { model: SORA, prompt: 'a' }, by('sk-trivium-nobody'))).status).toBe(401);
  expect((await call('GET', '', undefined, by('sk-trivium-nobody'))).status).toBe(401);
  expect((await ended(id))['status']).toBe('completed');
});

test('[VO-10] it is charged once for what was delivered, and an order repeated under one Idempotency-Key is one order', async () => {
  const headers = { 'idempotency-key': 'one-video' };
  const body = { model: SORA, prompt: 'a cat @simulate polls=0', seconds: '8' };
  const { id } = await ordered(body, headers);
  await ended(id);
  const again = await call('POST', '', body, headers);
  expect([again.status, again.json['id'], again.json['status']]).toEqual([200, id, 'completed']);
  expect((await call('POST', '', { ...body, seconds: '4' }, headers)).status).toBe(422);
  const charged = (of: string) =>
    stand.db.query(`select abs(amount)::text as amount from ledger_entries where memo = $1`, [
      `operation ${operationOf(of)}`,
    ]);
  // 8 seconds at 0.4 dollars.
  expect((await charged(id)).rows).toEqual([{ amount: '3200000000' }]);
  expect((await charged(await made(SORA, 'clip=fails polls=0'))).rows).toEqual([]);
});

test('[VO-11] a remix where there is none is refused, and nothing is sent', async () => {
  const elsewhere = await made(VEO);
  const failed = await made(SORA, 'clip=fails polls=0');
  const { id: running } = await ordered({ model: SORA, prompt: 'a cat @simulate polls=1000000' });
  const before = submissions().length;
  const refusals = [
    [elsewhere, { prompt: 'at night' }, { status: 400, code: 'remix_unsupported' }],
    [running, { prompt: 'at night' }, { status: 400, code: 'video_unfinished' }],
    [failed, { prompt: 'at night' }, { status: 404, code: 'no_content' }],
    [await made(SORA), { prompt: '' }, { status: 400, param: 'prompt' }],
  ] as const;
  // The last of them was ordered for this.
  for (const [id, body, error] of refusals)
    expect(errorOf(await call('POST', `/${id}/remix`, body))).toMatchObject(error);
  expect(submissions().length).toBe(before + 1);
});

test('[VO-14] a remix is an order at the host of the first video, priced like it, and charged once', async () => {
  const { id: first } = await ordered({
    model: SORA,
    prompt: 'a cat @simulate polls=0',
    seconds: '8',
    size: '720x1280',
  });
  await ended(first);
  const before = submissions().length;
  const headers = { 'idempotency-key': 'one-remix' };
  const body = { prompt: 'at night @simulate polls=0', seconds: '4' };
  const { status, json, headers: got } = await call('POST', `/${first}/remix`, body, headers);
  const [sent, ...more] = submissions().slice(before);
  expect([status, got.get('x-trivium-losses'), sent?.body, sent?.refusal, more]).toEqual([
    ...[200, 'seconds', { prompt: body.prompt }, undefined, []],
  ]);
  expect(sent?.path).toMatch(/^\/v1\/videos\/clip-\d+\/remix$/);
  const like = { model: SORA, seconds: '8', size: '720x1280', remixed_from_video_id: first };
  expect(json).toMatchObject({ ...like, status: 'queued' });
  const id = String(json['id']);
  expect(await ended(id)).toMatchObject({ ...like, status: 'completed' });
  expect((await call('GET', `/${id}/content`)).text.slice(4, 8)).toBe('ftyp');
  expect((await call('POST', `/${first}/remix`, body, headers)).json['id']).toBe(id);
  expect((await call('POST', `/${id}/remix`, body, headers)).status).toBe(422);
  const { rows } = await stand.db.query(`select abs(amount)::text as amount from ledger_entries where memo = $1`, [
    `operation ${operationOf(id)}`,
  ]);
  expect(rows).toEqual([{ amount: '3200000000' }]);
  const again = await call('POST', `/${id}/remix`, { prompt: 'at noon' });
  expect(again.json).toMatchObject({ ...like, remixed_from_video_id: id });
  await call('DELETE', `/${first}`);
  expect((await call('POST', `/${first}/remix`, body)).status).toBe(404);
});

test('[VO-12] both formats show the same videos', async () => {
  const id = await made(VEO);
  const polled = await stand.poll(`publishers/google/models/veo-3.1/operations/${operationOf(id)}`);
  expect(polled.json['done']).toBe(true);
  const operation = await stand.made(VEO, { prompt: 'a cat @simulate polls=0' });
  const name = String(operation['name']);
  expect(await ended(`video_${name.split('/').at(-1)}`)).toMatchObject({ model: VEO, status: 'completed' });
});
