/** Text ⇄ frames and members; their meaning is not interpreted here. */
export * from './frame.ts';
export * from './frame.ts';
export * from './gathered-text.ts';
export * from './gathered-text.ts';
export * from './json-bounds.ts';
export * from './json-bounds.ts';
export * from './json-bounds.ts';
export * from './json-scan.ts';
export * from './json-scan.ts';
export * from './json-scan.ts';
export * from './learnt-frame.ts';
export * from './sse-reader.ts';
