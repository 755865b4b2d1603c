import { describe, expect, test } from 'vitest';
import { compareCatalogue, type Verdict } from './compare.ts';
import { type Fact, readFacts } from './facts.ts';
import { type OurSheet, readOurSheets } from './ours.ts';
import { readVerdicts } from './verdicts.ts';

const sheets = await readOurSheets();
const { facts, sources } = await readFacts();
const verdicts = await readVerdicts();

describe('the shipped catalogue and the pinned tables', () => {
  test('every difference has a verdict, and every verdict a difference', () => {
    const { unexplained, dead } = compareCatalogue(sheets, facts, verdicts);
    expect({ unexplained, dead }).toEqual({ unexplained: [], dead: [] });
  });

  test('all models are compared but those that make pictures and clips, and one sold by its maker alone', () => {
    const { modelsWithoutFacts, models, values } = compareCatalogue(sheets, facts, verdicts);
    const writers = sheets.filter(
      ({ maxOutput, model }) => maxOutput !== undefined && modelsWithoutFacts.includes(model),
    );
    expect(writers.map(({ model }) => model)).toEqual(['moonshotai/kimi-k3.1-pro-highspeed']);
    expect(models).toBeGreaterThan(100);
    // About two statements for each field that is compared at all: a reader that finds nothing any more would show here.
    expect(values).toBeGreaterThan(4000);
  });

  test('every fact is about an endpoint we ship and from a source that is named', () => {
    const places = new Set(sheets.map(({ model, host }) => `${model} ${host}`));
    const known = new Set(sources.map(({ id }) => id));
    expect(facts.filter(({ model, host, source }) => !places.has(`${model} ${host}`) || !known.has(source))).toEqual(
      [],
    );
  });

  test('verdicts are single and say why', () => {
    const lines = verdicts.map(({ model, host, field }) => `${model} ${host} ${field}`);
    expect(lines.filter((line, at) => lines.indexOf(line) !== at)).toEqual([]);
    expect(verdicts.filter(({ why }) => why.length < 20)).toEqual([]);
  });
});

/** The same catalogue with one sheet changed. */
const planted = (model: string, host: string, change: Partial<OurSheet>): readonly OurSheet[] =>
  sheets.map((sheet) => (sheet.model === model && sheet.host === host ? { ...sheet, ...change } : sheet));

const pricesOf = (model: string, host: string) =>
  sheets.find((sheet) => sheet.model === model && sheet.host === host)?.prices;

describe('planted differences are found', () => {
  test('a limit that was lowered: Claude Sonnet 4.6 with 64000 tokens', () => {
    const changed = planted('anthropic/claude-sonnet-4.6', 'anthropic', { maxOutput: 64_000 });
    const { unexplained, dead } = compareCatalogue(changed, facts, verdicts);
    expect(unexplained).toEqual([
      {
        model: 'anthropic/claude-sonnet-4.6',
        host: 'anthropic',
        field: 'maxOutput',
        ours: 64_000,
        theirs: { 'ai-sdk': 128_000, litellm: 128_000, 'models.dev': 128_000 },
      },
    ]);
    // The verdict about the table that still says 64000 has lost its subject.
    expect(dead).toMatchObject([{ model: 'anthropic/claude-sonnet-4.6', field: 'maxOutput', ours: 128_000 }]);
  });

  test('a price that was mistyped', () => {
    const prices = { ...pricesOf('openai/gpt-5', 'openai'), completion: '1' };
    const { unexplained } = compareCatalogue(planted('openai/gpt-5', 'openai', { prices }), facts, verdicts);
    expect(unexplained).toMatchObject([{ model: 'openai/gpt-5', field: 'price completion', ours: '1' }]);
    expect(Object.keys(unexplained[0]?.theirs ?? {}).length).toBeGreaterThan(1);
  });

  test('a tier of prices that was left out', () => {
    const prices = { ...pricesOf('openai/gpt-5.4', 'openai'), prompt: '2.5' };
    const { unexplained } = compareCatalogue(planted('openai/gpt-5.4', 'openai', { prices }), facts, verdicts);
    expect(unexplained).toMatchObject([{ field: 'price prompt', theirs: { litellm: '2.5, above 272k 5' } }]);
  });

  test('an input that was forgotten: PDF for GPT-5', () => {
    const inputs = { text: true, image: true, audio: false, video: false, file: false };
    const { unexplained } = compareCatalogue(planted('openai/gpt-5', 'openai', { inputs }), facts, verdicts);
    expect(unexplained).toMatchObject([{ field: 'input file', ours: false, theirs: { litellm: true } }]);
  });

  test('a table that changed its mind', () => {
    const changed = facts.map(
      (fact): Fact =>
        fact.model === 'openai/gpt-4o' && fact.source === 'litellm' ? { ...fact, maxInput: 64_000 } : fact,
    );
    expect(compareCatalogue(sheets, changed, verdicts).unexplained).toMatchObject(
      sheets
        .filter(({ model }) => model === 'openai/gpt-4o')
        .map(({ host }) => ({ model: 'openai/gpt-4o', host, field: 'contextLength', theirs: { litellm: 64_000 } })),
    );
  });

  test('a verdict about what is no difference any more', () => {
    const stale: Verdict = {
      model: 'openai/gpt-4o',
      host: 'openai',
      field: 'maxOutput',
      ours: 16_384,
      theirs: { litellm: 4096 },
      why: 'It was so last year, and is no more.',
    };
    expect(compareCatalogue(sheets, facts, [...verdicts, stale]).dead).toEqual([stale]);
  });

  test('where several agree and none with us, a verdict must name a page', () => {
    const of = { model: 'a/b', host: 'here', upstreamModel: 'b', contextLength: 1000, maxOutput: 100 };
    const stated = { model: 'a/b', host: 'here', as: 'b', maxOutput: 200 };
    const agreeing = [
      { ...stated, source: 'one' },
      { ...stated, source: 'two' },
    ];
    const difference = { model: 'a/b', host: 'here', field: 'maxOutput', ours: 100, theirs: { one: 200, two: 200 } };
    const judge = (verdict: Verdict) => compareCatalogue([of], agreeing, [verdict]).unexplained;
    expect(judge({ ...difference, why: 'We know better than two tables.' })).toEqual([difference]);
    expect(judge({ ...difference, why: 'The maker says so.', page: 'https://maker.example/models/b' })).toEqual([]);
  });
});

describe('windows are compared as tables mean them', () => {
  const of = { model: 'a/b', host: 'here', upstreamModel: 'b', contextLength: 1000, maxOutput: 100 };
  const differences = (host: string, stated: Partial<Fact>) =>
    compareCatalogue([{ ...of, host }], [{ model: 'a/b', host, source: 'one', as: 'b', ...stated }], []).differences;

  test('the prompt’s share alone is the same window', () => {
    expect(differences('here', { maxInput: 900 })).toEqual([]);
    expect(differences('here', { maxInput: 800 })).toMatchObject([{ field: 'contextLength', theirs: { one: 800 } }]);
  });

  test('the sum of both limits is the same window only where a host states them apart', () => {
    expect(differences('google', { contextLength: 1100 })).toEqual([]);
    expect(differences('here', { contextLength: 1100 })).toHaveLength(1);
  });
});
