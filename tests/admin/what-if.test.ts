// What-if through the admin API and the command line: draft policies and prices against stored records with known numbers.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import type { WhatIf } from '../../packages/gateway/src/control/what-if/contract.ts';
import { OPERATOR_SECRET } from '../support/admin-stand.ts';
import { MODEL, OTHER, openWhatIfStand, type WhatIfStand } from '../what-if/stand.ts';

/**
 * Each call: 100 tokens of input, 40 of them cached, and 20 of output. At east (3, 0.3 and 12 dollars per million) that is
 * 432,000 nano-dollars, at west (1, 0.5, 2) 120,000, at south (2, 0.2, 8) 288,000.
 */
const KNOWN = '@simulate scenario=cached-usage';
const CALLS = 4;
const from = new Date().toISOString();

let stand: WhatIfStand;
beforeAll(async () => {
  stand = await openWhatIfStand();
  const send = (account: string, more: object = {}) =>
    stand.chat(stand.secrets[account]!, { model: MODEL, messages: [{ role: 'user', content: KNOWN }], ...more });
  // In the order of the catalogue: at east.
  for (let count = 0; count < CALLS; count++) await send('tagging');
  // East fails, west answers.
  stand.simulator.arm('status=500', { host: 'east', times: 1 });
  await send('tagging');
  // The caller's own choice.
  await send('tagging', { provider: { only: ['south'] } });
  await stand.events(CALLS + 2);
});
afterAll(() => stand.close());

const ask = async (draft: object): Promise<WhatIf> => {
  const { status, text, json } = await stand.admin('POST', '/what-if', { from, ...draft });
  expect(status, text).toBe(200);
  return json as WhatIf;
};
const policy = (members: object) => ({ policies: [{ name: 'draft', scope: { account: 'tagging' }, ...members }] });
const east = [{ value: '6', unit: 'perMTokens', currency: 'USD' }];

/** 4 × 432,000 + 120,000 + 288,000. */
const WAS = '0.002136';

test('without a draft nothing differs', async () => {
  expect(await ask({})).toMatchObject({
    complete: true,
    requests: 6,
    kept: 6,
    reordered: 0,
    unlikeToday: 0,
    wasUsd: WAS,
    wouldUsd: WAS,
    differenceUsd: '0',
    largest: [],
    unknownBy: [],
  });
});

describe('a draft policy', () => {
  test.each<[string, object, object]>([
    // The call that fell over to west stays there, the one that chose south as well.
    [
      'that excludes a host moves its requests to the next one',
      { ignore: ['east'] },
      { kept: 2, moved: 4, refused: 0, wouldUsd: '0.000888', differenceUsd: '-0.001248', cacheLostUsd: '0.00008' },
    ],
    [
      'with a highest price moves what is too expensive',
      { maxPrice: { promptUsdPerMillion: 2.5 } },
      { kept: 2, moved: 4, refused: 0, wouldUsd: '0.000888' },
    ],
    [
      'with a highest price below every host refuses all',
      { maxPrice: { promptUsdPerMillion: 0.5 } },
      { kept: 0, moved: 0, refused: 6, wouldUsd: '0', differenceUsd: `-${WAS}` },
    ],
    [
      'with another strategy moves what another host does cheaper',
      { strategy: 'cost' },
      { kept: 2, moved: 4, refused: 0, wouldUsd: '0.000888' },
    ],
    [
      'that allows one host only refuses the request that chose another, and fails the one that it had failed',
      { only: ['east'] },
      { kept: 4, moved: 0, refused: 1, failed: 1, wouldUsd: '0.001728' },
    ],
    [
      'that gives every share to one host moves all that may go there',
      { weights: { south: 1 } },
      { kept: 1, moved: 5, refused: 0, wouldUsd: '0.001728' },
    ],
    [
      'for a host without a price gives no cost',
      { only: ['north', 'south'], order: ['north'] },
      { kept: 1, moved: 0, unknown: 5, unknownBy: [{ why: 'no-price', requests: 5 }], wasUsd: '0.000288' },
    ],
    [
      'that orders by latency says nothing of hosts that were not measured',
      { strategy: 'speed', only: ['west', 'south'] },
      { kept: 2, unknown: 4, unknownBy: [{ why: 'latency', requests: 4 }] },
    ],
    [
      'of another model leaves all as it is',
      { match: { models: [OTHER] }, only: ['east'] },
      { kept: 6, wouldUsd: WAS },
    ],
  ])('%s', async (_, members, found) => {
    expect(await ask(policy(members))).toMatchObject({ requests: 6, ...found });
  });

  test('names the requests with the largest differences, and sums by account and model', async () => {
    const { largest, byAccount, byModel } = await ask(policy({ only: ['east'] }));
    expect(largest).toMatchObject([
      { verdict: 'refused', provider: 'south', toProvider: null, differenceUsd: '-0.000288' },
      { verdict: 'failed', provider: 'west', toProvider: null, differenceUsd: '-0.00012' },
    ]);
    expect(largest[0]?.why).toContain("allowed by the operator's policy 'draft'");
    const sums = { requests: 6, kept: 4, refused: 1, failed: 1, wasUsd: WAS, wouldUsd: '0.001728' };
    expect(byAccount).toMatchObject([{ name: 'tagging', ...sums }]);
    expect(byModel).toMatchObject([{ name: MODEL, ...sums }]);
  });
});

test('a draft price costs exactly that', async () => {
  const prices = [{ model: MODEL, provider: 'east', pricings: { prompt: east } }];
  // 60 tokens at 3 dollars more, four times.
  expect(await ask({ prices })).toMatchObject({ kept: 6, wasUsd: WAS, wouldUsd: '0.002856', differenceUsd: '0.00072' });
  expect((await stand.admin('GET', '/prices')).json['items']).toEqual([]);
});

test('the most records are read from the oldest on, and the answer says where it ended', async () => {
  const first = await ask({ limit: 2 });
  expect(first).toMatchObject({ requests: 2, kept: 2, complete: false });
  expect(Date.parse(first.until)).toBeLessThan(Date.now());
  expect(await ask({ account: 'plain' })).toMatchObject({ requests: 0, complete: true });
});

test.each<[number, object, string]>([
  [400, policy({ only: ['nowhere'] }), 'is no configured provider.'],
  [400, policy({}), 'says nothing'],
  [409, { policies: [{ name: 'shares', strict: true }] }, 'is in the configuration file'],
  [400, { prices: [{ model: 'no/such', provider: 'east', pricings: {} }] }, 'no/such'],
  [400, { from: '2026-01-01T00:00:00Z', until: '2026-03-01T00:00:00Z' }, 'at most 31 days'],
  [400, { from, until: from }, 'must be before until'],
  [400, { limit: 0 }, 'limit'],
])('%d: %j is refused', async (status, draft, message) => {
  const reply = await stand.admin('POST', '/what-if', draft);
  expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)]);
});

test('one runs at a time', async () => {
  const replies = await Promise.all([1, 2, 3].map(() => stand.admin('POST', '/what-if', { from })));
  const statuses = replies.map(({ status }) => status);
  expect(statuses).toContain(200);
  for (const { status, text } of replies)
    if (status !== 200) expect([status, text]).toEqual([409, expect.stringContaining('Another what-if')]);
});

test('the command line reads the files of apply, prints tables, and gives the answer as JSON', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-what-if-'));
  writeFileSync(
    join(folder, 'policies.yaml'),
    'policies:\n  - name: draft\n    scope: { account: tagging }\n    only: [east]\n',
  );
  writeFileSync(
    join(folder, 'prices.json'),
    JSON.stringify({ prices: [{ model: MODEL, provider: 'east', pricings: { prompt: east } }] }),
  );
  const run = async (...words: string[]) => {
    const terminal = fakeTerminal({
      TRIVIUM_ADMIN_URL: stand.gateway.adminUrl,
      TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET,
    });
    await runCommandLine(['what-if', '--from', from, ...words], terminal);
    return {
      ...terminal,
      exitCode: terminal.exitCode,
      output: terminal.output.join('\n'),
      errors: terminal.errors.join('\n'),
    };
  };
  const both = ['--policies', folder, '--prices', join(folder, 'prices.json')];
  const shown = (await run(...both)).output;
  expect(shown).toContain('4 kept, 0 moved, 1 refused, 1 failed, 0 not known');
  expect(shown).toContain('cost $0.00214, would have been $0.00245 (+$0.000312)');
  expect(shown).toContain('What cannot be known');
  const { output } = await run(...both, '--json');
  expect(JSON.parse(output)).toMatchObject({ refused: 1, wouldUsd: '0.002448' });
  const empty = await run('--policies', join(folder, 'prices.json'));
  expect(empty.exitCode).toBe(1);
  expect(empty.errors).toContain('has no policies');
});
