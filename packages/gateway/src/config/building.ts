// What every builder of a configuration section gets: where to report, and how to resolve secrets.

import type { ConfigPath, Report } from './problem.ts';

export interface Building {
  readonly report: Report;
  /** Reports a notice: not an error. */
  readonly notice: Report;
  /** Referenced secrets are not read. */
  readonly offline: boolean;
  /** Undefined if it was not read, or if the reference cannot be resolved, which is then already reported. */
  secret(text: string, path: ConfigPath): string | undefined;
}
