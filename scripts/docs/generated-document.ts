/** A document made from the code: written anew, or with `--check` only compared, so that CI notices a stale one. */
import { readFileSync, writeFileSync } from 'node:fs';

export type GeneratedDocument = {
  readonly target: URL;
  /** The script that writes it, from the root of the repository. */
  readonly script: string;
  readonly text: string;
};

/** Exit status 1 when `--check` finds another text than the code would write today. */
export function writeOrCheck({ target, script, text }: GeneratedDocument): void {
  if (!process.argv.includes('--check')) {
    writeFileSync(target, text);
    return;
  }
  if (read(target) === text) return;
  console.error(`${target.pathname} is stale: run node --conditions=trivium-source ${script}`);
  process.exitCode = 1;
}

function read(target: URL): string | undefined {
  try {
    return readFileSync(target, 'utf8');
  } catch {
    return undefined;
  }
}

export const tableRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

export const code = (text: string): string => `\`${text}\``;
