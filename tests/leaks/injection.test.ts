/** Wherever a port fails, or the caller disconnects, nothing stays open and the settlement is closed exactly once. */
import { describe, expect, test } from 'vitest';
import { run, type Script } from './tripwire.ts';

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'u', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const STREAM = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Hello' }),
  chunk({ content: ' you' }) + chunk({}, 'stop'),
  'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\ndata: [DONE]\n\n',
];
const WHOLE = JSON.stringify({
  id: 'u',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello you' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
});
const body = (more: object): string =>
  JSON.stringify({ model: 'maker/model', messages: [{ role: 'user', content: 'Hi' }], ...more });
const LEGACY = {
  messages: [
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
    { role: 'function', name: 'f', content: 'x' },
  ],
};

const SCRIPTS: readonly (readonly [string, Script])[] = [
  ['plain', { body: body({}), status: 200, pieces: [WHOLE.slice(0, 20), WHOLE.slice(20)], ledger: 'sync' }],
  ['plain, translated', { body: body(LEGACY), status: 200, pieces: [WHOLE], ledger: 'async' }],
  ['plain, refused upstream', { body: body({}), status: 429, pieces: ['{"error":{"message":"no"}}'], ledger: 'async' }],
  ['plain, broken answer', { body: body({}), status: 200, pieces: ['{"choices":'], ledger: 'sync' }],
  ['streamed', { body: body({ stream: true }), status: 200, pieces: STREAM, ledger: 'sync' }],
  ['streamed, hold in another tick', { body: body({ stream: true }), status: 200, pieces: STREAM, ledger: 'async' }],
  ['streamed, translated', { body: body({ stream: true, ...LEGACY }), status: 200, pieces: STREAM, ledger: 'async' }],
  [
    'streamed to a slow caller',
    { body: body({ stream: true }), status: 200, pieces: STREAM, ledger: 'sync', slowCaller: true },
  ],
  ['streamed, ended early', { body: body({ stream: true }), status: 200, pieces: STREAM.slice(0, 2), ledger: 'sync' }],
  [
    'streamed, failing in the middle',
    {
      body: body({ stream: true }),
      status: 200,
      pieces: [...STREAM.slice(0, 2), 'data: {"error":{"message":"x"}}\n\n'],
      ledger: 'sync',
    },
  ],
  ['streamed, refused upstream', { body: body({ stream: true }), status: 503, pieces: ['{}'], ledger: 'sync' }],
  [
    'silent before the first byte',
    { body: body({ stream: true }), status: 200, pieces: [], ledger: 'sync', endless: true },
  ],
  [
    'silent in the middle of a stream',
    { body: body({ stream: true }), status: 200, pieces: STREAM.slice(0, 2), ledger: 'sync', endless: true },
  ],
  [
    'silent in the middle, slow caller',
    {
      body: body({ stream: true }),
      status: 200,
      pieces: STREAM.slice(0, 2),
      ledger: 'sync',
      endless: true,
      slowCaller: true,
    },
  ],
  [
    'silent in the middle of a whole answer',
    { body: body({}), status: 200, pieces: [WHOLE.slice(0, 20)], ledger: 'async', endless: true },
  ],
];

const expectNothingOpen = (outcome: Awaited<ReturnType<typeof run>>): void => {
  const { openHolds, takenSlots, openExchanges, watched } = outcome;
  expect({ openHolds, takenSlots, openExchanges, watched }).toEqual({
    openHolds: 0,
    takenSlots: 0,
    openExchanges: 0,
    watched: 0,
  });
  expect(outcome.closings).toBe(outcome.admitted ? 1 : 0);
  expect(outcome.records).toHaveLength(outcome.admitted ? 1 : 0);
};

describe.each(SCRIPTS)('%s', (name, script) => {
  test('a run without a failure leaves nothing open', async () => {
    const outcome = await run(script);
    expectNothingOpen(outcome);
    const answered = /^(plain|streamed)(, translated|, hold.*| to a slow caller)?$/.test(name);
    expect(outcome.finished).toBe(answered);
    const silent = name.startsWith('silent');
    expect(outcome.records[0]?.how).toBe(answered ? 'done' : silent ? 'gone' : 'fault');
    if (answered) expect(outcome.records[0]?.reading?.usage).toEqual({ prompt: 3, completion: 2 });
  });

  test('an exception at any port call leaves nothing open', async () => {
    const { calls } = await run(script);
    expect(calls.length).toBeGreaterThanOrEqual(10);
    for (const [at, call] of calls.entries()) {
      const outcome = await run(script, at, 'throw');
      expect(outcome.calls[at], 'the run is repeatable').toBe(call);
      try {
        expectNothingOpen(outcome);
      } catch (cause) {
        throw new Error(`a throw at call ${at}, ${call}`, { cause });
      }
    }
  });

  test('a disconnect during any port call leaves nothing open', async () => {
    const { calls } = await run(script);
    for (const [at, call] of calls.entries()) {
      const outcome = await run(script, at, 'hang-up');
      try {
        expectNothingOpen(outcome);
      } catch (cause) {
        throw new Error(`a hang-up at call ${at}, ${call}`, { cause });
      }
    }
  });
});

test('a stream with a disconnected caller is not recorded as done', async () => {
  const script: Script = { body: body({ stream: true }), status: 200, pieces: STREAM, ledger: 'sync' };
  const { calls } = await run(script);
  const first = calls.indexOf('after onText');
  const last = calls.lastIndexOf('before onEnd');
  for (let at = first; at < last; at++)
    expect((await run(script, at, 'hang-up')).records[0]?.how, calls[at]).toBe('gone');
});

test('a stream that failed to reach its caller is cut, and not recorded as done before its end is journalled', async () => {
  const script: Script = { body: body({ stream: true }), status: 200, pieces: STREAM, ledger: 'sync' };
  const { calls } = await run(script);
  for (const [at, call] of calls.entries()) {
    if (call !== 'reply.write' && call !== 'reply.finish') continue;
    const outcome = await run(script, at, 'throw');
    expect(outcome.records[0]?.how).toBe(at > calls.indexOf('record') ? 'done' : 'fault');
    expect(outcome.cut).toBe(true);
  }
});
