/** What a thread says that measures: that it can begin, and then how long each recording is. */
export const READY = 'ready';
export type Measured = typeof READY | number | undefined;
