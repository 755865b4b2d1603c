/** What is encoded and decoded again keeps its meaning, except for reported losses. */
import type { Event, TextAnswer, TextCall } from '@trivium/protocol/canonical';
import { fold, grammarProblem, unfold } from '@trivium/protocol/stream';
import { describe, expect, test } from 'vitest';
import { canonicalOf, chat, contextOf, factsOf, fixtures } from './fixture-set.ts';

/** Never sent to an upstream: the gateway applies or stores these itself. */
function carried(call: TextCall): unknown {
  const { model: _m, metadata: _d, usageWanted: _u, ...rest } = call;
  return JSON.parse(JSON.stringify(rest, (name, value: unknown) => (name === 'idMinted' ? undefined : value)));
}

/** Without the gateway's own id, model and time, and with the dialect's own finish reasons. */
function comparable(answer: TextAnswer): unknown {
  const { id: _i, model: _m, createdAtSeconds: _c, ...rest } = answer;
  const usage = Object.fromEntries(Object.entries(rest.usage).filter(([, count]) => count > 0));
  const plain = JSON.stringify({ ...rest, usage }, (name, value: unknown) =>
    name === 'idMinted' || name === 'raw' ? undefined : value,
  );
  return JSON.parse(plain);
}

function throughFrames(events: readonly Event[]): Event[] {
  const encoder = chat.server.eventEncoder(contextOf());
  const decoder = chat.client.eventDecoder(factsOf({ customTools: true }));
  const frames = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()];
  expect(encoder.losses()).toEqual([]);
  expect(frames.at(-1)).toEqual({ data: '[DONE]' });
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

describe.each(fixtures)('$name', ({ name, facts }) => {
  const { call, answer } = canonicalOf(name);

  test('a call survives encoding', () => {
    const { body, losses } = chat.client.encodeCall(call, facts);
    expect(losses).toEqual([]);
    expect(body['model']).toBe('upstream-model');
    expect(carried(chat.server.understand(body).call())).toEqual(carried(call));
  });

  test('an encoded call is a fixed point: encoding it again changes nothing', () => {
    const once = chat.client.encodeCall(call, facts).body;
    expect(chat.client.encodeCall(chat.server.understand(once).call(), facts).body).toEqual(once);
  });

  test('an answer survives encoding', () => {
    const { body, losses } = chat.server.encodeAnswer(answer, contextOf());
    expect(losses).toEqual([]);
    expect(body).toMatchObject({ id: 'chatcmpl-01FIXTURE', model: 'maker/model', created: 1_770_000_000 });
    expect(comparable(chat.client.decodeAnswer(body, factsOf()))).toEqual(comparable(answer));
  });

  test('a streamed answer survives encoding', () => {
    const events = throughFrames(unfold(answer));
    expect(grammarProblem(events)).toBeUndefined();
    expect(comparable(fold(events))).toEqual(comparable(answer));
  });
});
