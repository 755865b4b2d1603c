/** A draft in the fragment of a link, which no server sees. Pictures stay behind: they would make it too long. */
import { type Draft, MODES, newDraft } from './draft.ts';

const bytesOf = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');

export function hashOfDraft(draft: Draft): string {
  const turns = draft.turns.map(({ role, text }) => ({ role, text }));
  const encoded = btoa(bytesOf(JSON.stringify({ ...draft, turns })));
  return `draft=${encoded.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** Undefined: no draft, or not one of ours. */
export function draftOfHash(hash: string): Draft | undefined {
  const encoded = /^#?draft=([\w-]+)$/.exec(hash)?.[1];
  if (encoded === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    return asDraft(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

function asDraft(value: unknown): Draft | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const given = value as Record<string, unknown>;
  const mode = MODES.find((each) => each === given['mode']) ?? 'chat';
  const draft: Record<string, unknown> = { ...newDraft(mode) };
  // Only what has the type of the default is taken over.
  for (const [name, fallback] of Object.entries(draft))
    if (name !== 'turns' && typeof given[name] === typeof fallback) draft[name] = given[name];
  const turns = (Array.isArray(given['turns']) ? given['turns'] : []).flatMap((turn: unknown) => {
    const { role, text } = (turn ?? {}) as Record<string, unknown>;
    return typeof text === 'string'
      ? [{ role: role === 'assistant' ? ('assistant' as const) : ('user' as const), text, pictures: [] }]
      : [];
  });
  return { ...(draft as Draft), ...(turns.length > 0 && { turns }) };
}
