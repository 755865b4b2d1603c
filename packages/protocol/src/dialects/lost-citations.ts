/** Sources of an answer that no citation can name: callers of any protocol hear of them under one name. */
import type { Loss } from '../canonical/loss.ts';

export const LOST_CITATIONS: readonly Loss[] = [{ path: 'citations', why: 'no-equivalent' }];
