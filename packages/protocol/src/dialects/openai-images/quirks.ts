// How one host's images differ from the format's home: a closed, flat record, read by this folder only.

export interface ImagesQuirks {
  /** Images can be streamed. */
  readonly streamsImages: boolean;
  /** `response_format` is accepted: then bytes must be requested. */
  readonly responseFormat: boolean;
  /** How to send the size: width and height, or an aspect ratio and a resolution. */
  readonly sizeAs: 'size' | 'aspect-ratio';
  /** `quality`, `background`, `output_format`, `output_compression`, `moderation` and `input_fidelity` are accepted. */
  readonly imageSettings: boolean;
  /** How to send images for editing: as form files, or inside JSON. */
  readonly editsAs: 'form' | 'json';
}

/** Defaults for a host: the common behaviour of compatible servers. */
export const COMMON_IMAGES: ImagesQuirks = {
  streamsImages: false,
  responseFormat: true,
  sizeAs: 'size',
  imageSettings: false,
  editsAs: 'form',
};

/** The quirks of a target that speaks this dialect. */
export const quirksOf = ({ quirks }: { readonly quirks: object }): ImagesQuirks =>
  'editsAs' in quirks ? (quirks as ImagesQuirks) : COMMON_IMAGES;
