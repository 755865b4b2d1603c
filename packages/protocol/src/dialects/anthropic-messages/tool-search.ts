/** Tool search: which of its tools a host offers, whether tools may be deferred there, and the beta that enables it. */
import { type JsonObject, stringAt } from '../../canonical/json.ts';
import type { CheckedCall } from './check.ts';
import type { MessagesQuirks } from './quirks.ts';

/** The member that hides a tool until a search finds it. */
export const DEFERRED = 'defer_loading';
/** The home's name of the beta; some clouds have another one. */
const HOME_BETA = 'advanced-tool-use-2025-11-20';

/** Also the names of these tools, as calls in history have them. */
export const isToolSearch = (type: string): boolean => type.startsWith('tool_search_tool_');

export const offersSearch = (type: string, quirks: MessagesQuirks): boolean =>
  quirks.toolSearch && (quirks.toolSearchBm25 || !type.startsWith('tool_search_tool_bm25'));

/**
 * A deferred tool is invisible until a search finds it: where none of the declared searches is offered, every tool is an
 * ordinary one. Without any, the caller searches by a tool of its own.
 */
export function defersTools(types: readonly string[], quirks: MessagesQuirks): boolean {
  const searches = types.filter(isToolSearch);
  return quirks.toolSearch && (searches.length === 0 || searches.some((type) => offersSearch(type, quirks)));
}

/** The caller's betas under the names this host has for them, with the one that its tools need. */
export function betasFor(checked: CheckedCall, quirks: MessagesQuirks): readonly string[] {
  const { betas } = checked.head;
  const { toolSearchBeta } = quirks;
  if (toolSearchBeta === '') return betas;
  const own = new Set(betas.map((beta) => (beta === HOME_BETA ? toolSearchBeta : beta)));
  if (searchesTools(checked, quirks)) own.add(toolSearchBeta);
  return [...own];
}

function searchesTools({ tools, traits }: CheckedCall, quirks: MessagesQuirks): boolean {
  if (!quirks.toolSearch) return false;
  const types = tools.map(typeOf);
  return (
    traits.toolReferences ||
    types.some((type) => isToolSearch(type) && offersSearch(type, quirks)) ||
    (tools.some((tool) => tool[DEFERRED] === true) && defersTools(types, quirks))
  );
}

const typeOf = (tool: JsonObject): string => stringAt(tool, 'type') ?? '';
