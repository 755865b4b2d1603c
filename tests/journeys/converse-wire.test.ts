// The short form of `npm run converse:clients`: every request of the corpora before the strict host, every stream in pieces.
import { type Simulator, startSimulator } from '@trivium/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestCorpus } from '../support/converse-corpus.ts';
import { makeStreams, saidBy } from '../support/converse-streams.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({});
});
afterAll(() => simulator.close());

const AT_ONCE = 20;
/** Seals of the fixtures were made by nobody. */
const NOT_ITS_SEAL = /Invalid `(?:signature|data)`/;

test('the host takes every request that is sent to a model of any family', async () => {
  const sent = requestCorpus().filter(({ body }) => body !== undefined);
  const refused: string[] = [];
  const send = async ({ name, model, body }: (typeof sent)[number]): Promise<void> => {
    const reply = await fetch(`${simulator.url}/bedrock/model/${encodeURIComponent(model)}/converse`, {
      method: 'POST',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await reply.text();
    if (reply.status !== 200 && !NOT_ITS_SEAL.test(text)) refused.push(`${name}: ${text}`);
  };
  for (let at = 0; at < sent.length; at += AT_ONCE) await Promise.all(sent.slice(at, at + AT_ONCE).map(send));
  expect(refused).toEqual([]);
  expect(sent.length).toBeGreaterThan(2500);
});

test('a stream is whole exactly when nothing was done to it, wherever it is cut', async () => {
  const streams = await makeStreams(simulator, 150, 7);
  expect(new Set(streams.map(({ fault }) => fault)).size).toBe(7);
  const exceptions = new Set<string>();
  for (const { name, fault, pieces } of streams) {
    const said = saidBy(pieces);
    expect('error' in said, `${name} ${fault}`).toBe(fault !== undefined);
    expect(saidBy([Buffer.concat(pieces)])).toEqual(said);
    if (fault === 'exception' && 'error' in said) exceptions.add(said.error);
  }
  expect([...exceptions].sort()).toEqual(['refused', 'upstream-broken', 'upstream-over-rate', 'upstream-overloaded']);
});
