// Compares our sheets with the pinned facts, and every difference with its verdict.

import type { Fact } from './facts.ts';
import type { OurSheet } from './ours.ts';
import { COMPARED_KINDS, INPUTS } from './sheet.ts';

type Value = number | string | boolean | null;

interface Difference {
  readonly model: string;
  readonly host: string;
  /** `contextLength`, `maxOutput`, `input <modality>` or `price <kind>`. */
  readonly field: string;
  /** `null`: we state nothing. */
  readonly ours: Value;
  /** What each source that differs states. */
  readonly theirs: Readonly<Record<string, Value>>;
}

export interface Verdict extends Difference {
  readonly why: string;
  /** A page or package that states ours. Required where several sources agree and none of them with us. */
  readonly page?: string;
}

export interface Comparison {
  readonly models: number;
  readonly modelsWithoutFacts: readonly string[];
  readonly endpoints: number;
  readonly fields: number;
  readonly values: number;
  readonly differences: readonly Difference[];
  /** Differences without a verdict, or with one that names no page where the sources agree against us. */
  readonly unexplained: readonly Difference[];
  /** Verdicts about what is no difference any more. */
  readonly dead: readonly Verdict[];
}

interface Statement {
  readonly source: string;
  readonly value: Value;
  readonly agrees: boolean;
}

/** These state the prompt's limit and the answer's apart, and some tables add the two. */
const LIMITS_APART: ReadonlySet<string> = new Set(['google', 'google-vertex']);

/** Tables mean by a window either prompt and answer together or the prompt alone, and do not say which. */
const windowOf = (ours: OurSheet, { source, contextLength, maxInput }: Fact): Statement | undefined => {
  const value = contextLength ?? maxInput;
  if (value === undefined || ours.contextLength === undefined) return undefined;
  const answer = ours.maxOutput ?? 0;
  const readings = [ours.contextLength, ours.contextLength - answer];
  if (LIMITS_APART.has(ours.host)) readings.push(ours.contextLength + answer);
  return { source, value, agrees: readings.includes(value) };
};

/** Models that answer with pictures, clips or vectors have no limit in tokens; some tables write one nevertheless. */
const answerOf = (ours: OurSheet, { source, maxOutput }: Fact): Statement | undefined =>
  maxOutput === undefined || ours.maxOutput === undefined
    ? undefined
    : { source, value: maxOutput, agrees: maxOutput === ours.maxOutput };

const LIMITS: ReadonlyMap<string, (ours: OurSheet, fact: Fact) => Statement | undefined> = new Map([
  ['contextLength', windowOf],
  ['maxOutput', answerOf],
]);

type Read = (sheet: OurSheet | Fact) => Value | undefined;

const OTHERS: ReadonlyMap<string, Read> = new Map([
  ...INPUTS.map((input): [string, Read] => [`input ${input}`, (sheet) => sheet.inputs?.[input]]),
  ...COMPARED_KINDS.map((kind): [string, Read] => [`price ${kind}`, (sheet) => sheet.prices?.[kind]]),
]);

const statements = (ours: OurSheet, facts: readonly Fact[], field: string): readonly Statement[] => {
  const limit = LIMITS.get(field);
  if (limit !== undefined) return facts.flatMap((fact) => limit(ours, fact) ?? []);
  const read = OTHERS.get(field);
  const own = read?.(ours);
  return facts.flatMap((fact) => {
    const value = read?.(fact);
    return value === undefined ? [] : [{ source: fact.source, value, agrees: value === own }];
  });
};

const ownValue = (ours: OurSheet, field: string): Value => {
  if (field === 'contextLength') return ours.contextLength ?? null;
  return (field === 'maxOutput' ? ours.maxOutput : OTHERS.get(field)?.(ours)) ?? null;
};

const keyOf = ({ model, host, field, ours, theirs }: Difference): string =>
  JSON.stringify([model, host, field, ours, Object.entries(theirs).sort()]);

/** A model can have several endpoints at one host, by different wire formats; they are one subject here. */
const placeOf = ({ model, host }: { readonly model: string; readonly host: string }): string => `${model} ${host}`;

/** Several sources state one other value, and none ours. */
const isOutvoted = (said: readonly Statement[]): boolean => {
  const values = new Set(said.map(({ value }) => value));
  return said.length > 1 && values.size === 1 && said.every(({ agrees }) => !agrees);
};

export const compareCatalogue = (
  sheets: readonly OurSheet[],
  facts: readonly Fact[],
  verdicts: readonly Verdict[],
): Comparison => {
  const byPlace = new Map<string, Fact[]>();
  for (const fact of facts) byPlace.set(placeOf(fact), [...(byPlace.get(placeOf(fact)) ?? []), fact]);
  const known = new Set(facts.map(({ model }) => model));
  const judged = new Map(verdicts.map((verdict) => [keyOf(verdict), verdict]));
  const differences = new Map<string, Difference>();
  const unexplained: Difference[] = [];
  let fields = 0;
  let values = 0;
  for (const ours of sheets) {
    const here = byPlace.get(placeOf(ours)) ?? [];
    for (const field of [...LIMITS.keys(), ...OTHERS.keys()]) {
      const said = statements(ours, here, field);
      if (said.length > 0) fields += 1;
      values += said.length;
      const others = said.filter(({ agrees }) => !agrees);
      if (others.length === 0) continue;
      const theirs = Object.fromEntries(others.map(({ source, value }) => [source, value]));
      const difference = { model: ours.model, host: ours.host, field, ours: ownValue(ours, field), theirs };
      const key = keyOf(difference);
      if (differences.has(key)) continue;
      differences.set(key, difference);
      const verdict = judged.get(key);
      if (verdict === undefined || (isOutvoted(said) && verdict.page === undefined)) unexplained.push(difference);
    }
  }
  const models = [...new Set(sheets.map(({ model }) => model))];
  return {
    models: models.length,
    modelsWithoutFacts: models.filter((model) => !known.has(model)),
    endpoints: sheets.length,
    fields,
    values,
    differences: [...differences.values()],
    unexplained,
    dead: verdicts.filter((verdict) => !differences.has(keyOf(verdict))),
  };
};
