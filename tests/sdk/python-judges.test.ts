// The Python SDKs do with every dialect what the JavaScript ones do. Needs what tests/sdk/python/install.sh makes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pythonVerdicts } from '../../scripts/conformance-sdk/python.ts';
import { responsesHosts } from '../support/responses-probe.ts';
import { DESTINATIONS } from '../support/roads.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';
import { CHECK_NAMES } from './checks/check.ts';

/** Loading four SDKs takes long on a busy machine. */
const RUNS_WITHIN_MS = 120_000;
const SDKS = ['python anthropic', 'python google-genai', 'python openai chat', 'python openai responses'];

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

test.each(DESTINATIONS)('into $dialect', { timeout: RUNS_WITHIN_MS }, async ({ thinker }) => {
  const at = { url: stand.url, key: KEY, model: thinker, simulated: true };
  const verdicts = await pythonVerdicts(at, CHECK_NAMES);
  expect(verdicts.filter(({ result }) => result !== 'passed')).toEqual([]);
  expect([...new Set(verdicts.map(({ sdk }) => sdk))].sort()).toEqual(SDKS);
  expect(verdicts.length).toBeGreaterThan(35);
});
