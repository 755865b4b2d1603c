import { GatewayError, type TextCall } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import type { MediaFetcher } from '../../kernel/media.ts';
import type { TargetSide } from '../../kernel/target.ts';
import { withFetchedMedia } from './fetch-media.ts';

const target = {
  dialect: { operation: 'text', client: { needsBytes: () => true } },
  facts: {},
} as unknown as TargetSide;

const callWith = (files: number): TextCall =>
  ({
    turns: [
      {
        role: 'user',
        blocks: Array.from({ length: files }, (_, at) => ({
          kind: 'media',
          media: 'image',
          source: { via: 'url', url: `https://a.example/${at}` },
        })),
      },
    ],
  }) as unknown as TextCall;

/** Refuses more than `most` at once, as the gateway's fetcher does. */
class Fetcher implements MediaFetcher {
  running = 0;
  readonly fetched: string[] = [];
  readonly #most: number;
  readonly #missing: string | undefined;

  constructor(most: number, missing?: string) {
    this.#most = most;
    this.#missing = missing;
  }

  async fetch(url: string) {
    if (this.running === this.#most) throw new GatewayError({ kind: 'overloaded', message: 'too many' });
    this.running++;
    this.fetched.push(url);
    await new Promise((resolve) => setImmediate(resolve));
    this.running--;
    if (url === this.#missing) throw new GatewayError({ kind: 'unsupported', message: 'missing' });
    return { mimeType: 'image/png', base64: url };
  }
}

test('as many files as a call may have are not too many at once for the default of the fetcher', async () => {
  const call = await withFetchedMedia(callWith(20), target, new Fetcher(16));
  expect(call.turns[0]?.blocks).toHaveLength(20);
  expect(call.turns[0]?.blocks[19]).toMatchObject({
    mimeType: 'image/png',
    source: { via: 'inline', base64: 'https://a.example/19' },
  });
});

test('after a file that cannot be fetched no others are begun', async () => {
  const fetcher = new Fetcher(16, 'https://a.example/0');
  await expect(withFetchedMedia(callWith(20), target, fetcher)).rejects.toThrow('missing');
  await new Promise((resolve) => setImmediate(resolve));
  expect(fetcher.fetched.length).toBeLessThan(10);
});
