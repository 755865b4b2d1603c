/** R: parallel_tool_calls false, with upstreams that make two calls all the same. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CannedStand, plainAnswer } from '../../support/canned-upstream.ts';
import { cannedModel, openResponsesCannedStand, responseOf, spoken } from '../../support/responses-canned.ts';
import { ask, type Json, type OutputItem, post, recordOf, tool, typesOf } from '../../support/responses-probe.ts';
import { streamed } from '../../support/responses-stream.ts';

let stand: CannedStand;
beforeAll(async () => {
  stand = await openResponsesCannedStand();
});
afterAll(() => stand.close());

const MODEL = cannedModel('canned-responses');
const call = (id: string): Json => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name: 'weather',
  arguments: '{}',
  status: 'completed',
});
const ITEMS = [call('a'), call('b'), spoken('Done.')] as Json[];
const asking = (parallel_tool_calls: boolean): Json =>
  ask({ model: MODEL, tools: [tool('weather')], parallel_tool_calls });

const frames = (): { contentType: string; pieces: string[] } => {
  const events: Json[] = [{ type: 'response.created', response: responseOf([], { status: 'in_progress' }) }];
  for (const [output_index, item] of ITEMS.entries())
    events.push(
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } },
      ...(item['type'] === 'function_call'
        ? [{ type: 'response.function_call_arguments.delta', output_index, item_id: item['id'], delta: '{}' }]
        : []),
      { type: 'response.output_item.done', output_index, item },
    );
  events.push({ type: 'response.completed', response: responseOf(ITEMS) });
  const pieces = events.map((event, sequence_number) => {
    const data = JSON.stringify({ ...event, sequence_number });
    return `event: ${event['type']}\ndata: ${data}\n\n`;
  });
  return { contentType: 'text/event-stream', pieces };
};

test('[R-60] the second call of a whole answer is dropped and reported, on the verbatim lane too', async () => {
  stand.say(plainAnswer(responseOf(ITEMS)));
  const both = await post(stand, asking(true));
  expect(typesOf(both.json['output'] as Json[])).toEqual(['function_call', 'function_call', 'message']);
  expect(both.headers.get('x-trivium-losses')).toBeNull();
  const one = await post(stand, asking(false));
  expect((one.json['output'] as OutputItem[]).map(({ id }) => id)).toEqual(['fc_a', 'msg_1']);
  expect(one.headers.get('x-trivium-losses')).toBe('output.function_call');
  expect((await recordOf(stand, one)).lane).toBe('verbatim');
});

test('[R-60] the second call of a stream is dropped without a gap in the indexes, and reported', async () => {
  stand.say(frames());
  const both = await streamed(stand, asking(true));
  expect(both.output).toHaveLength(3);
  const one = await streamed(stand, asking(false));
  expect(one.reply.text).not.toContain('fc_b');
  expect(one.events.map(({ sequence_number }) => sequence_number)).toEqual(one.events.map((_, at) => at));
  expect(new Set(one.events.flatMap(({ output_index }) => output_index ?? []))).toEqual(new Set([0, 1]));
  expect(one.output.map(({ id }) => id)).toEqual(['fc_a', 'msg_1']);
  const record = await recordOf(stand, one.reply);
  expect([record.lane, record.losses?.map(({ path }) => path)]).toEqual(['verbatim', ['output.function_call']]);
});
