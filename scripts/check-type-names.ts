/** One name, one meaning: a type exported by two files is one type, or has two names. Exceptions are listed with their reason. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DECLARED = /^export (?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm;

/** The console can import nothing of the others, so a name there cannot be taken for theirs. */
const APART = 'console/';

/** Names that several files may declare, and why. */
export const SHARED_NAMES: Readonly<Record<string, string>> = {
  Account: 'a schema of the admin API, whose names are public; the ledger’s state of an account',
  Edit: 'dialects and framing do not import each other; both declare the same shape',
  Frame: 'dialects and framing do not import each other; both declare the same shape',
  Hold: 'the port that a request settles; the ledger’s state of a hold, whose zone imports nothing',
  Terms: 'a schema of the admin API, whose names are public; what the ledger must know of an account before a hold',
};

/** One line for each name that is declared twice without a reason, and for each reason that no name needs any more. */
export function typeNameProblems(
  packagesDir: string,
  files: readonly string[],
  reasons: Readonly<Record<string, string>> = SHARED_NAMES,
): readonly string[] {
  const filesByName = new Map<string, Set<string>>();
  for (const file of files.filter((path) => !path.endsWith('.fixture.ts') && !path.startsWith(APART)))
    for (const [, name = ''] of readFileSync(join(packagesDir, file), 'utf8').matchAll(DECLARED))
      filesByName.set(name, (filesByName.get(name) ?? new Set()).add(file));
  const shared = [...filesByName].filter(([, declaring]) => declaring.size > 1);
  const sharedNames = new Set(shared.map(([name]) => name));
  return [
    ...shared
      .filter(([name]) => !Object.hasOwn(reasons, name))
      .map(([name, declaring]) => `type ${name} is declared in ${[...declaring].sort().join(' and ')}`),
    ...Object.keys(reasons)
      .filter((name) => !sharedNames.has(name))
      .map((name) => `type ${name} has a reason to be declared twice, and is not`),
  ];
}
