/** Callers behind a proxy: many streams at once, forwarded addresses, disconnects, and the official SDKs. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { CHECK_NAMES, type CheckName, type Deployment } from '../../sdk/checks/check.ts';
import { NEWEST } from '../../sdk/checks/judges.ts';
import { idOf, SocketClient } from '../../support/socket-client.ts';
import { ask, chatQuestion } from '../parts/ask.ts';
import { questionOn, ROADS } from '../parts/dialect-hosts.ts';
import { type EchoHost, FIRST, LAST } from '../parts/echo-host.ts';
import { waitFor, within } from '../parts/wait.ts';

export const ECHO_MODEL = 'compatible/any';
/** Upper bound in ms for events that must happen; no check depends on how long they take. */
const PATIENCE_MS = 30_000;

/** A streamed request in flight, with what has been received so far. */
type Reading = { text: string; isWhole: boolean; isOver: boolean; leave(): void };

function read(url: string, secret: string, road: (typeof ROADS)[number], words: string): Reading {
  const { path, body, headers } = questionOn(road, url, ECHO_MODEL, words, true);
  const payload = JSON.stringify(body);
  const outgoing = request(`${url}${path}`, {
    method: 'POST',
    agent: new Agent({ keepAlive: false }),
    headers: { ...headers, 'content-type': 'application/json', authorization: `Bearer ${secret}` },
  });
  const reading: Reading = { text: '', isWhole: false, isOver: false, leave: () => void outgoing.destroy() };
  const over = (): void => {
    reading.isOver = true;
  };
  outgoing.on('error', over);
  outgoing.on('response', (incoming: IncomingMessage) => {
    incoming.setEncoding('utf8').on('data', (piece: string) => {
      reading.text += piece;
    });
    incoming.on('error', over);
    incoming.on('end', () => {
      reading.isWhole = incoming.complete;
      over();
    });
  });
  outgoing.end(payload);
  return reading;
}

const spoken = (text: string, word: string, words: string): boolean => text.includes(`${word} ${words}`);

export type StreamFindings = { readonly open: number; readonly early: number; readonly whole: number };

/**
 * `early`: streams of which the caller had the first piece while the upstream held the last one back. All are open at once.
 * The protocols take turns.
 */
export async function crowdOfStreams(
  url: string,
  secret: string,
  echo: EchoHost,
  streams: number,
  name: string,
): Promise<StreamFindings> {
  const crowd = Array.from({ length: streams }, (_, index) => {
    const words = `${name}-${index} stream`;
    return { words, reading: read(url, secret, ROADS[index % ROADS.length]!, words) };
  });
  const early = (): number => crowd.filter(({ words, reading }) => spoken(reading.text, FIRST, words)).length;
  await waitFor('first pieces', () => early() === streams, PATIENCE_MS).catch(() => undefined);
  const findings = { open: echo.waiting, early: early() };
  for (const { words } of crowd) echo.letGo(words);
  await waitFor('last pieces', () => crowd.every(({ reading }) => reading.isOver), PATIENCE_MS).catch(() => undefined);
  const whole = crowd.filter(
    ({ words, reading: { text, isWhole } }) => isWhole && spoken(text, FIRST, words) && spoken(text, LAST, words),
  );
  return { ...findings, whole: whole.length };
}

/** How many upstream calls ended because their caller hung up. */
export async function leavers(url: string, secret: string, echo: EchoHost, count: number): Promise<number> {
  const before = echo.left;
  const crowd = Array.from({ length: count }, (_, index) => {
    const words = `leaver-${index} of-${new URL(url).port}`;
    return { words, reading: read(url, secret, ROADS[0]!, words) };
  });
  const begun = (): boolean => crowd.every(({ words, reading }) => spoken(reading.text, FIRST, words));
  await waitFor('the streams have begun', begun, PATIENCE_MS);
  for (const { reading } of crowd) reading.leave();
  await waitFor('all are let go', () => echo.left - before === count, PATIENCE_MS).catch(() => undefined);
  return echo.left - before;
}

export type SocketFindings = { readonly early: number; readonly continued: number; readonly left: number };

/** Fits into no buffer of a proxy. */
const LARGE_FRAME = 200_000;

/**
 * WebSockets at once, each with a turn, a large second one that refers to it, and a third during which it vanishes. `early`: as of
 * streams. `left`: upstream calls that ended with their socket.
 */
export async function crowdOfSockets(
  url: string,
  secret: string,
  echo: EchoHost,
  count: number,
  name: string,
): Promise<SocketFindings> {
  const headers = { authorization: `Bearer ${secret}` };
  const open = Array.from({ length: count }, () => SocketClient.open(`${url}/v1/responses`, headers));
  const crowd = (await within('WebSockets open', Promise.all(open), PATIENCE_MS)).map((client, index) => ({
    client,
    words: (turn: string): string => `${name}-${index} socket-${turn}`,
  }));
  const heard = (turn: string): number =>
    crowd.filter(({ client, words }) => spoken(JSON.stringify(client.events), FIRST, words(turn))).length;
  const begin = async (turn: string, more: (client: SocketClient) => object): Promise<number> => {
    for (const { client, words } of crowd) {
      const input = [{ role: 'user', content: words(turn) }];
      client.send({ type: 'response.create', model: ECHO_MODEL, input, ...more(client) });
    }
    await waitFor('first pieces', () => heard(turn) === count, PATIENCE_MS).catch(() => undefined);
    return heard(turn);
  };
  const end = (turn: string) => {
    for (const { words } of crowd) echo.letGo(words(turn));
    return within('answers end', Promise.all(crowd.map(({ client }) => client.turn())), PATIENCE_MS);
  };
  const early = await begin('one', () => ({}));
  const ids = new Map((await end('one')).map((turn, index) => [crowd[index]?.client, idOf(turn)]));
  await begin('two', (client) => ({
    previous_response_id: ids.get(client),
    instructions: 'x'.repeat(LARGE_FRAME),
  }));
  const second = await end('two');
  const continued = second.filter((turn) => turn.at(-1)?.type === 'response.completed').length;
  const before = echo.left;
  await begin('three', () => ({}));
  for (const { client } of crowd) client.ws.terminate();
  await waitFor('all are let go', () => echo.left - before === count, PATIENCE_MS).catch(() => undefined);
  return { early, continued, left: echo.left - before };
}

/** The status for a caller from this address, whatever its forwarded headers claim. */
export async function statusFrom(url: string, secret: string, localAddress: string, claims?: string): Promise<number> {
  const question = chatQuestion(url, ECHO_MODEL, 'address');
  const agent = new Agent({ keepAlive: false, localAddress });
  const headers = { authorization: `Bearer ${secret}`, ...(claims !== undefined && { 'x-forwarded-for': claims }) };
  return (await ask({ ...question, agent, headers })).status;
}

/** Failed checks of the official SDKs, and the number of checks. */
export async function sdkSmoke(
  at: Deployment,
  wanted: readonly CheckName[] = CHECK_NAMES,
): Promise<{ readonly checks: number; readonly failed: readonly string[] }> {
  const failed: string[] = [];
  let checks = 0;
  for (const judge of NEWEST.filter(({ sdk }) => /^(?:openai|anthropic|google)/.test(sdk)))
    for (const name of wanted) {
      const check = judge.checks[name];
      if (check === undefined) continue;
      try {
        if ((await within(name, check(at), PATIENCE_MS)) !== false) checks++;
      } catch (error) {
        checks++;
        failed.push(`${judge.sdk}, ${name}: ${(error as Error).message}`);
      }
    }
  return { checks, failed };
}
