// A recording is at least as long as its frames, whatever its headers say: hosts charge for what they hear.
import { describe, expect, test } from 'vitest';
import { adts, flac, mp3, mp4, ogg, wav, webm } from './containers.fixture.ts';
import { countedSeconds, secondsOf } from './measure.ts';
import { RecordingThread } from './recording-thread.ts';

const SECONDS = 30;
const SHORT = { stated: 1 };
/** Of a frame, and of a table that counts as one. */
const FRAMES = 0.3;

const TRUE: Readonly<Record<string, Buffer>> = {
  wav: wav(SECONDS),
  mp3: mp3(SECONDS),
  aac: adts(SECONDS),
  flac: flac(SECONDS),
  ogg: ogg(SECONDS),
  webm: webm(SECONDS),
  m4a: mp4(SECONDS),
  'm4a in fragments': mp4(SECONDS, { fragmented: true }),
};

test.each(Object.entries(TRUE))('%s', async (_, bytes) => {
  const seconds = await secondsOf(bytes);
  expect(seconds).toBeGreaterThanOrEqual(SECONDS);
  expect(seconds).toBeLessThan(SECONDS + FRAMES);
});

const FORGED: Readonly<Record<string, Buffer>> = {
  'the size of data': wav(SECONDS, SHORT),
  'the frames of Xing': mp3(SECONDS, SHORT),
  'the samples of FLAC': flac(SECONDS, SHORT),
  'the positions of Ogg': ogg(SECONDS, SHORT),
  'the duration of WebM': webm(SECONDS, SHORT),
  'mvhd, mdhd and stts': mp4(SECONDS, SHORT),
  'the same, in fragments': mp4(SECONDS, { ...SHORT, fragmented: true }),
};

test.each(Object.entries(FORGED))('one second is stated in %s', async (_, bytes) => {
  expect(await secondsOf(bytes)).toBeGreaterThanOrEqual(SECONDS);
});

describe('nothing tells', () => {
  const gap = Buffer.alloc(200_000, 1);
  const cases: Readonly<Record<string, Buffer>> = {
    'a rate that no decoder has': wav(SECONDS, { rate: 800_000 }),
    'sound that is compressed': wav(SECONDS, { format: 0x11 }),
    'a codec that is not counted': mp4(SECONDS, { codec: 'ac-3' }),
    'bytes of no kind': gap,
    nothing: Buffer.alloc(0),
    'MPEG frames, and much between them': Buffer.concat([mp3(1), gap, mp3(1)]),
    'a block of WebM that does not end': webm(SECONDS).subarray(0, -1),
    'a page of Ogg that belongs to no stream': Buffer.concat([ogg(1), Buffer.from('OggS'), Buffer.alloc(40, 9)]),
  };
  test.each(Object.entries(cases))('%s', (_, bytes) => {
    expect(countedSeconds(bytes)).toBeUndefined();
  });
});

test('a header that says more than there is counts: some hosts believe it', async () => {
  expect(await secondsOf(flac(SECONDS, { stated: 100 }))).toBe(100);
});

test('a tag is skipped, and what is behind it is read', () => {
  const tag = Buffer.from([...Buffer.from('ID3'), 4, 0, 0, 0, 0, 1, 0, ...Buffer.alloc(128, 0xff)]);
  expect(countedSeconds(Buffer.concat([tag, flac(SECONDS)]))).toBeGreaterThanOrEqual(SECONDS);
  expect(countedSeconds(Buffer.concat([tag, mp3(SECONDS)]))).toBeGreaterThanOrEqual(SECONDS);
});

test('no cut of any of them throws or hangs', () => {
  for (const bytes of Object.values(TRUE))
    for (let length = 0; length < Math.min(bytes.length, 600); length += 7) countedSeconds(bytes.subarray(0, length));
});

describe('on the thread', () => {
  test('the same, from pieces of a larger memory, and many at once', async () => {
    const thread = new RecordingThread();
    const bytes = Buffer.concat([Buffer.alloc(5), TRUE['ogg']!]).subarray(5);
    const pieces = [bytes.subarray(0, 100), bytes.subarray(100)];
    const all = await Promise.all([0, 1, 2].map(() => thread.measure(pieces, 'a caller')));
    expect(new Set(all)).toEqual(new Set([await secondsOf(TRUE['ogg']!)]));
    expect(pieces[1]?.length).toBe(bytes.length - 100);
    await thread.close();
    expect(await thread.measure(pieces, 'a caller')).toBeUndefined();
  });

  const STUCK = Buffer.from([0]);
  const QUICK = Buffer.from([7]);
  const stuckThread = (quickMs: number, maxMs = 60_000): RecordingThread =>
    new RecordingThread({ quickMs, maxMs, thread: new URL('stuck-thread.fixture.ts', import.meta.url) });

  test('what takes too long has no length, and the next one has', async () => {
    const thread = stuckThread(1, 500);
    expect(await thread.measure([STUCK], 'a caller')).toBeUndefined();
    expect(await thread.measure([QUICK], 'a caller')).toBe(7);
    await thread.close();
  });

  test('others do not wait for one that takes long: it goes on beside them, and a second one is given up', async () => {
    // Far more than the quick ones take, while two others keep both processors busy.
    const thread = stuckThread(500);
    let isFirstDone = false;
    const first = thread.measure([STUCK], 'hostile').then((seconds) => {
      isFirstDone = true;
      return seconds;
    });
    const second = thread.measure([STUCK], 'hostile');
    const other = thread.measure([QUICK], 'another');
    expect(await other).toBe(7);
    const later = thread.measure([QUICK], 'another');
    expect(await second).toBeUndefined();
    expect(await later).toBe(7);
    expect(isFirstDone).toBe(false);
    await thread.close();
    expect(await first).toBeUndefined();
  });

  test('callers take turns, and one of them leaves room for others', async () => {
    const thread = stuckThread(60_000);
    const order: string[] = [];
    const measure = async (owner: string): Promise<number | undefined> => {
      const seconds = await thread.measure([QUICK], owner);
      order.push(owner);
      return seconds;
    };
    const own = Array.from({ length: 16 }, () => measure('greedy'));
    expect(await measure('greedy')).toBeUndefined();
    order.length = 0;
    const others = await measure('another');
    expect(others).toBe(7);
    expect(order).toEqual(['greedy', 'another']);
    expect(new Set(await Promise.all(own))).toEqual(new Set([7]));
    expect(await measure('greedy')).toBe(7);
    await thread.close();
  });
});
