// The process must exit while streams still run: each ends with its protocol's error, and is cut.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EVERY_ROAD } from '../support/every-road.ts';
import { waitUntilIdle } from '../support/idle.ts';
import { responsesHosts } from '../support/responses-probe.ts';
import { post, type Road, type RoadReply } from '../support/roads.ts';
import { openStand, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterEach(() => stand.simulator.close());

const ask = (
  road: Road,
  model: string,
  instruction: string,
  stream: boolean,
  onHead = (): void => {},
): Promise<RoadReply> =>
  post(stand, road, model, road.body(model, [road.user(`Hello @simulate ${instruction}`)], { stream }), {
    stream,
    onHead,
  });

/** The last record of the stream, which is its error. */
const lastRecord = ({ text }: RoadReply): string => text.trimEnd().split('\n\n').at(-1) ?? '';

const LAST_WORDS: Readonly<Record<Road['name'], RegExp>> = {
  chat: /^data: \{"error":\{"message":"The gateway is restarting[^"]*","type":"server_error".*"code":"overloaded"/,
  messages: /^event: error\ndata: \{"type":"error","error":\{"type":"api_error","message":"The gateway is restarting/,
  genai: /^\{"error":\{"code":503,"message":"The gateway is restarting[^"]*","status":"UNAVAILABLE"/,
  responses: /^event: response\.failed\ndata: .*"status":"failed".*"message":"The gateway is restarting/,
};

const MODELS = ['openai/gpt-4o', 'anthropic/claude-sonnet-4-5'];

test.each(EVERY_ROAD.flatMap((road) => MODELS.map((model) => ({ road, name: road.name, model }))))(
  'a $name stream of $model ends with its protocol’s error when the drain time is over',
  async ({ road, name, model }) => {
    let isRunning = false;
    const running = ask(road, model, 'scenario=text-long words=5000 tps=100', true, () => {
      isRunning = true;
    });
    await waitUntil('the stream runs', () => isRunning);
    const closing = stand.gateway.close({ drainMs: 50 });
    const reply = await running;
    expect(reply.complete).toBe(false);
    expect(lastRecord(reply)).toMatch(LAST_WORDS[name]);
    await closing;
    await waitUntilIdle(stand);
    expect(stand.records.at(-1)).toMatchObject({ how: 'fault', fault: { kind: 'overloaded' } });
  },
);

test.each(EVERY_ROAD)('$name: a request without an answer yet gets a retryable error', async (road) => {
  const running = ask(road, 'openai/gpt-4o', 'header-delay=60000', false);
  await waitUntil('the upstream has the request', () => stand.gateway.gauges.watched === 1);
  const closing = stand.gateway.close({ drainMs: 50 });
  const { status, headers, complete } = await running;
  expect(status).toBe(road.name === 'messages' ? 529 : 503);
  expect(headers.get('retry-after')).toMatch(/^[1-9]/);
  expect(headers.get('connection')).toBe('close');
  expect(complete).toBe(true);
  await closing;
});
