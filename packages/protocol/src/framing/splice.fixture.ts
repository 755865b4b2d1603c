/** Edits of a text that nobody has looked at before. */
import { scanMembers } from './json-scan.ts';
import { type Edit, splice } from './json-splice.ts';

export const spliceText = (text: string, edits: readonly Edit[], maxDepth: number): string =>
  splice(text, scanMembers(text, maxDepth), edits);
