import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DRILLS } from './drills.ts';
import { type Plan, problemsOf, ROOT, readPlan } from './plan.ts';

const PAGE =
  '# P\n\n## Order\n\n1. **Stop** [it](x.md). Then wait.\n2. Start it:\n   more of it\n\n## Lost\n\n| What | How |\n|---|---|\n| a disk | much |\n';
const plan: Plan = [
  {
    page: 'p.md',
    heading: 'Order',
    form: 'steps',
    steps: [
      { step: 'Stop it.', by: ['stop'] },
      { step: 'Start it:', notPlayed: 'by hand' },
    ],
  },
  { page: 'p.md', heading: 'Lost', form: 'rows', steps: [{ step: 'a disk', by: ['npm run rt -- disk'] }] },
];
const problems = (page: string, of = plan): readonly string[] => problemsOf(of, () => page, ['stop'], ['rt']);

test('a step more, one less, and a drill that is not there are found', () => {
  expect(problems(PAGE)).toEqual([]);
  expect(problems(PAGE.replace('\n## Lost', '3. Look at it.\n\n## Lost'))).toEqual([
    'p.md, Order: no drill: Look at it.',
  ]);
  expect(problems(PAGE.replace('a disk', 'two disks'))).toHaveLength(2);
  expect(problemsOf(plan, () => PAGE, [], [])).toEqual(['there is no stop', 'there is no npm run rt -- disk']);
});

test('each step of disaster recovery and of the upgrade has its drill, or says why it is not played', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
  expect(problemsOf(readPlan(), read, Object.keys(DRILLS), Object.keys(scripts))).toEqual([]);
});
