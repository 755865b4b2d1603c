/** What a start needs, for a process that tries it and starts nothing. */
export { requireStartable } from '../require-startable.ts';
