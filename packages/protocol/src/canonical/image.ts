/** An image call and its answer in canonical form: text and images in, images (or the reason for none) out. */
import type { Extras } from './dialect-id.ts';
import type { Fault } from './fault.ts';
import type { Usage } from './usage.ts';

export const IMAGE_FORMATS = ['png', 'jpeg', 'webp'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

export const IMAGE_QUALITIES = ['low', 'medium', 'high', 'auto'] as const;
export type ImageQuality = (typeof IMAGE_QUALITIES)[number];

export const IMAGE_BACKGROUNDS = ['transparent', 'opaque', 'auto'] as const;
export type ImageBackground = (typeof IMAGE_BACKGROUNDS)[number];

/** About 1024, 2048 or 4096 pixels to a side. */
export const IMAGE_TIERS = ['1K', '2K', '4K'] as const;
export type ImageTier = (typeof IMAGE_TIERS)[number];

const REFERENCE_ROLES = ['source', 'mask', 'control', 'style', 'subject', 'content'] as const;
export type ReferenceRole = (typeof REFERENCE_ROLES)[number];

export type Pixels = { readonly width: number; readonly height: number };

/** The bytes as received: base64 if they came inside JSON, raw if they came as a form file. */
export type ImageFile = { readonly mimeType?: string } & ({ readonly base64: string } | RawBytes);

/** No piece is empty. The reader converts the pieces to base64, and only if an upstream needs it. */
export type RawBytes = { readonly pieces: readonly Uint8Array[]; readonly toBase64: () => string };

/** An input image and its purpose. */
export type ImageReference = {
  readonly role: ReferenceRole;
  /** The path of the image in the caller's request. */
  readonly path: string;
  readonly id?: number;
  /** Absent for masks that the model generates itself. */
  readonly file?: ImageFile;
  readonly extras: Extras;
};

export type ImageCall = {
  readonly operation: 'image';
  readonly model: string;
  readonly stream: boolean;
  readonly prompt: string;
  readonly references: readonly ImageReference[];
  readonly count: number;
  readonly negativePrompt?: string;
  readonly aspectRatio?: string;
  readonly tier?: ImageTier;
  readonly pixels?: Pixels | 'auto';
  readonly quality?: ImageQuality;
  readonly background?: ImageBackground;
  readonly format?: ImageFormat;
  /** The caller's protocol promises this format if the request names none. */
  readonly usualFormat?: ImageFormat;
  /** 0 to 100; 100 is the best quality. */
  readonly compression?: number;
  readonly seed?: number;
  readonly enhancePrompt?: boolean;
  readonly watermark?: boolean;
  readonly guidance?: number;
  readonly people?: 'none' | 'adults';
  /** Strength of the safety filter, in the values of the one vendor that has this setting. */
  readonly safety?: string;
  readonly blockReasons?: boolean;
  readonly moderation?: 'low' | 'auto';
  /** How closely the result follows the input images. */
  readonly fidelity?: 'low' | 'high';
  readonly editMode?: string;
  /** Number of partial images the caller wants in the stream. */
  readonly partials?: number;
  readonly extras: Extras;
};

/** One image, or the reason for its absence. */
export type GeneratedImage = {
  readonly base64?: string;
  /** The upstream's address of the image; it expires. */
  readonly url?: string;
  /** The type according to the bytes, not according to the upstream's label. */
  readonly mimeType?: string;
  readonly revisedPrompt?: string;
  /** Why the upstream withheld the image; then there are no bytes. */
  readonly blocked?: string;
};

/** What an upstream reports about the images it made. */
export type ImageTraits = { readonly size?: string; readonly quality?: string; readonly background?: string };

export type ImageAnswer = {
  readonly images: readonly GeneratedImage[];
  readonly usage: Usage;
  /** The upstream counts tokens, and callers see the count. */
  readonly tellsUsage?: true;
  readonly traits: ImageTraits;
};

export type ImageEvent =
  | { readonly type: 'partial-image'; readonly index: number; readonly base64: string; readonly traits: ImageTraits }
  | { readonly type: 'image-completed'; readonly answer: ImageAnswer }
  | { readonly type: 'image-fault'; readonly fault: Fault };
