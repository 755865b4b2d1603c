/** Names of the leading system messages: only chat has them, so its decoder notes them beside the blocks. */
import type { Block } from '../canonical/content.ts';
import { stringAt } from '../canonical/json.ts';

export const systemNameOf = (block: Block | undefined): string | undefined =>
  stringAt(block?.extras?.['openai-chat'], 'name');

export const hasSystemName = (blocks: readonly Block[]): boolean =>
  blocks.some((block) => systemNameOf(block) !== undefined);
