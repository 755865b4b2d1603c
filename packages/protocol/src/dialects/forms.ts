/** Forms with files: as a caller sent one, and as a host gets one. */
import type { ImageFile, RawBytes } from '../canonical/image.ts';

export type FormFile = RawBytes & {
  readonly name: string;
  readonly mimeType?: string;
  readonly filename?: string;
  /** For recordings: how long they are, as far as their bytes say. */
  readonly seconds?: number;
};

/** A file without a name stands alone: it is the whole body, and there is no form around it. */
export type FormPart =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly file: ImageFile; readonly filename: string; readonly mimeType: string };
