/** R: calls over a WebSocket. */
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withConverse } from '../../support/converse-host.ts';
import { OWN, play, responsesHosts, WEATHER } from '../../support/responses-probe.ts';
import { idOf, refusalOf, SocketClient, type SocketEvent } from '../../support/socket-client.ts';
import { KEY, openStand, type Stand } from '../../support/stand.ts';
import { HOSTS } from '../../support/stored-checks.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: withConverse(responsesHosts) });
});
afterAll(() => stand.close());

const KEYED = { authorization: `Bearer ${KEY}` };
const open = (on = stand, headers: Record<string, string> = KEYED): Promise<SocketClient> =>
  SocketClient.open(`${on.chatUrl}/responses`, headers);

async function within(run: (client: SocketClient) => Promise<void>, on = stand): Promise<void> {
  const client = await open(on);
  try {
    await run(client);
  } finally {
    await client.close();
  }
}

/** What the upstream was sent last. */
const sent = (on = stand): string => on.simulator.truth.read().at(-1)?.bodyText ?? '';
const calls = (on = stand): number => on.simulator.truth.read().length;
const types = (events: readonly SocketEvent[]): string[] => events.map(({ type }) => type);
const last = (events: readonly SocketEvent[]): SocketEvent => events.at(-1)!;
const hosts = Object.entries(HOSTS);

describe('who may open one', () => {
  test('[R-80] a valid key is answered 101 with a request id, before anything is sent', () =>
    within(async (client) => {
      expect(client.ws.protocol).toBe('');
    }));

  test.each([{}, { authorization: 'Bearer sk-not-a-key' }])(
    '[R-80] without a valid key it is 401: %j',
    async (headers) => {
      const { status, text } = await refusalOf(`${stand.chatUrl}/responses`, headers);
      expect(status).toBe(401);
      expect(JSON.parse(text)).toMatchObject({ error: { type: 'invalid_request_error' } });
    },
  );

  test('[R-80] a key in the query is not read', async () => {
    const { status } = await refusalOf(`${stand.chatUrl}/responses?api_key=${KEY}`, {});
    expect(status).toBe(401);
  });

  test('[R-80] at other paths, and where it is switched off, it is 426', async () => {
    expect((await refusalOf(`${stand.chatUrl}/chat/completions`, KEYED)).status).toBe(426);
    const off = await openStand({ config: () => ({ sockets: { enabled: false } }) });
    try {
      const { status, headers } = await refusalOf(`${off.chatUrl}/responses`, KEYED);
      expect([status, headers['upgrade']]).toEqual([426, 'HTTP/1.1']);
    } finally {
      await off.close();
    }
  });

  test('[R-80] beyond the bounds of a key it is 429, and free again when one closes', async () => {
    const narrow = await openStand({ config: () => ({ sockets: { perKey: 1 } }) });
    try {
      const first = await open(narrow);
      expect((await refusalOf(`${narrow.chatUrl}/responses`, KEYED)).status).toBe(429);
      await first.close();
      await expect.poll(() => open(narrow).then((client) => client.close())).toBeTruthy();
    } finally {
      await narrow.close();
    }
  });
});

describe.each(hosts)('over %s', (_, model) => {
  test('[R-81] a frame is a call: the events of a stream, one record, and the connection stays', () =>
    within(async (client) => {
      const before = stand.records.length;
      for (const question of ['Where do three roads meet?', 'And where do four?']) {
        const events = await client.create({ model, input: question });
        expect(types(events).slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
        expect(last(events).type).toBe('response.completed');
        expect(events.map((event) => event['sequence_number'])).toEqual(events.map((__, at) => at));
        expect(sent()).toContain(question);
      }
      expect(stand.records.slice(before).map(({ how }) => how)).toEqual(['done', 'done']);
    }));

  test('[R-82] previous_response_id names an answer of the connection: the host gets the whole conversation', () =>
    within(async (client) => {
      const first = await client.create({ model, input: 'My name is Ann.', store: false, instructions: 'Be brief.' });
      const second = await client.create({ model, input: 'What is it?', previous_response_id: idOf(first) });
      expect(last(second)).toMatchObject({
        type: 'response.completed',
        response: { previous_response_id: idOf(first), store: false },
      });
      expect(sent()).toContain('My name is Ann.');
      expect(sent()).not.toContain('Be brief.');
      await client.create({ model, input: 'Are you sure?', previous_response_id: idOf(second) });
      for (const words of ['My name is Ann.', 'What is it?', 'Are you sure?']) expect(sent()).toContain(words);
    }));

  test('[R-82] a call of a tool is answered by its output alone', () =>
    within(async (client) => {
      const asked = await client.create({ ...play('scenario=tool-single'), model, tools: [WEATHER] });
      const { output } = last(asked)['response'] as { output: { type: string; call_id: string }[] };
      const call = output.find(({ type }) => type === 'function_call');
      expect(call).toBeDefined();
      const input = [{ type: 'function_call_output', call_id: call?.call_id, output: 'sunny in Rome' }];
      const done = await client.create({ model, tools: [WEATHER], input, previous_response_id: idOf(asked) });
      expect(last(done).type).toBe('response.completed');
      expect(sent()).toContain('sunny in Rome');
      expect(sent()).toContain('Where do three roads meet?');
    }));

  test('[R-83] generate: false costs nothing, and what it brought can be continued', () =>
    within(async (client) => {
      const [before, records] = [calls(), stand.records.length];
      const warm = await client.create({ model, input: 'The preamble.', generate: false });
      expect(types(warm)).toEqual(['response.created', 'response.in_progress', 'response.completed']);
      expect(last(warm)).toMatchObject({ response: { output: [], status: 'completed', usage: { total_tokens: 0 } } });
      expect([calls(), stand.records.length]).toEqual([before, records]);
      await client.create({ model, input: 'Go on.', previous_response_id: idOf(warm) });
      expect(sent()).toContain('The preamble.');
      expect(sent()).toContain('Go on.');
      expect(sent()).not.toContain('generate');
    }));

  test('[R-84] lanes run beside one another, each in order, and their events name them', () =>
    within(async (client) => {
      for (const [lane, input] of [
        ['a', 'One'],
        ['b', 'Two'],
        ['a', 'Three'],
      ] as const)
        client.send({ type: 'response.create', model, input, stream_id: lane });
      const turns = [...(await client.turn()), ...(await client.turn()), ...(await client.turn())];
      expect(new Set(turns.map((event) => event['stream_id']))).toEqual(new Set(['a', 'b']));
      const ofA = turns.filter((event) => event['stream_id'] === 'a').map(({ type }) => type);
      const [first, second] = [ofA.indexOf('response.completed'), ofA.lastIndexOf('response.created')];
      expect(first).toBeGreaterThan(0);
      expect(second).toBe(first + 1);
    }));
});

describe('errors', () => {
  test('[R-81] a refused call is a frame with the status and the error of a POST; the connection stays', () =>
    within(async (client) => {
      const before = calls();
      const [refused] = await client.create({ model: 'no/such', input: 'Hello' });
      expect(refused).toMatchObject({ type: 'error', status: 404, error: { code: 'model_not_found' } });
      const [malformed] = await client.create({ model: OWN, input: 5 });
      expect(malformed).toMatchObject({ type: 'error', status: 400, error: { param: 'input' } });
      expect(calls()).toBe(before);
      expect(last(await client.create({ model: OWN, input: 'Hello' })).type).toBe('response.completed');
    }));

  test('[R-81] a failure in the middle ends the call as on a stream, and the connection stays', () =>
    within(async (client) => {
      const events = await client.create(play('fault=reset-mid-stream after=3'));
      expect(last(events).type).toBe('response.failed');
      expect(last(await client.create({ model: OWN, input: 'Hello' })).type).toBe('response.completed');
    }));

  test.each([
    ['not JSON', 'hello', undefined],
    ['no object', '[]', undefined],
    ['another type', '{"type":"response.steer"}', 'type'],
    ['no lane', '{"type":"response.create","stream_id":"a b"}', 'stream_id'],
    ['no flag', '{"type":"response.create","generate":"no"}', 'generate'],
  ])('[R-81] a frame that asks for nothing is refused: %s', (_, text, param) =>
    within(async (client) => {
      client.ws.send(text);
      expect(await client.next()).toMatchObject({
        type: 'error',
        status: 400,
        error: { type: 'invalid_request_error', ...(param !== undefined && { param }) },
      });
      expect(client.ws.readyState).toBe(client.ws.OPEN);
    }),
  );

  test('[R-82] an id of another connection, as after a reconnect, is not found', async () => {
    let id = '';
    await within(async (client) => {
      id = idOf(await client.create({ model: OWN, input: 'Hello' }));
    });
    await within(async (client) => {
      const before = calls();
      const [error] = await client.create({ model: OWN, input: 'Go on.', previous_response_id: id });
      expect(error).toMatchObject({
        type: 'error',
        status: 400,
        error: { code: 'previous_response_not_found', param: 'previous_response_id' },
      });
      expect(calls()).toBe(before);
    });
  });

  test('[R-84] a binary frame closes the connection with 1003', async () => {
    const client = await open();
    client.ws.send(Buffer.from('{}'), { binary: true });
    expect(await client.next()).toMatchObject({ type: 'error', status: 400 });
    expect((await client.closed).code).toBe(1003);
  });
});

test('[R-81] the official SDK reads it', async () => {
  const client = new OpenAI({ apiKey: KEY, baseURL: stand.chatUrl });
  const socket = new ResponsesWS(client);
  const text = await new Promise<string>((resolve, reject) => {
    let read = '';
    socket.on('error', reject);
    socket.on('response.output_text.delta', ({ delta }) => (read += delta));
    socket.on('response.completed', () => resolve(read));
    socket.send({ type: 'response.create', model: OWN, input: 'Hello' });
  });
  socket.close();
  expect(text.length).toBeGreaterThan(0);
});
