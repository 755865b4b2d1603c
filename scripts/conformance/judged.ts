/** What a run of `--sabotage` has judged so far: one that is interrupted goes on where it stopped, on the same commit. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import type { Site } from './sites.ts';
import type { Colour } from './workbench.ts';

export type Judged = {
  of(site: Site): Colour | undefined;
  add(site: Site, colour: Colour): void;
  isGreenUnbroken: boolean;
};

const UNBROKEN = 'nothing broken';

const nameOf = ({ file, line, change }: Site): string => `${file}:${line} ${change}`;

const git = (root: URL, ...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** A working tree with changes starts over: an earlier run may have had other changes. */
export function openJudged(root: URL): Judged {
  const isChanged = git(root, 'status', '--porcelain', '--untracked-files=no') !== '';
  const folder = new URL('tests/results/', root);
  const path = new URL(`sabotage-${git(root, 'rev-parse', 'HEAD')}.jsonl`, folder);
  const colours = new Map<string, Colour>(isChanged ? [] : read(path));
  const add = (name: string, colour: Colour): void => {
    colours.set(name, colour);
    if (isChanged) return;
    mkdirSync(folder, { recursive: true });
    appendFileSync(path, `${JSON.stringify([name, colour])}\n`);
  };
  return {
    of: (site) => colours.get(nameOf(site)),
    add: (site, colour) => add(nameOf(site), colour),
    get isGreenUnbroken() {
      return colours.get(UNBROKEN) === 'green';
    },
    set isGreenUnbroken(isGreen) {
      add(UNBROKEN, isGreen ? 'green' : 'red');
    },
  };
}

/** For a run whose verdicts mean less: none is kept, and the tests need not be tried with nothing broken. */
export const judgedForNow = (): Judged => {
  const colours = new Map<string, Colour>();
  return {
    of: (site) => colours.get(nameOf(site)),
    add: (site, colour) => void colours.set(nameOf(site), colour),
    isGreenUnbroken: true,
  };
};

const read = (path: URL): readonly [string, Colour][] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    : [];
