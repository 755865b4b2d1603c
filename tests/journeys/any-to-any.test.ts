// Every protocol reaches every dialect: text, tools, reasoning and streams in all twenty pairs.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVERY_DESTINATION, withConverse } from '../support/converse-host.ts';
import { EVERY_ROAD } from '../support/every-road.ts';
import { normalJson } from '../support/exact-json.ts';
import { responsesHosts } from '../support/responses-probe.ts';
import { converse, type Json, type ParsedAnswer } from '../support/roads.ts';
import { openStand, type Stand } from '../support/stand.ts';

const TOOLS = ['weather', 'clock', 'news'];
const LARGE = normalJson('{"z_id":12345678901234567890,"precise":9007199254740993,"a":[1000,0,1.5],"text":"é/"}');

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: withConverse(responsesHosts) });
});
afterAll(() => stand.close());

const sentUpstream = (): string => {
  const entry = stand.simulator.truth.last();
  expect(entry?.refusal).toBeUndefined();
  return entry?.bodyText ?? '';
};

const EVERY_PAIR = EVERY_ROAD.flatMap((road) =>
  EVERY_DESTINATION.map((destination) => ({ ...destination, road, pair: `${road.name} to ${destination.dialect}` })),
);

describe.each(EVERY_PAIR)('$pair', ({ road, model, thinker, dialect }) => {
  test.each([false, true])('[P-09] a text request is answered, streamed: %s', async (stream) => {
    const first = road.user('Where do three roads meet? @simulate scenario=unicode');
    const answer = await converse(stand, road, model, [first], { stream });
    expect(answer.text.length).toBeGreaterThan(20);
    expect(answer.finish).toBe(road.finishes.stop);
    expect(answer.inputTokens).toBeGreaterThan(0);
    expect(answer.outputTokens).toBeGreaterThan(0);
    const next = await converse(stand, road, model, [first, answer.turn, road.user('And where do two meet?')], {
      stream,
    });
    expect(next.text).toContain('And where do two meet?');
    expect(normalJson(sentUpstream())).toContain(JSON.stringify(answer.text).slice(1, -1));
  });

  test.each([false, true])(
    '[P-10] three tool calls, their results and the final answer keep their meaning, streamed: %s',
    async (stream) => {
      const first = road.user('Look around. @simulate scenario=tools-parallel');
      const asked = await converse(stand, road, model, [first], { tools: TOOLS, stream });
      expect(asked.finish).toBe(road.finishes.tools);
      expect(asked.calls.map(({ name }) => name)).toEqual(TOOLS);
      expect(new Set(asked.calls.map(({ id }) => id)).size).toBe(TOOLS.length);
      for (const { argumentsJson } of asked.calls)
        expect(JSON.parse(argumentsJson)).toEqual({ city: expect.any(String) });
      const contents = ['21 degrees', 'noon', 'nothing new'];
      const turns = [first, asked.turn, ...road.results(asked.calls, contents)];
      const answer = await converse(stand, road, model, turns, { tools: TOOLS, stream });
      expect(answer.calls).toEqual([]);
      for (const content of contents) expect(answer.text).toContain(content);
      expect(idsSent(dialect, sentUpstream())).toEqual({
        called: asked.calls.map(({ id }) => id),
        answered: asked.calls.map(({ id }) => id),
      });
    },
  );

  test.each([false, true])(
    '[P-10] arguments beyond double precision keep their digits, streamed: %s',
    async (stream) => {
      const first = road.user('Big numbers. @simulate scenario=tool-large-integers');
      const asked = await converse(stand, road, model, [first], { tools: ['weather'], stream });
      const [call] = asked.calls;
      expect(normalJson(call?.argumentsJson ?? '')).toBe(LARGE);
      await converse(stand, road, model, [first, asked.turn, ...road.results(asked.calls, ['ok'])], {
        tools: ['weather'],
      });
      expect(sentUpstream()).toContain('12345678901234567890');
      expect(sentUpstream()).toContain('9007199254740993');
    },
  );

  test('[P-11] the stream keeps the order and framing of its protocol, and equals the whole answer', async () => {
    for (const scenario of ['text-long words=30', 'tools-with-text', 'tools-parallel-interleaved', 'length']) {
      const turns = [road.user(`Look around. @simulate scenario=${scenario}`)];
      const whole = await converse(stand, road, model, turns, { tools: TOOLS });
      const streamed = await converse(stand, road, model, turns, { tools: TOOLS, stream: true });
      expect(meaning(streamed)).toEqual(meaning(whole));
    }
  });

  test.each([false, true])('[P-10] [P-11] a reasoning loop of three turns works, streamed: %s', async (stream) => {
    const responseOptions = { tools: TOOLS, thinking: true, stream };
    const turns: Json[] = [];
    for (const round of [1, 2]) {
      turns.push(road.user(`Round ${round}. @simulate scenario=reasoning-tools`));
      const asked = await converse(stand, road, thinker, turns, responseOptions);
      expect(asked.thinking).toContain('two tools');
      expect(asked.calls.map(({ name }) => name)).toEqual(['weather', 'clock']);
      turns.push(asked.turn, ...road.results(asked.calls, [`${round} degrees`, `${round} o'clock`]));
      const answer = await converse(stand, road, thinker, turns, responseOptions);
      expect(answer.text).toContain(`${round} degrees`);
      expect(sentUpstream()).toContain(`${round} degrees`);
      turns.push(answer.turn);
    }
    turns.push(road.user('Thank you.'));
    expect((await converse(stand, road, thinker, turns, responseOptions)).text).toContain('Thank you.');
  });
});

const meaning = ({ text, thinking, calls, finish }: ParsedAnswer): object => ({
  text,
  thinking,
  finish,
  calls: calls.map(({ name, argumentsJson }) => ({ name, arguments: JSON.parse(argumentsJson) })),
});

/** The ids of calls and of results in a body, by the field names of its dialect. */
function idsSent(dialect: string, bodyText: string): { called: string[]; answered: string[] } {
  const member = { 'openai-chat': 'tool_call_id', 'anthropic-messages': 'tool_use_id', 'google-generate': '' }[dialect];
  const called: string[] = [];
  const answered: string[] = [];
  const isCall = (value: Json): boolean =>
    value['type'] === 'tool_use' || (value['type'] === 'function' && value['id'] !== undefined);
  JSON.parse(bodyText, (key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const object = value as Json;
    if (isCall(object) || key === 'functionCall') called.push(String(object['id']));
    if (object['type'] === 'function_call') called.push(String(object['call_id']));
    if (object['type'] === 'function_call_output') answered.push(String(object['call_id']));
    if (member !== undefined && member in object) answered.push(String(object[member]));
    if (key === 'toolUse') called.push(String(object['toolUseId']));
    if (key === 'toolResult') answered.push(String(object['toolUseId']));
    if (key === 'functionResponse') answered.push(String(object['id']));
    return value;
  });
  return { called, answered };
}
