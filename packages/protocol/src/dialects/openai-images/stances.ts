/** The handling of each field for an upstream of this dialect, and its name for callers. */
import type { ImageSpelling, ImageStances } from '../../canonical/fields.ts';
import { PLAIN_STANCES } from '../images.ts';

export const stances: ImageStances = {
  ...PLAIN_STANCES,
  'image.references': 'native',
  'image.tier': 'dropped',
  'image.quality': 'native',
  'image.background': 'native',
  'image.format': 'native',
  'image.compression': 'native',
  'image.moderation': 'native',
  'image.fidelity': 'native',
  'image.partials': 'native',
  'reference.source': 'native',
  'reference.mask': 'native',
};

export const spelling: ImageSpelling = {
  'image.references': 'image',
  'image.count': 'n',
  'image.negativePrompt': 'prompt',
  'image.aspectRatio': 'size',
  'image.tier': 'size',
  'image.pixels': 'size',
  'image.quality': 'quality',
  'image.background': 'background',
  'image.format': 'output_format',
  'image.compression': 'output_compression',
  'image.seed': 'seed',
  'image.enhancePrompt': 'prompt',
  'image.watermark': 'watermark',
  'image.guidance': 'guidance',
  'image.people': 'moderation',
  'image.safety': 'moderation',
  'image.blockReasons': 'moderation',
  'image.moderation': 'moderation',
  'image.fidelity': 'input_fidelity',
  'image.editMode': 'prompt',
  'image.partials': 'partial_images',
  'reference.source': 'image',
  'reference.mask': 'mask',
  'reference.control': 'image',
  'reference.style': 'image',
  'reference.subject': 'image',
  'reference.content': 'image',
  extras: 'extra fields',
};
