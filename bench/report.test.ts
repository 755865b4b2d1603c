import { describe, expect, test } from 'vitest';
import { noSamples } from './measure.ts';
import { budgetBreaches, summarise, yardstickIsSteady } from './report.ts';

const measured = (jsonCpuUs: readonly (number | undefined)[], streamCpuUs: readonly number[]) => {
  const samples = noSamples();
  samples.jsonCpuUs.push(...jsonCpuUs);
  samples.streamCpuUs.push(...streamCpuUs);
  return samples;
};
const run = { mode: 'smoke', seconds: 1 };
const bareAndTrivium = summarise(
  new Map([
    ['bare', measured([50, 60], [10_000])],
    ['trivium', measured([100, 120], [13_000])],
  ]),
  run,
);

describe('summarise', () => {
  test('divides the gateway by the bare proxy', () => {
    expect(bareAndTrivium).toMatchObject({ jsonVsBare: 2, streamVsBare: 1.3 });
  });

  test('gives the CPU time of gateways at rest', () => {
    const idle = (...idleMs: number[]) => ({ ...noSamples(), idleMs });
    const result = summarise(
      new Map([
        ['trivium', idle(3, 1, 2)],
        ['trivium-money', idle(5)],
      ]),
      run,
    );
    expect(result).toMatchObject({ idleMs: 2, idlePaidMs: 5, jsonVsBare: null });
    expect(bareAndTrivium).toMatchObject({ idleMs: null, idlePaidMs: null });
  });

  test('claims no ratio without both sides', () => {
    expect(bareAndTrivium.portkeyVsJson).toBeNull();
    expect(summarise(new Map([['bare', measured([50], [1])]]), run).jsonVsBare).toBeNull();
  });
});

describe('windows in which too much CPU was stolen', () => {
  const samples = new Map([
    ['bare', measured([50, undefined, 60], [])],
    ['trivium', measured([100, 900, undefined], [])],
  ]);
  samples.get('bare')?.stolenShare.push(0, 0.5, 0.01);
  samples.get('trivium')?.stolenShare.push(0.08, 0, 0.09);

  test('are counted, and a ratio takes only rounds in which both were kept', () => {
    const result = summarise(samples, run);
    expect(result.windows).toEqual({ measured: 6, dropped: 2, mostStolenShare: 0.08 });
    expect(result.jsonVsBare).toBe(2);
    expect(result.contenders['trivium']?.stolenShare?.max).toBe(0.09);
  });

  test('leave no ratio and no judgement when none is left', () => {
    const none = summarise(new Map([['bare', measured([undefined], [])]]), run);
    expect(none.jsonVsBare).toBeNull();
    expect(none.contenders['bare']).toEqual({});
    expect(yardstickIsSteady(none)).toBe(false);
  });
});

describe('budgetBreaches', () => {
  test('is silent inside the budget and speaks outside it', () => {
    expect(budgetBreaches({ jsonVsBare: { atMost: 2 } }, bareAndTrivium, new Set())).toEqual([]);
    expect(budgetBreaches({ jsonVsBare: { atMost: 1.9 } }, bareAndTrivium, new Set())).toHaveLength(1);
    expect(budgetBreaches({ streamVsBare: { atLeast: 1.4 } }, bareAndTrivium, new Set())).toHaveLength(1);
  });

  test('takes a ratio that was not measured for a breach unless it is optional', () => {
    const budget = { portkeyVsJson: { atLeast: 4 } };
    expect(budgetBreaches(budget, bareAndTrivium, new Set())).toEqual(['portkeyVsJson was not measured']);
    expect(budgetBreaches(budget, bareAndTrivium, new Set(['portkeyVsJson']))).toEqual([]);
  });
});

describe('yardstickIsSteady', () => {
  const withBare = (jsonCpuUs: readonly number[], streamCpuUs: readonly number[]) =>
    summarise(new Map([['bare', measured(jsonCpuUs, streamCpuUs)]]), run);

  test('trusts a yardstick whose rounds agree', () => {
    expect(yardstickIsSteady(withBare([50, 55, 60], [10_000, 11_000]))).toBe(true);
  });

  test.each([
    ['plain calls', [50, 55, 90], [10_000, 11_000]],
    ['streams', [50, 55, 60], [10_000, 30_000]],
  ] as const)('does not trust one that swings with its neighbours: %s', (_, jsonCpuUs, streamCpuUs) => {
    expect(yardstickIsSteady(withBare(jsonCpuUs, streamCpuUs))).toBe(false);
  });
});
