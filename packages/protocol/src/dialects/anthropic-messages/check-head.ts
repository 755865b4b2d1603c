/** The version and beta headers, under both names this protocol knows them by. */
import { malformed } from '../checking.ts';
import type { RequestHead } from '../dialect.ts';

const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  'partner-version': ['2023-06-01'],
  'anthropic-version': ['2023-06-01', '2026-10-21'],
};
/** From this version on the API knows instructions in the middle of a conversation. */
const SYSTEM_ROLE_VERSION = '2026-10-21';
const REFUSED_BETAS: ReadonlySet<string> = new Set(['code-execution-2025-08-25']);

export type CheckedHead = { readonly systemRole: boolean; readonly betas: readonly string[] };

/** A body judged without its head is judged by the newest rules that ask nothing of the head. */
export function checkHead(head: RequestHead | undefined): CheckedHead {
  if (head === undefined) return { systemRole: false, betas: [] };
  let given = false;
  for (const [name, accepted] of Object.entries(VERSIONS)) {
    const version = head.header(name);
    if (version === undefined) continue;
    given = true;
    if (!accepted.includes(version.trim()))
      throw malformed(name, `must be ${accepted.join(' or ')}`, 'unsupported_version');
  }
  if (!given) throw malformed('anthropic-version', 'or partner-version is required as a header');
  return {
    systemRole: head.header('anthropic-version')?.trim() === SYSTEM_ROLE_VERSION,
    betas: checkBetas(head),
  };
}

function checkBetas(head: RequestHead): readonly string[] {
  const betas = new Set<string>();
  for (const name of ['partner-beta', 'anthropic-beta'])
    for (const beta of (head.header(name) ?? '').split(',')) {
      const word = beta.trim();
      if (REFUSED_BETAS.has(word)) throw malformed(name, `may not ask for ${word}, which is not offered`);
      if (word !== '') betas.add(word);
    }
  return [...betas];
}
