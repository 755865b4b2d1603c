import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DRILLS } from './drills.ts';
import { type Plan, problemsOf, ROOT, readPage, readPlan, sectionsOfSettings, undoneBy } from './plan.ts';
import { wordsOf } from './steps.ts';

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
  const more = 'p.md: no drills for what stands below More';
  expect(problems(`${PAGE}\n## More\n\n1. Do it.\n`)).toEqual([more]);
  expect(problems(`${PAGE}\n## More\n\n\`\`\`sh\ntrivium migrate\n\`\`\`\n`)).toEqual([more]);
  expect(problems(`${PAGE}\n## More\n\nNothing is to be done.\n`)).toEqual([]);
  expect(problemsOf(plan, () => PAGE, [], [])).toEqual(['there is no stop', 'there is no npm run rt -- disk']);
});

test('each step of disaster recovery and of the upgrade has its drill, or says why it is not played', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(problemsOf(readPlan(), readPage, Object.keys(DRILLS), Object.keys(scripts))).toEqual([]);
});

test('a drill is held against the commands, settings and signals of the steps of which it is the first', () => {
  const page =
    '# P\n\n## Order\n\n1. Kill it with `SIGKILL`. `SIGTERM` is wrong.\n2. Set `secrets.keys` and look:\n\n   ```sh\n   trivium keys list --json\n   ```\n\n   `trivium ledger audit` is right; `no.setting` is none.\n';
  const planned: Plan = [
    {
      page: 'p.md',
      heading: 'Order',
      form: 'steps',
      steps: [
        { step: 'Kill it with `SIGKILL`.', by: ['npm run rt -- kill', 'stop'] },
        { step: 'Set `secrets.keys` and look:', by: ['stop', 'other'] },
      ],
    },
  ];
  const undone = (drill: string, typed: string[], settings: string[], signals: string[]): readonly string[] =>
    undoneBy(
      drill,
      { typed: new Set(typed), settings: new Set(settings), signals: new Set(signals) },
      planned,
      () => page,
      ['stop', 'other'],
      ['secrets'],
    );
  const typed = ['trivium ledger audit --config trivium.yaml', 'trivium keys list --json'];
  expect(undone('stop', typed, ['secrets.keys'], ['SIGKILL'])).toEqual([]);
  expect(undone('other', [], [], [])).toEqual([]);
  expect(undone('stop', ['trivium keys list'], ['secrets.file'], ['SIGTERM'])).toEqual([
    'p.md, Order: Kill it with `SIGKILL`. says `SIGKILL`, and stop did not do it',
    ...['trivium ledger audit', 'trivium keys list --json', 'secrets.keys'].map(
      (what) => `p.md, Order: Set \`secrets.keys\` and look: says \`${what}\`, and stop did not do it`,
    ),
  ]);
});

test('a drill that did nothing has not played a page', () => {
  const nothing = { typed: new Set<string>(), settings: new Set<string>(), signals: new Set<string>() };
  const of = (drill: string): readonly string[] =>
    undoneBy(drill, nothing, readPlan(), readPage, Object.keys(DRILLS), sectionsOfSettings());
  for (const drill of [
    'restore-the-database',
    'key-leaked',
    'secrets-key-rotated',
    'certificate-changed',
    'upgrade-and-back',
  ])
    expect(of(drill), drill).not.toEqual([]);
});

test('names of a page are filled with values, and one that nobody knows is not typed', () => {
  expect(wordsOf('trivium keys revoke acme "$KEY_ID"', 'f', { KEY_ID: 'k1' })).toEqual([
    'keys',
    'revoke',
    'acme',
    'k1',
  ]);
  expect(wordsOf('trivium providers show <provider> --config trivium.yaml', 'f.json', { provider: 'p' })).toEqual([
    'providers',
    'show',
    'p',
    '--config',
    'f.json',
  ]);
  expect(() => wordsOf('trivium providers show <provider>', 'f', {})).toThrow('nothing is known for provider');
});
