/** The protocols callers use. Every path belongs to one of them; a protocol mounts one or more dialects. */
export const PROTOCOL_NAMES = ['chat', 'messages', 'genai'] as const;
export type ProtocolName = (typeof PROTOCOL_NAMES)[number];
