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

/** Seals of the fixtures were made by nobody. */
const NOT_ITS_SEAL = /Invalid `(?:signature|data)`/;

test('the host takes every request that is sent to a model of any family', async () => {
  const refused: string[] = [];
  let sent = 0;
  for (const { name, model, body } of requestCorpus()) {
    if (body === undefined) continue;
    const reply = await fetch(`${simulator.url}/bedrock/model/${encodeURIComponent(model)}/converse`, {
      method: 'POST',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await reply.text();
    sent++;
    if (reply.status !== 200 && !NOT_ITS_SEAL.test(text)) refused.push(`${name}: ${text}`);
  }
  expect(refused).toEqual([]);
  expect(sent).toBeGreaterThan(1500);
});

test('a stream is whole exactly when nothing was done to it, wherever it is cut', async () => {
  const streams = await makeStreams(simulator, 150, 7);
  expect(new Set(streams.map(({ fault }) => fault)).size).toBe(6);
  for (const { name, fault, pieces } of streams) {
    const said = saidBy(pieces);
    expect('error' in said, `${name} ${fault}`).toBe(fault !== undefined);
    expect(saidBy([Buffer.concat(pieces)])).toEqual(said);
  }
});
