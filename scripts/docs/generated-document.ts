/** A document generated from the code: written, or with `--check` only compared, so that CI notices a stale one. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

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

/** A folder of which every Markdown file is generated: those that are not among `texts` (by file name) go. */
export function writeOrCheckFolder(folder: URL, script: string, texts: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of texts) writeOrCheck({ target: new URL(name, folder), script, text });
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.md') && !texts.has(name))) {
    const target = new URL(file, folder);
    if (!process.argv.includes('--check')) rmSync(target);
    else {
      console.error(`${target.pathname} is not generated any more: run node --conditions=trivium-source ${script}`);
      process.exitCode = 1;
    }
  }
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
