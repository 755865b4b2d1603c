/** Applies edits to a text that has not been scanned yet. */
import { type Edit, scanMembers, splice } from './json-scan.ts';

export const spliceText = (text: string, edits: readonly Edit[], maxDepth: number): string =>
  splice(text, scanMembers(text, maxDepth), edits);
