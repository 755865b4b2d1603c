// A problem in the configuration, with its exact place.

import { at } from '../../models/catalogue/problem.ts';

export interface ConfigProblem {
  /** `trivium.yaml:12:5`, or `environment TRIVIUM_LISTEN_PORT`. */
  readonly place: string;
  /** `keys[0].name`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
}

export type Step = string | number;
export type ConfigPath = readonly Step[];

/** Takes the path of the value; `key` points at the name of the field instead of its value. */
export type Report = (path: ConfigPath, message: string, point?: 'key' | 'value') => void;

export const pathText = (path: ConfigPath): string => path.reduce<string>((base, step) => at(base, step), '');

const STEP = /\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g;

/** The reverse of `pathText`. */
export const parsePath = (text: string): ConfigPath =>
  [...text.matchAll(STEP)].map((match): Step => {
    if (match[1] !== undefined) return Number(match[1]);
    if (match[2] !== undefined) return String(JSON.parse(`"${match[2]}"`));
    return match[3] ?? '';
  });

export const describeConfigProblem = (problem: ConfigProblem): string =>
  `${problem.place}: ${problem.path === '' ? '' : `${problem.path}: `}${problem.message}`;
