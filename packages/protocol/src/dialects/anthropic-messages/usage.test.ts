import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { fold } from '../../stream/fold.ts';
import { NO_OPTIONS, runToEnd } from '../dialect.fixture.ts';
import type { AnswerContext, Frame } from '../dialect.ts';
import { anthropicMessages } from './index.ts';
import { messagesTarget } from './target.fixture.ts';

const context: AnswerContext = { requestId: 'r', model: 'm', createdAtSeconds: 1, responseOptions: NO_OPTIONS };
const frame = (event: JsonObject): Frame => ({ event: String(event['type']), data: JSON.stringify(event) });

/** As the format's home streams it: only the first event lists the lifetimes of the written tokens. */
const stream = (byAge: JsonObject, written: number, writtenAtEnd: number): Frame[] => {
  const input = { input_tokens: 3, cache_read_input_tokens: 40 };
  const usage = { ...input, cache_creation_input_tokens: written, cache_creation: byAge, output_tokens: 1 };
  return [
    frame({ type: 'message_start', message: { id: 'm', usage } }),
    frame({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { ...input, cache_creation_input_tokens: writtenAtEnd, output_tokens: 9 },
    }),
    frame({ type: 'message_stop' }),
  ];
};
const decoded = (frames: readonly Frame[]) =>
  fold(runToEnd(anthropicMessages.client.eventDecoder(messagesTarget()), frames)).usage;
function metered(frames: readonly Frame[]) {
  const lane = anthropicMessages.verbatim.frames(context, messagesTarget());
  return Object.assign({}, ...frames.map((each) => lane.read(each).usage ?? {}));
}

describe('tokens written to the cache count once, by their lifetime', () => {
  test.each<[string, JsonObject, number, number, [minutes: number, hour: number]]>([
    ['one hour', { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1000 }, 1000, 1000, [0, 1000]],
    ['both', { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 800 }, 1000, 1000, [200, 800]],
    ['more at the end', { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1000 }, 1000, 1500, [500, 1000]],
  ])('%s', (_name, byAge, written, writtenAtEnd, [inputCacheWrite5Min, inputCacheWrite1H]) => {
    const frames = stream(byAge, written, writtenAtEnd);
    const usage = { prompt: 3, inputCacheRead: 40, inputCacheWrite5Min, inputCacheWrite1H, completion: 9 };
    expect(decoded(frames)).toEqual(usage);
    expect(metered(frames)).toEqual(usage);
  });
});
