// What every builder of a configuration section is handed: where to report, and how to resolve secrets.

import type { ConfigPath, Report } from './problem.ts';

export interface Building {
  readonly report: Report;
  /** Worth telling, not wrong. */
  readonly notice: Report;
  /** Secrets by reference are not read. */
  readonly offline: boolean;
  /** Undefined when it was not read, or when the reference leads nowhere, which is then already reported. */
  secret(text: string, path: ConfigPath): string | undefined;
}
