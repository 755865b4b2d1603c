/** The name of the conversation that a call belongs to: the caller's own, as agents and SDKs send it, or the stored one's. */
import { objectAt, stringAt } from '@trivium/protocol/canonical';
import type { Understood } from '../request.ts';

/** The first is for anyone; the others are those of Claude Code and Codex. */
const HEADERS = ['x-session-id', 'x-claude-code-session-id', 'session_id'];
const MEMBER = 'prompt_cache_key';
/** `user_…_account_…_session_<uuid>`, as Claude Code writes it into the metadata. */
const IN_USER_ID = /_session_([\w-]{8,64})$/;
const MAX_CHARACTERS = 200;

type Named = Pick<Understood, 'headers' | 'members' | 'text'> & {
  /** Absent where nothing can be stored. */
  readonly head?: Pick<Understood['head'], 'state'>;
  readonly understanding: { readonly metadata?: Readonly<Record<string, unknown>> | undefined };
};

/** Undefined for most calls, which it costs a few lookups. */
export function conversationName({ headers, head, members, text, understanding }: Named): string | undefined {
  for (const name of HEADERS) {
    const value = headers.get(name);
    if (typeof value === 'string' && value !== '') return value.slice(0, MAX_CHARACTERS);
  }
  const { metadata } = understanding;
  if (metadata !== undefined) {
    const user = metadata['user_id'];
    const own = metadata['session_id'] ?? (typeof user === 'string' ? IN_USER_ID.exec(user)?.[1] : undefined);
    if (typeof own === 'string' && own !== '') return own.slice(0, MAX_CHARACTERS);
  }
  // A text in its quotes.
  for (const { name, valueStart, valueEnd } of members)
    if (name === MEMBER && text[valueStart] === '"' && valueEnd - valueStart > 2)
      return text.slice(valueStart + 1, Math.min(valueEnd - 1, valueStart + 1 + MAX_CHARACTERS));
  return head?.state === undefined ? undefined : stringAt(objectAt(head.state, 'conversation'), 'id');
}
