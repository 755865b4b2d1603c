/** One body or a stream, with or without usage; and metadata, which the gateway keeps in the request record. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, framesOf, lossless, recordOf, refused, served } from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

describe('metadata', () => {
  test('[C-28] metadata is stored in the request record and not sent to the model', async () => {
    const { reply, sent } = await lossless(stand, ask({ metadata: { a: 'b' } }));
    expect((await recordOf(stand, reply)).metadata).toEqual({ a: 'b' });
    expect(sent).not.toHaveProperty('metadata');
  });

  test.each([[[]], ['x'], [5]])('[C-28] metadata %j is refused', (metadata) =>
    refused(stand, ask({ metadata }), 'metadata'),
  );

  test('[C-28] metadata null counts as absent', async () => {
    const { reply, sent } = await lossless(stand, ask({ metadata: null }));
    expect((await recordOf(stand, reply)).metadata).toBeUndefined();
    expect(sent).not.toHaveProperty('metadata');
  });
});

describe('stream', () => {
  test.each([[null], [undefined], [false]])('[C-29] stream %j gives one JSON body', async (stream) => {
    const { reply, sent } = await lossless(stand, ask({ stream }));
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    expect(reply.json['object']).toBe('chat.completion');
    expect(sent['stream'] ?? false).toBe(false);
  });

  test('[C-29] stream true gives server-sent events', async () => {
    const { reply, sent } = await lossless(stand, ask({ stream: true }));
    expect(reply.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(framesOf(reply)[0]).toMatchObject({ object: 'chat.completion.chunk' });
    expect(sent['stream']).toBe(true);
  });

  test.each([['x'], [1], [{}]])('[C-29] stream %j is refused', (stream) => refused(stand, ask({ stream }), 'stream'));
});

describe('stream_options', () => {
  test.each([[{ include_usage: true }], [{}], [null]])(
    '[C-30] stream_options %j without a stream is ignored',
    async (stream_options) => {
      const { reply, sent } = await lossless(stand, ask({ stream_options }));
      expect(reply.json['object']).toBe('chat.completion');
      expect(sent).not.toHaveProperty('stream_options');
    },
  );

  test('[C-30] include_usage ends the stream with one usage chunk', async () => {
    const { reply } = await lossless(stand, ask({ stream: true, stream_options: { include_usage: true } }));
    const frames = framesOf(reply);
    expect(frames.filter((frame) => frame['usage'] !== undefined && frame['usage'] !== null)).toHaveLength(1);
    expect(frames.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) },
    });
  });

  test.each([[{ include_usage: false }], [{}], [null], [undefined]])(
    '[C-30] stream_options %j gives no usage chunk',
    async (stream_options) => {
      const { reply } = await lossless(stand, ask({ stream: true, stream_options }));
      for (const frame of framesOf(reply)) {
        expect(frame['usage'] ?? null).toBeNull();
        expect(frame['choices']).toHaveLength(1);
      }
    },
  );

  test.each([
    ['a text', 'x', 'stream_options'],
    ['a list', [], 'stream_options'],
    ['include_usage as text', { include_usage: 'x' }, 'stream_options.include_usage'],
  ])('[C-30] %s is refused', (_case, stream_options, param) =>
    refused(stand, ask({ stream: true, stream_options }), param),
  );
});

describe('usage', () => {
  test('[C-48] usage.include gives usage in an answer and at the end of a stream', async () => {
    const whole = await lossless(stand, ask({ usage: { include: true } }));
    expect(whole.reply.json['usage']).toMatchObject({
      prompt_tokens: expect.any(Number),
      completion_tokens: expect.any(Number),
    });
    expect(whole.sent).not.toHaveProperty('usage');
    const streamed = await lossless(stand, ask({ usage: { include: true }, stream: true }));
    expect(framesOf(streamed.reply).at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: expect.any(Number) },
    });
    expect(streamed.sent).not.toHaveProperty('usage');
  });

  test.each([[{ include: false }], [{}], [null]])('[C-48] usage %j adds nothing to a stream', async (usage) => {
    const { reply } = await served(stand, ask({ usage, stream: true }));
    for (const frame of framesOf(reply)) expect(frame['usage'] ?? null).toBeNull();
  });

  test.each([
    ['include as text', { include: 'x' }, 'usage.include'],
    ['include as number', { include: 1 }, 'usage.include'],
    ['a boolean', true, 'usage'],
  ])('[C-48] %s is refused', (_case, usage, param) => refused(stand, ask({ usage }), param));
});
