/** Event streams: the grammar, folding, and the state machines that follow it. */
export * from './block-writer.ts';
export * from './fold.ts';
export * from './grammar.ts';
export * from './machine.ts';
export * from './sequence.ts';
export * from './stop-sequences.ts';
export * from './unfold.ts';
export * from './usage-meter.ts';
