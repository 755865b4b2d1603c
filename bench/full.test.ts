import { describe, expect, test } from 'vitest';
import { allocatedBytes } from './chapters/allocation.ts';
import { renderChart } from './chart.ts';
import { noSamples } from './measure.ts';
import { CHAPTER_NAMES, readOptions } from './options.ts';
import { coreTimes } from './quiet.ts';
import { summarise } from './report.ts';

test('--full measures every contender but the floor and the checkout before', () => {
  const { contenders = new Set() } = readOptions(['--full']) ?? {};
  expect([...contenders]).toEqual(expect.arrayContaining(['nginx', 'envoy', 'bare', 'trivium', 'portkey', 'litellm']));
  expect(contenders).not.toContain('relay');
  expect(contenders).not.toContain('trivium-before');
});

test('options that add contenders add up', () => {
  const added = (...argv: string[]) => [...(readOptions(argv)?.contenders ?? [])].toSorted();
  const usual = ['bare', 'portkey', 'trivium'];
  const roads = ['genai-to-messages', 'messages-to-chat'];
  expect(added('--quick')).toEqual(usual);
  expect(added('--money')).toEqual([...usual, 'trivium-money']);
  expect(added('--money', '--roads', '--no-portkey')).toEqual(['bare', ...roads, 'trivium', 'trivium-money']);
  expect(added('--only', 'bare', '--floor')).toEqual(['bare', 'relay']);
  expect(() => readOptions(['--only', 'portkey', '--no-portkey'])).toThrow('no contender is left');
});

test('--idle alone loads nothing; beside other options it comes after them', () => {
  const alone = readOptions(['--idle']);
  expect(alone).toMatchObject({ idle: true, compares: false });
  expect([...(alone?.contenders ?? [])]).toEqual(['trivium', 'trivium-money']);
  const both = readOptions(['--idle', '--roads']);
  expect(both).toMatchObject({ idle: true, compares: true });
  expect(both?.contenders).toContain('bare');
});

test('--chapters measures those it names, --full all of them, and a wrong name is said', () => {
  expect(readOptions(['--quick', '--chapters', 'youngProcess,workers'])?.chapters).toEqual(['youngProcess', 'workers']);
  expect(readOptions(['--quick'])?.chapters).toEqual([]);
  expect(readOptions(['--full'])?.chapters).toEqual(CHAPTER_NAMES);
  expect(() => readOptions(['--chapters', 'yung'])).toThrow('there is no "yung"');
});

test('the busy time of all cores leaves out idle and waiting', () => {
  const stat = 'cpu  10 1 5 100 20 2 3 4 0 0\ncpu0 5 0 2 50 10 1 1 2 0 0\n';
  expect(coreTimes(stat)).toEqual({ busy: 25, stolen: 4, all: 145 });
});

test('allocation is the sum over all collections of the window', () => {
  const trace =
    '[1:0x1:0] 9 ms: GC: {"gc":"s","allocated":1000,"promoted":0}\n[1:0x1:0] GC: {"gc":"ms","allocated":50}\n';
  expect(allocatedBytes(trace)).toBe(1050);
});

describe('the chart', () => {
  const measured = (jsonCpuUs: number, streamCpuUs?: number) => {
    const samples = noSamples();
    samples.jsonCpuUs.push(jsonCpuUs);
    if (streamCpuUs !== undefined) samples.streamCpuUs.push(streamCpuUs);
    return samples;
  };
  const result = summarise(
    new Map([
      ['litellm', measured(15_200)],
      ['trivium', measured(104, 9_000)],
      ['nginx', measured(17.4, 3_100)],
    ]),
    { mode: 'full', seconds: 1 },
  );

  test('shows the cheapest first, with its unit', () => {
    const figures = [...renderChart(result).matchAll(/class="figure">([^<]+)</g)].map(([, text]) => text);
    expect(figures).toEqual(['17 µs', '104 µs', '15.2 ms', '3.10 ms', '9.00 ms']);
  });

  test('gives the most expensive contender the longest bar', () => {
    const plain = [...renderChart(result).matchAll(/<rect [^>]*width="([\d.]+)"/g)]
      .slice(0, 3)
      .map(([, text]) => Number(text));
    expect(plain).toEqual(plain.toSorted((left, right) => left - right));
  });
});
