/** The handling of each field for an upstream of this dialect, and its name for callers. */
import type { EmbedSpelling, EmbedStances } from '../../canonical/fields.ts';

export const stances: EmbedStances = {
  'input.text': 'native',
  'input.tokens': 'refused',
  'input.parts': 'native',
  'input.task': 'native',
  'input.title': 'native',
  'embed.dimensions': 'native',
  'embed.truncate': 'dropped',
  extras: 'dropped',
};

export const spelling: EmbedSpelling = {
  'input.text': 'content',
  'input.tokens': 'content',
  'input.parts': 'content.parts',
  'input.task': 'taskType',
  'input.title': 'title',
  'embed.dimensions': 'outputDimensionality',
  'embed.truncate': 'autoTruncate',
  extras: 'extra fields',
};
