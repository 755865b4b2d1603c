/** Settings that go with the next minor version: the start, `config check` and `doctor` name those that a file still has. */
import { isRecord } from './reading/fill-defaults.ts';
import type { ConfigPath } from './reading/problem.ts';

export type RetiringSetting = {
  /** `*` is every name and every place of a list: `providers.*.key`. */
  readonly path: string;
  /** What comes in its place. */
  readonly instead: string;
};

/** Each has a line in the changelog. The version that removes it names it in `scripts/house/retired.ts`. */
export const RETIRING_SETTINGS: readonly RetiringSetting[] = [];

const EVERY = '*';

/** Where the file has it. */
export function placesOf({ path }: RetiringSetting, given: unknown): readonly ConfigPath[] {
  let found: readonly { readonly at: ConfigPath; readonly value: unknown }[] = [{ at: [], value: given }];
  for (const step of path.split('.'))
    found = found.flatMap(({ at, value }) => {
      const inner = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : entriesOf(value);
      return inner
        .filter(([name]) => step === EVERY || name === step)
        .map(([name, item]) => ({ at: [...at, name], value: item }));
    });
  return found.map(({ at }) => at);
}

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  isRecord(value) ? Object.entries(value) : [];
