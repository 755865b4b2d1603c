/**
 * Which prompts may share a cache upstream: those the caller marks as belonging together, or those with a long common
 * prefix.
 */
import type { JsonMember } from '@trivium/protocol/framing';
import type { DirectoryEntry } from '../../kernel/target.ts';
import type { Prompt, Understood } from '../request.ts';

/** Upstreams cache from about 1,024 tokens on. Two prompts that differ later still share that prefix. */
const PREFIX_CHARACTERS = 4096;
/** For prompts marked for caching: long enough to distinguish the prompts of two callers. */
const MARKED_CHARACTERS = 1024;

const SHORT_TTL_MS = 300_000;
const LONG_TTL_MS = 3_600_000;

/**
 * Undefined if no cache could be shared. Hashes a bounded prefix of the prompt; called only if there are several hosts.
 */
export function promptOf(
  understood: Understood,
  { id, promptCache }: DirectoryEntry,
  digest: (text: string) => string,
): Prompt | undefined {
  const { dialect, text, members, caller } = understood;
  if (promptCache === undefined || !('caching' in dialect.server)) return undefined;
  const { prompt, groupMember, mark, longMark } = dialect.server.caching;
  const group = groupMember === undefined ? undefined : members.find(({ name }) => name === groupMember);
  const isMarked = mark?.test(text) === true;
  const isLong = (isMarked || mark === undefined) && longMark?.test(text) === true;
  const keyOf = (of: string): Prompt => ({
    key: `${caller.accountId} ${id} ${of}`,
    ttlMs: isLong ? LONG_TTL_MS : SHORT_TTL_MS,
  });
  if (group !== undefined) return keyOf(digest(textOf(text, group)));
  if (!isMarked && promptCache === 'explicit') return undefined;
  const length = isMarked ? MARKED_CHARACTERS : PREFIX_CHARACTERS;
  const prefix = prefixOf(text, members, prompt, length);
  return prefix.length < length ? undefined : keyOf(digest(prefix));
}

const textOf = (text: string, { valueStart, valueEnd }: JsonMember): string => text.slice(valueStart, valueEnd);

function prefixOf(text: string, members: readonly JsonMember[], names: readonly string[], length: number): string {
  let prefix = '';
  for (const name of names) {
    const member = members.find((one) => one.name === name);
    if (member === undefined) continue;
    const { valueStart, valueEnd } = member;
    prefix += text.slice(valueStart, Math.min(valueEnd, valueStart + length - prefix.length));
    if (prefix.length >= length) break;
  }
  return prefix;
}
