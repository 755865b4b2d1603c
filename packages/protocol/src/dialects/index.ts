/** The dialects that are built. A new one is one folder and one line here. */
import type { DialectId } from '../canonical/dialect-id.ts';
import type { Dialect } from './dialect.ts';
import { openaiChat } from './openai-chat/index.ts';

export type * from './dialect.ts';
export { type ChatQuirks, COMMON_CHAT, chatQuirks } from './openai-chat/quirks.ts';
export type { ModelListQuery, Voice } from './voice.ts';
export { type ProtocolName, voices } from './voices.ts';

const built: Readonly<Partial<Record<DialectId, Dialect>>> = {
  'openai-chat': openaiChat,
};

export const findDialect = (id: string): Dialect | undefined =>
  Object.entries(built).find(([name]) => name === id)?.[1];

export const builtDialects: readonly string[] = Object.keys(built);
