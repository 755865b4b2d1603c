/** What is known of shapes is what the makers' types and the samples say. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { differencesIn, wireWord } from '../../packages/gateway/src/models/shapes/differences.ts';
import { masked } from '../../packages/gateway/src/models/shapes/mask.ts';
import { orderDifferences } from '../../packages/gateway/src/models/shapes/order.ts';
import { knownShapesOf } from '../../packages/gateway/src/models/shapes/read-shapes.ts';
import { makeShapes, SHAPED_DIALECTS } from '../../scripts/shapes/make.ts';
import { recordedSamples } from '../../scripts/shapes/samples.ts';

const FOLDER = new URL('../../packages/gateway/shapes/', import.meta.url);

test.each(SHAPED_DIALECTS)(
  'the file of %s is as `npm run shapes` writes it',
  async (dialect) => {
    const { roots, order } = await makeShapes(dialect);
    expect(JSON.parse(readFileSync(new URL(`${dialect}.json`, FOLDER), 'utf8'))).toEqual({ roots, order });
  },
  60_000,
);

const RECORDED = SHAPED_DIALECTS.filter((dialect) => recordedSamples(dialect).some(({ root }) => root === 'answer'));

test.each(RECORDED)('every recorded answer in %s is as known', (dialect) => {
  const { answer } = knownShapesOf(dialect)?.roots ?? {};
  if (answer === undefined) throw new Error('no shapes');
  const answers = recordedSamples(dialect).flatMap((sample) => (sample.root === 'answer' ? [sample.value] : []));
  const found = answers.flatMap((value) => differencesIn(value, answer, 'answer', { missing: true }));
  expect(found).toEqual([]);
});

const chat = (): NonNullable<ReturnType<typeof knownShapesOf>> => {
  const shapes = knownShapesOf('openai-chat');
  if (shapes === undefined) throw new Error('no shapes');
  return shapes;
};

test('a member that is not known is named and not looked into', () => {
  const answer = { choices: [], secret_thoughts: { 'said by a zebra': true } };
  const { roots } = chat();
  expect(differencesIn(answer, roots['answer'] as never, 'answer')).toEqual([
    { kind: 'new member', at: 'answer.secret_thoughts', seen: 'object' },
  ]);
  expect(masked(answer, roots['answer'])).toEqual({ choices: [], secret_thoughts: '<object>' });
});

test.each(['said by a zebra', 'req_011CSHoEeqs5C35K2UUqR7Fy', 'zebra!', ''])('%j is no name of the wire', (text) => {
  expect(wireWord(text)).toBe('(not a name)');
});

test('the order of a stream is named by its neighbours', () => {
  const order = new Set(chat().order);
  expect(orderDifferences(['part', 'part', 'finish', 'usage', 'done'], order)).toEqual([]);
  expect(orderDifferences(['finish', 'done', 'part'], order)).toEqual([
    { kind: 'order', at: 'stream', seen: 'begins with finish' },
    { kind: 'order', at: 'stream', seen: 'part after done' },
    { kind: 'order', at: 'stream', seen: 'ends after part' },
  ]);
});
