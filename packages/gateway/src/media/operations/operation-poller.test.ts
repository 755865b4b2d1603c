import type { Json } from '@trivium/protocol/canonical';
import { findVideoDialect } from '@trivium/protocol/dialects';
import { describe, expect, test } from 'vitest';
import { Timeouts } from '../../kernel/timeouts.ts';
import type { Upstream } from '../../kernel/upstream.ts';
import type { VideoRoute } from '../../kernel/video.ts';
import { EndpointRates } from '../../money/prices/rates.ts';
import type { OperationEvent, VideoOperation } from './operation.ts';
import { OperationPoller } from './operation-poller.ts';
import type { OperationStore } from './ports.ts';

const dialect = findVideoDialect('ark-video')!;
const target = { upstreamModel: 'm', limits: {}, path: '/tasks' };
const route: VideoRoute = {
  provider: 'host',
  routeKey: 'host m c',
  modelId: 'm',
  dialect,
  origin: 'http://host.example',
  basePath: '/v3',
  target,
  headers: [],
  card: new EndpointRates({ prices: {}, otherPrices: [] }, 'v1'),
  route: {
    isMaker: false,
    picoUsd: undefined,
    promptPicoUsd: undefined,
    completionPicoUsd: undefined,
    cacheReadPicoUsd: undefined,
    contextLength: 0,
    maxOutputTokens: 0,
  },
};

const OPERATION: VideoOperation = {
  id: 'o',
  accountId: 'a',
  keyId: 'k',
  requestId: 'r',
  protocol: 'genai',
  model: 'owner/m',
  modelId: 'owner/m',
  provider: 'host',
  dialect: 'ark-video',
  routeKey: 'host m c',
  ordered: { target, count: 1, seconds: 5, rates: { version: 'v1', byMeter: {}, surcharges: [] }, losses: [] },
  state: 'running',
  task: { id: 't', path: '/tasks' },
  unanswered: 0,
  denials: 0,
  receivedAtMs: 0,
  createdAtMs: 0,
  nextAt: 'then',
  isDue: true,
  isLate: false,
  expiresAtMs: 0,
};

type World = {
  readonly operation: Partial<VideoOperation>;
  readonly status?: number;
  readonly answer?: Json;
  readonly withoutRoute?: boolean;
  readonly fetchFails?: boolean;
};

/** One poll, and its result. */
async function look({ operation, status = 200, answer = {}, withoutRoute = false, fetchFails = false }: World) {
  const events: OperationEvent[] = [];
  const over: string[] = [];
  const asked: string[] = [];
  const found = { ...OPERATION, ...operation };
  const store: Pick<OperationStore, 'read' | 'move'> = {
    read: async () => found,
    move: async (_id, event) => {
      events.push(event);
      return found;
    },
  };
  const upstream: Upstream = {
    send: ({ path }, listener) => {
      asked.push(path);
      queueMicrotask(() => {
        listener.onHead(status, () => undefined);
        listener.onText(JSON.stringify(answer));
        listener.onEnd();
      });
      return { pause: () => {}, resume: () => {}, drain: () => {}, abort: () => {} };
    },
  };
  const clock = { nowMs: () => 0, monotonicMs: () => 0 };
  const poller = new OperationPoller({
    store: store as OperationStore,
    wakes: { work: async () => {}, stop: async () => {} },
    asking: {
      upstream,
      clock,
      redact: (text) => text,
      timeouts: new Timeouts({ start: () => () => {}, nowMs: () => 0 }, 1000),
    },
    delivery: {
      fetcher: {
        open: async () => {
          if (fetchFails) throw new Error('gone');
          return { content: (async function* () {})(), close: () => {} };
        },
      },
      clipStore: { put: async () => ({ id: 'blob', expiresAtMs: 9 }) },
      inlineBytes: () => 10,
    },
    routeOf: () => (withoutRoute ? undefined : route),
    settings: () => ({ unknownMs: 1000 }),
    onOver: async ({ id }) => void over.push(id),
    onTrouble: () => undefined,
  });
  await poller.look('o');
  return { events, over, asked };
}

describe('a poll of an operation', () => {
  test('calls the host once, on its own path, and schedules the next poll', async () => {
    const { events, asked } = await look({ operation: {}, answer: { status: 'running' } });
    expect(asked).toEqual(['/v3/tasks/t']);
    expect(events).toEqual([
      { name: 'waited', seenNextAt: 'then', unanswered: 0, denials: 0, nextInMs: dialect.cadenceMs },
    ]);
  });

  test('does nothing before it is due', async () => {
    expect(await look({ operation: { isDue: false } })).toEqual({ events: [], over: [], asked: [] });
  });

  test('announces a finished operation, and calls no host', async () => {
    expect(await look({ operation: { state: 'done' } })).toEqual({ events: [], over: ['o'], asked: [] });
  });

  test('never submits again: a pending submission becomes lost, and a lost one is given up', async () => {
    const lost = await look({ operation: { state: 'submitting' } });
    expect(lost).toMatchObject({ events: [{ name: 'lost', nextInMs: 1000 }], asked: [] });
    const givenUp = await look({ operation: { state: 'unknown' } });
    expect(givenUp).toMatchObject({ events: [{ name: 'given-up', note: expect.any(String) }], asked: [] });
  });

  test('fails an operation past its deadline without calling the host', async () => {
    const { events, asked } = await look({ operation: { isLate: true } });
    expect(events).toMatchObject([{ name: 'failed', fault: { kind: 'upstream-timeout' } }]);
    expect(asked).toEqual([]);
  });

  test('finishes with clips, and charges for them', async () => {
    const answer = { status: 'succeeded', content: { video_url: 'https://clips.example/1' } };
    const { events } = await look({ operation: {}, answer });
    expect(events).toMatchObject([
      {
        name: 'finished',
        result: { clips: [{ blob: { id: 'blob' } }], blocked: [], bill: { usage: { videos: 1, videoSeconds: 5 } } },
      },
    ]);
  });

  test('an end without clips fails the operation', async () => {
    const { events } = await look({ operation: {}, answer: { status: 'succeeded' } });
    expect(events).toMatchObject([{ name: 'failed', fault: { kind: 'upstream-broken' } }]);
  });

  test('a clip that cannot be downloaded is downloaded again later', async () => {
    const answer = { status: 'succeeded', content: { video_url: 'https://clips.example/1' } };
    const { events } = await look({ operation: {}, answer, fetchFails: true });
    expect(events).toMatchObject([{ name: 'waited', unanswered: 1 }]);
  });

  test('a failing host is polled again with increasing pauses', async () => {
    const first = await look({ operation: {}, status: 503 });
    const fourth = await look({ operation: { unanswered: 3 }, status: 503 });
    expect(first.events).toMatchObject([{ name: 'waited', unanswered: 1, nextInMs: dialect.cadenceMs }]);
    expect(fourth.events).toMatchObject([{ name: 'waited', unanswered: 4, nextInMs: dialect.cadenceMs * 8 }]);
  });

  test('a task is lost at the third denial of its host; failures of the host in between count as nothing', async () => {
    const after = async (status: number, operation: Partial<VideoOperation>) =>
      (await look({ operation, status, answer: { status: 'running' } })).events;
    const waited = (denials: number) => [expect.objectContaining({ name: 'waited', denials })];
    expect(await after(404, { unanswered: 7 })).toEqual(waited(1));
    expect(await after(503, { unanswered: 8, denials: 1 })).toEqual(waited(1));
    expect(await after(404, { unanswered: 9, denials: 1 })).toEqual(waited(2));
    expect(await after(404, { unanswered: 2, denials: 2 })).toMatchObject([{ name: 'failed' }]);
    expect(await after(200, { unanswered: 2, denials: 2 })).toEqual(waited(0));
  });

  test('an operation whose credential is missing waits', async () => {
    const { events, asked } = await look({ operation: {}, withoutRoute: true });
    expect(events).toMatchObject([{ name: 'waited' }]);
    expect(asked).toEqual([]);
  });
});
