// Every official SDK does everything it can do with every dialect behind the gateway: the newest into all four in each
// run, the older generations into their own, and at night into all. The Python ones stand beside.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NIGHTLY } from '../support/nightly.ts';
import { responsesHosts } from '../support/responses-probe.ts';
import { DESTINATIONS } from '../support/roads.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';
import { CHECK_NAMES, type CheckName, type Judge } from './checks/check.ts';
import { NEWEST, OLDER } from './checks/judges.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

type Pair = { readonly judge: Judge; readonly sdk: string; readonly dialect: string; readonly model: string };
const paired = (judge: Judge, homes: (dialect: string) => boolean): Pair[] =>
  DESTINATIONS.filter(({ dialect }) => homes(dialect)).map(({ dialect, thinker }) => ({
    judge,
    sdk: judge.sdk,
    dialect,
    model: thinker,
  }));
const PAIRS: readonly Pair[] = [
  ...NEWEST.flatMap((judge) => paired(judge, () => true)),
  ...OLDER.flatMap((judge) => paired(judge, (dialect) => NIGHTLY || dialect === judge.home)),
];

describe.each(PAIRS)('$sdk into $dialect', ({ judge, model }) => {
  const names = CHECK_NAMES.filter((name) => judge.checks[name] !== undefined);
  test.each(names)('%s', async (name: CheckName) => {
    const before = stand.simulator.truth.read().length;
    expect(await judge.checks[name]?.({ url: stand.url, key: KEY, model, simulated: true })).not.toBe(false);
    const asked = stand.simulator.truth.read().slice(before);
    expect(asked.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    if (name === 'abort')
      await waitUntil('the upstream closed', () => stand.simulator.truth.last()?.outcome === 'aborted');
  });
});

test('the newest SDKs skip no check that applies', () => {
  const rest = (judge: Judge): string[] => CHECK_NAMES.filter((name) => judge.checks[name] === undefined);
  for (const judge of NEWEST)
    expect({ [judge.sdk]: rest(judge) }).toEqual({
      // One SDK has a chat helper with a history, two can count ahead, and Vercel's lists no models.
      [judge.sdk]: judge.sdk.startsWith('vercel')
        ? ['chats', 'list', 'count']
        : judge.sdk.startsWith('google')
          ? []
          : judge.sdk.startsWith('anthropic')
            ? ['chats']
            : ['chats', 'count'],
    });
});
