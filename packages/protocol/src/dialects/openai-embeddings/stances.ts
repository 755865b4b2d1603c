/** The handling of each field for an upstream of this dialect, and its name for callers. */
import type { EmbedSpelling, EmbedStances } from '../../canonical/fields.ts';

export const stances: EmbedStances = {
  'input.text': 'native',
  'input.tokens': 'native',
  'input.parts': 'refused',
  'input.task': 'dropped',
  'input.title': 'dropped',
  'embed.dimensions': 'native',
  'embed.truncate': 'dropped',
  extras: 'dropped',
};

export const spelling: EmbedSpelling = {
  'input.text': 'input',
  'input.tokens': 'input',
  'input.parts': 'input',
  'input.task': 'input',
  'input.title': 'input',
  'embed.dimensions': 'dimensions',
  'embed.truncate': 'input',
  extras: 'extra fields',
};
