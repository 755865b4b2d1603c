/** The version and beta headers, under both names this protocol has for them. */
import type { Loss } from '../../canonical/loss.ts';
import { malformed, ruleOf } from '../checking.ts';
import type { RequestHead } from '../dialect.ts';
import { MONEY_BETAS } from './money.ts';

const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  'partner-version': ['2023-06-01'],
  'anthropic-version': ['2023-06-01', '2026-10-21'],
};
/**
 * From this version on, or with a beta that enables it, the API accepts the role `system` in the middle of a
 * conversation.
 */
const SYSTEM_ROLE_VERSION = '2026-10-21';
const BETA = /^(.+)-(?:\d{4}-\d{2}-\d{2}|\d{8})$/;
/**
 * Betas by their names without the date, and what each enables. Fields and roles are validated where they occur, so
 * other dialects lose nothing with the header itself; a beta that is not listed here may mean anything, and is a loss
 * there.
 */
const BETAS: ReadonlyMap<string, { readonly systemRole?: true }> = new Map([
  ['mid-conversation-system', { systemRole: true }],
  ['mid-conversation-tool-changes', { systemRole: true }],
  ...[
    ...['claude-code', 'interleaved-thinking', 'fine-grained-tool-streaming', 'thinking-token-count', 'effort'],
    ...['context-management', 'advanced-tool-use', 'tool-search-tool', 'structured-outputs', 'token-efficient-tools'],
    ...['prompt-caching', 'prompt-caching-scope', 'extended-cache-ttl', 'output-128k', 'oauth', 'token-counting'],
    'pdfs',
  ].map((name) => [name, {}] as const),
]);

export type CheckedHead = {
  readonly systemRole: boolean;
  readonly betas: readonly string[];
  /** The header's name, if it contains an unknown beta. */
  readonly unknownBetas?: string;
  /** Betas that are not forwarded, because they change the price. */
  readonly losses: readonly Loss[];
};

const WITHHELD: readonly Loss[] = [{ path: 'anthropic-beta', why: 'not-forwarded' }];

/** A body without headers is validated by the newest rules that need no header. */
export function checkHead(head: RequestHead | undefined): CheckedHead {
  if (head === undefined) return { systemRole: false, betas: [], losses: [] };
  let versioned = false;
  for (const [name, accepted] of Object.entries(VERSIONS)) {
    const version = head.header(name);
    if (version === undefined) continue;
    versioned = true;
    if (!accepted.includes(version.trim()))
      throw malformed(name, `must be ${accepted.join(' or ')}`, 'unsupported_version');
  }
  if (!versioned) throw malformed('anthropic-version', 'or partner-version is required as a header');
  const given = checkBetas(head);
  const betas = given.filter((beta) => ruleOf(MONEY_BETAS, beta) !== 'removed');
  const systemRole =
    head.header('anthropic-version')?.trim() === SYSTEM_ROLE_VERSION ||
    betas.some((beta) => opened(beta)?.systemRole === true);
  const isKnown = betas.every((beta) => opened(beta) !== undefined);
  const losses = betas.length < given.length ? WITHHELD : [];
  return { systemRole, betas, losses, ...(!isKnown && { unknownBetas: 'anthropic-beta' }) };
}

const opened = (beta: string) => BETAS.get(BETA.exec(beta)?.[1] ?? beta);

function checkBetas(head: RequestHead): readonly string[] {
  const betas = new Set<string>();
  for (const name of ['partner-beta', 'anthropic-beta'])
    for (const beta of (head.header(name) ?? '').split(',')) {
      const word = beta.trim();
      if (ruleOf(MONEY_BETAS, word) === 'refused')
        throw malformed(name, `may not ask for ${word}, which is not offered`);
      if (word !== '') betas.add(word);
    }
  return [...betas];
}
