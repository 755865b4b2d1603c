/** The caller's own name of the conversation that a call belongs to, as agents and SDKs send it with every call. */
import type { Understood } from '../request.ts';

/** The first is for anyone; the others are those of Claude Code and Codex. */
const HEADERS = ['x-session-id', 'x-claude-code-session-id', 'session_id'];
const MEMBER = 'prompt_cache_key';
/** `user_…_account_…_session_<uuid>`, as Claude Code writes it into the metadata. */
const IN_USER_ID = /_session_([\w-]{8,64})$/;
const MAX_CHARACTERS = 200;

type Named = Pick<Understood, 'headers' | 'members' | 'text'> & {
  readonly understanding: { readonly metadata?: Readonly<Record<string, unknown>> | undefined };
};

/** Undefined for most calls, which it costs a few lookups. */
export function conversationName({ headers, members, text, understanding: { metadata } }: Named): string | undefined {
  for (const name of HEADERS) {
    const value = headers.get(name);
    if (typeof value === 'string' && value !== '') return value.slice(0, MAX_CHARACTERS);
  }
  if (metadata !== undefined) {
    const user = metadata['user_id'];
    const own = metadata['session_id'] ?? (typeof user === 'string' ? IN_USER_ID.exec(user)?.[1] : undefined);
    if (typeof own === 'string' && own !== '') return own.slice(0, MAX_CHARACTERS);
  }
  // A text in its quotes.
  for (const { name, valueStart, valueEnd } of members)
    if (name === MEMBER && text[valueStart] === '"' && valueEnd - valueStart > 2)
      return text.slice(valueStart + 1, Math.min(valueEnd - 1, valueStart + 1 + MAX_CHARACTERS));
  return undefined;
}
