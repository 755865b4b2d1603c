import { expect, test } from 'vitest';
import { figuresOf, measure } from './figures.ts';

test('functions of every kind are counted, and small ones among them', () => {
  const source = `
    export const one = (a: number): number => a + 1;
    export function two<T>(of: readonly T[]): T | undefined {
      const found = of.find((each) => each !== undefined);
      return found;
    }
    class Three { #four = 4; get five(): number { return this.#four; } }
    declare function noBody(): void;
    export type NoFunction = (a: string) => void;
  `;
  expect(measure('a.ts', source)).toEqual({ file: 'a.ts', lines: 9, functions: 4, small: 3 });
  expect(measure('a.tsx', 'const View = () => <p onClick={() => 1} />;\n')).toMatchObject({ functions: 2, small: 2 });
  expect(() => measure('b.ts', 'const = ;')).toThrow('b.ts cannot be parsed');
});

test('this repository has an order of districts', () => {
  const figures = figuresOf(new URL('../../packages', import.meta.url).pathname, []);
  expect(figures).toMatchObject({ folders: 13, upwards: 0 });
  expect(figures.arrows).toBeGreaterThan(30);
  expect(figures.linesByHand).toBeGreaterThan(50_000);
});
