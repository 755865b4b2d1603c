// One finding of the checker, with its exact path.

export interface Problem {
  /** File name, or the name given for the overrides. */
  readonly file: string;
  /** e.g. `models[3].endpoints[0].pricings.prompt[1].value`; empty for the whole file. */
  readonly path: string;
  readonly message: string;
}

export type ReportProblem = (path: string, message: string) => void;

export const reporter =
  (file: string, into: Problem[]): ReportProblem =>
  (path, message) => {
    into.push({ file, path, message });
  };

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `base` plus one member or index, in the usual spelling of JSON paths. */
export const at = (base: string, step: string | number): string => {
  if (typeof step === 'number') return `${base}[${step}]`;
  if (!IDENTIFIER.test(step)) return `${base}[${JSON.stringify(step)}]`;
  return base === '' ? step : `${base}.${step}`;
};

/** A JSON pointer as validators return it, in the same spelling. */
export const pathOfPointer = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((base, step) => at(base, /^[0-9]+$/.test(step) ? Number(step) : step), '');

export const describeProblem = (problem: Problem): string =>
  `${problem.file}${problem.path === '' ? '' : `: ${problem.path}`}: ${problem.message}`;
