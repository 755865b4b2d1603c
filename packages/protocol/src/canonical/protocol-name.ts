/** The protocols callers speak. A path lies under one of them; each mounts one dialect or several. */
export const PROTOCOL_NAMES = ['chat', 'messages', 'genai'] as const;
export type ProtocolName = (typeof PROTOCOL_NAMES)[number];
