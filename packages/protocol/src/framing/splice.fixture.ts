/** Edits of a text that nobody has looked at before. */
import { type Edit, scanMembers, splice } from './json-scan.ts';

export const spliceText = (text: string, edits: readonly Edit[], maxDepth: number): string =>
  splice(text, scanMembers(text, maxDepth), edits);
