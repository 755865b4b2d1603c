// How one host's images differ from the format's home: a closed, flat record, read by this folder only.

export interface ImagesQuirks {
  /** Images are streamed where asked. */
  readonly streamsImages: boolean;
  /** `response_format` is understood: where it is, bytes have to be asked for. */
  readonly responseFormat: boolean;
  /** How the size is told: numbers, or an aspect ratio and a resolution. */
  readonly sizeAs: 'size' | 'aspect-ratio';
  /** `quality`, `background`, `output_format`, `output_compression`, `moderation` and `input_fidelity` are understood. */
  readonly imageSettings: boolean;
  /** How images to be edited are sent: as files of a form, or inside JSON. */
  readonly editsAs: 'form' | 'json';
}

/** What a host gets that says nothing: the widest common ground of compatible servers. */
export const COMMON_IMAGES: ImagesQuirks = {
  streamsImages: false,
  responseFormat: true,
  sizeAs: 'size',
  imageSettings: false,
  editsAs: 'form',
};

const isImagesQuirks = (quirks: object): quirks is ImagesQuirks => 'editsAs' in quirks;

/** The quirks of a target that speaks this dialect. */
export const quirksOf = (target: { readonly quirks: object }): ImagesQuirks =>
  isImagesQuirks(target.quirks) ? target.quirks : COMMON_IMAGES;
