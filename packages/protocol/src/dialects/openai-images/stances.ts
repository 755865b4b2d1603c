/** The handling of each field for an upstream of this dialect, and its name for callers. */
import { type FieldTable, type ImageField, spellingIn, stancesIn } from '../../canonical/fields.ts';

const fields: FieldTable<ImageField> = {
  'image.references': ['native', 'image'],
  'image.count': ['native', 'n'],
  'image.negativePrompt': ['dropped', 'prompt'],
  'image.aspectRatio': ['mapped', 'size'],
  'image.tier': ['dropped', 'size'],
  'image.pixels': ['native', 'size'],
  'image.quality': ['native', 'quality'],
  'image.background': ['native', 'background'],
  'image.format': ['native', 'output_format'],
  'image.compression': ['native', 'output_compression'],
  'image.seed': ['dropped', 'seed'],
  'image.enhancePrompt': ['dropped', 'prompt'],
  'image.watermark': ['dropped', 'watermark'],
  'image.guidance': ['dropped', 'guidance'],
  'image.people': ['dropped', 'moderation'],
  'image.safety': ['dropped', 'moderation'],
  'image.blockReasons': ['dropped', 'moderation'],
  'image.moderation': ['native', 'moderation'],
  'image.fidelity': ['native', 'input_fidelity'],
  'image.editMode': ['dropped', 'prompt'],
  'image.partials': ['native', 'partial_images'],
  'reference.source': ['native', 'image'],
  'reference.mask': ['native', 'mask'],
  'reference.control': ['refused', 'image'],
  'reference.style': ['refused', 'image'],
  'reference.subject': ['refused', 'image'],
  'reference.content': ['refused', 'image'],
  extras: ['dropped', 'extra fields'],
};
export const stances = stancesIn(fields);
export const spelling = spellingIn(fields);
