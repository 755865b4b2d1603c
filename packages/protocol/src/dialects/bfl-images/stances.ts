/** The handling of each field for an upstream of this dialect. */
import type { ImageStances } from '../../canonical/fields.ts';

export const stances: ImageStances = {
  'image.references': 'mapped',
  'image.count': 'refused',
  'image.negativePrompt': 'dropped',
  'image.aspectRatio': 'mapped',
  'image.tier': 'dropped',
  'image.pixels': 'native',
  'image.quality': 'dropped',
  'image.background': 'dropped',
  'image.format': 'native',
  'image.compression': 'dropped',
  'image.seed': 'native',
  'image.enhancePrompt': 'mapped',
  'image.watermark': 'dropped',
  'image.guidance': 'dropped',
  'image.people': 'dropped',
  'image.safety': 'dropped',
  'image.blockReasons': 'dropped',
  'image.moderation': 'dropped',
  'image.fidelity': 'dropped',
  'image.editMode': 'dropped',
  'image.partials': 'dropped',
  'reference.source': 'mapped',
  // Inverted, and only for models that declare support for masks; others refuse it.
  'reference.mask': 'mapped',
  'reference.control': 'refused',
  'reference.style': 'refused',
  'reference.subject': 'refused',
  'reference.content': 'refused',
  extras: 'dropped',
};
