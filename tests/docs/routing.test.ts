/** docs/call/routing.md lists every routing value, and its examples match the code. */
import { COMPLEXITIES, FACTORS, STRATEGIES, TASK_TYPES } from '@trivium/protocol/canonical';
import { describe, expect, test } from 'vitest';
import { PREFERENCE_HEADERS } from '../../packages/gateway/src/calls/plan/preferences.ts';
import { WHYS_LEFT_OUT } from '../../packages/gateway/src/kernel/route.ts';
import { LONG_PROMPT, SHORT_PROMPT } from '../../packages/gateway/src/models/routing/estimate-complexity.ts';
import { rankModels, TASK_SHARES } from '../../packages/gateway/src/models/routing/rank-models.ts';
import { codeSpansOf, tablesOf } from './markdown.ts';
import { read } from './tree.ts';

const text = read('docs/call/routing.md');
const spans = codeSpansOf(text).flatMap((span) => span.split(/[:,\s]+/));

test.each([...STRATEGIES, ...FACTORS, ...TASK_TYPES, ...COMPLEXITIES, ...PREFERENCE_HEADERS])(
  '%s is explained',
  (word) => {
    expect(spans).toContain(word);
  },
);

const bare = (cell: string): string => cell.replaceAll('`', '');
const isOneOf = <W extends string>(words: readonly W[], word: string): word is W => words.some((one) => one === word);

describe('examples of choosing among models', () => {
  const rows = (tablesOf(text).get('Choosing among models') ?? []).filter((cells) => cells.length === 4);
  test('there are some for every word', () => {
    expect(new Set(rows.map(([, task = '']) => bare(task)))).toEqual(new Set(TASK_TYPES));
    expect(new Set(rows.map(([, , complexity = '']) => bare(complexity)))).toEqual(new Set(COMPLEXITIES));
  });
  test.each(rows)('%s, %s, %s: %s', (models, task, complexity, expected) => {
    const [taskType, level] = [bare(task ?? ''), bare(complexity ?? '')];
    if (!isOneOf(TASK_TYPES, taskType) || !isOneOf(COMPLEXITIES, level)) throw new Error('not a word of ours');
    const given = (models ?? '').split(', ').map((model) => {
      const [name = '', price = '', thinks] = model.split(' ');
      const [prompt, completion] = price.split('/').map((usd) => (usd === '?' ? undefined : BigInt(usd)));
      return {
        name,
        facts: { promptPicoUsd: prompt, completionPicoUsd: completion, thinks: thinks === 'thinks' },
      };
    });
    expect(rankModels(given, taskType, level).map(({ name }) => name)).toEqual(expected?.split(', '));
  });
});

test('what a price is, in words and in the code', () => {
  const words = ['no', 'one', 'two', 'three'];
  const rows = (tablesOf(text).get('Choosing among models') ?? []).filter(([word = '']) =>
    isOneOf(TASK_TYPES, bare(word)),
  );
  expect(rows.map(([word = '', price]) => [bare(word), price])).toEqual(
    TASK_TYPES.map((task) => {
      const { prompt, completion } = TASK_SHARES[task];
      const tokens = `${words[Number(prompt)]} token${prompt === 1n ? ' that goes' : 's that go'} in`;
      return [task, completion === 0n ? tokens : `${tokens} and ${words[Number(completion)]} that comes out`];
    }),
  );
});

test('the bounds of what is long and what is short', () => {
  const signs = (tablesOf(text).get('`trivium/auto`') ?? []).map(([sign = '']) => /more than ([\d,]+)/.exec(sign)?.[1]);
  expect(signs.slice(0, 2)).toEqual([LONG_PROMPT, SHORT_PROMPT].map((tokens) => tokens.toLocaleString('en-US')));
});

test('every reason to be left out is explained', () => {
  const explained = codeSpansOf(read('docs/call/explain.md'));
  for (const why of WHYS_LEFT_OUT) expect(explained).toContain(why);
});
