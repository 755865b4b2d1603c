/** Sources of an answer that no citation can carry: callers of every protocol see them under one name. */
import type { Loss } from '../canonical/loss.ts';

export const LOST_CITATIONS: readonly Loss[] = [{ path: 'citations', why: 'no-equivalent' }];
