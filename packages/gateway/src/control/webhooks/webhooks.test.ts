import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Attempted, type Delivery, type DueMessage, type MessageRows, WebhookDispatcher } from './dispatcher.ts';
import { pauseAfter } from './retry-plan.ts';
import { newWebhookSecret, webhookHeaders } from './signature.ts';
import { postSigned, type SignedPost } from './signed-post.ts';

/** Seven pauses, then a message is given up. */
const MAX_TRIES = 8;

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('a message is signed like the example of the Standard Webhooks specification', () => {
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
  expect(webhookHeaders(message, [SECRET], 1_614_265_330_000)).toMatchObject({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('a secret is long enough and has its prefix', () => {
  const secret = newWebhookSecret();
  expect(secret.startsWith('whsec_')).toBe(true);
  expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
});

test('pauses grow, and end', () => {
  const pauses = Array.from({ length: MAX_TRIES - 1 }, (_, at) => pauseAfter(at + 1, 0) ?? 0);
  expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
  expect(pauses[0]).toBe(5000);
  expect(pauseAfter(1, 1)).toBe(6000);
  expect(pauseAfter(MAX_TRIES, 0)).toBeUndefined();
});

type Message = DueMessage & SignedPost;
type Settled = { readonly delivery: Delivery; readonly attempted: Attempted; readonly gone: boolean };

/** One message, attempted once, with a receiver that answers like this. */
async function settledAfter(
  own: Partial<Message>,
  answer: (signal: AbortSignal, dispatcher: WebhookDispatcher<Message>) => Promise<number>,
): Promise<Settled> {
  const message: Message = {
    id: 'msg_1',
    url: 'https://receiver.example/',
    body: '{}',
    tries: 1,
    secrets: [SECRET],
    ...own,
  };
  const waiting = [message];
  const settled: Settled[] = [];
  const rows: MessageRows<Message> = {
    claim: async () => waiting.splice(0),
    settle: async (_, delivery, attempted, gone) => void settled.push({ delivery, attempted, gone }),
    nextDueInMs: async () => undefined,
    forget: async () => 0,
  };
  const dispatcher = new WebhookDispatcher<Message>(() => ({ lookEveryMs: 1, timeoutMs: 1000, maxAtOnce: 8 }), {
    rows,
    send: (due, signal) =>
      postSigned(
        due,
        async () => {
          const statusCode = await answer(signal, dispatcher);
          return { answer: { statusCode } as Dispatcher.ResponseData, close: async () => undefined };
        },
        Date.now(),
        signal,
      ),
    isNotified: () => true,
    nowMs: Date.now,
    jitter: () => 0,
    onTrouble: (error) => {
      throw error;
    },
  });
  await dispatcher.round();
  const [only] = settled;
  if (only === undefined) throw new Error('nothing was settled');
  return only;
}

test('shutdown does not wait for a slow receiver: the attempt fails and is repeated', async () => {
  const settled = await settledAfter({}, (signal, dispatcher) => {
    const cut = new Promise<number>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    void dispatcher.stop();
    return cut;
  });
  expect(settled).toEqual({
    delivery: { againInMs: 5000 },
    attempted: { problem: 'no answer in time' },
    gone: false,
  });
});

test('a shutdown during the last attempt does not give the message up', async () => {
  const settled = await settledAfter({ tries: MAX_TRIES }, (signal, dispatcher) => {
    const cut = new Promise<number>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    void dispatcher.stop();
    return cut;
  });
  expect(settled.delivery).toEqual({ againInMs: 0 });
});

test.each([
  ['a 2xx has arrived', 204, {}, { delivery: 'delivered', gone: false }],
  ['a redirect has not', 302, {}, { delivery: { againInMs: 5000 }, gone: false }],
  ['an error has not', 500, {}, { delivery: { againInMs: 5000 }, gone: false }],
  ['after the last try it is given up', 500, { tries: MAX_TRIES }, { delivery: 'failed', gone: false }],
  ['a receiver that is gone gets no more messages', 410, {}, { delivery: 'failed', gone: true }],
])('%s', async (_, status, own, expected) => {
  expect(await settledAfter(own, async () => status)).toEqual({ ...expected, attempted: { status } });
});

test('no answer is a failed attempt, and so is a secret that cannot be decrypted: nothing is sent unsigned', async () => {
  const failing = async (): Promise<number> => {
    throw new Error('refused');
  };
  expect(await settledAfter({}, failing)).toEqual({
    delivery: { againInMs: 5000 },
    attempted: { problem: 'refused' },
    gone: false,
  });
  let asked = 0;
  const unsigned = await settledAfter({ secrets: undefined }, async () => {
    asked++;
    return 200;
  });
  expect({ asked, unsigned }).toEqual({
    asked: 0,
    unsigned: {
      delivery: { againInMs: 5000 },
      attempted: { problem: 'the signing secret cannot be decrypted with secrets.keys of this node' },
      gone: false,
    },
  });
});

describe('the rhythm of a dispatcher', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function stage(isNotified: boolean) {
    const seen = { looks: 0, dueInMs: undefined as number | undefined };
    const rows: MessageRows<Message> = {
      claim: async () => {
        seen.looks++;
        return [];
      },
      nextDueInMs: async () => seen.dueInMs,
      settle: async () => undefined,
      forget: async () => 0,
    };
    const dispatcher = new WebhookDispatcher<Message>(() => ({ lookEveryMs: 1000, timeoutMs: 1000, maxAtOnce: 8 }), {
      rows,
      send: async () => 200,
      isNotified: () => isNotified,
      nowMs: Date.now,
      jitter: () => 0,
      onTrouble: (error) => {
        throw error;
      },
    });
    dispatcher.start();
    const looksIn = async (ms: number): Promise<number> => {
      const before = seen.looks;
      await vi.advanceTimersByTimeAsync(ms);
      return seen.looks - before;
    };
    return { seen, dispatcher, looksIn };
  }

  test('looks seldom while no message waits, and at once when one is due', async () => {
    const { dispatcher, looksIn } = stage(true);
    expect(await looksIn(1000)).toBe(1);
    expect(await looksIn(9999)).toBe(0);
    dispatcher.wake();
    expect(await looksIn(0)).toBe(1);
    expect(await looksIn(10_000)).toBe(1);
    await dispatcher.stop();
  });

  test('looks when a message is due again', async () => {
    const { seen, dispatcher, looksIn } = stage(true);
    seen.dueInMs = 5000;
    expect(await looksIn(1000)).toBe(1);
    expect(await looksIn(4999)).toBe(0);
    seen.dueInMs = -1;
    expect(await looksIn(1)).toBe(1);
    expect(await looksIn(3000)).toBe(3);
    await dispatcher.stop();
  });

  test('looks every second while it would not be notified', async () => {
    const { dispatcher, looksIn } = stage(false);
    expect(await looksIn(10_000)).toBe(10);
    await dispatcher.stop();
  });
});
