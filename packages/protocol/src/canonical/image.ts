/** An image call and its answer, as meaning: words and pictures go in, pictures (or the reason there is none) come out. */
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

/** Bytes as they came: base64 where they stood in JSON, raw where they were a file of a form. */
export type ImageFile = { readonly mimeType?: string } & ({ readonly base64: string } | RawBytes);

/** None of the pieces is empty. Turned into base64 by whoever read them, and only if some upstream wants them so. */
export type RawBytes = { readonly pieces: readonly Uint8Array[]; readonly toBase64: () => string };

/** A picture that goes in, and what it is for. */
export type ImageReference = {
  readonly role: ReferenceRole;
  /** Where it stands, in the caller's own words. */
  readonly path: string;
  readonly id?: number;
  /** Absent on masks that the model is to find itself. */
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
  /** What the caller's protocol promises where no format is asked for. */
  readonly usualFormat?: ImageFormat;
  /** 0 to 100; 100 loses least. */
  readonly compression?: number;
  readonly seed?: number;
  readonly enhancePrompt?: boolean;
  readonly watermark?: boolean;
  readonly guidance?: number;
  readonly people?: 'none' | 'adults';
  /** How much is filtered, in the words of the one maker that has such a setting. */
  readonly safety?: string;
  readonly blockReasons?: boolean;
  readonly moderation?: 'low' | 'auto';
  /** How closely the pictures that went in are kept to. */
  readonly fidelity?: 'low' | 'high';
  readonly editMode?: string;
  /** How many unfinished versions are wanted on the way. */
  readonly partials?: number;
  readonly extras: Extras;
};

/** One picture, or why there is none. */
export type GeneratedImage = {
  readonly base64?: string;
  /** Where the upstream keeps it; not for ever. */
  readonly url?: string;
  /** What the bytes are, not what they were called. */
  readonly mimeType?: string;
  readonly revisedPrompt?: string;
  /** The reason it was held back; then there are no bytes. */
  readonly blocked?: string;
};

/** What an upstream tells of the pictures it made. */
export type ImageTraits = { readonly size?: string; readonly quality?: string; readonly background?: string };

export type ImageAnswer = {
  readonly images: readonly GeneratedImage[];
  readonly usage: Usage;
  /** The upstream counts tokens, and callers are told of them. */
  readonly tellsUsage?: true;
  readonly traits: ImageTraits;
};

export type ImageEvent =
  | { readonly type: 'partial-image'; readonly index: number; readonly base64: string; readonly traits: ImageTraits }
  | { readonly type: 'image-completed'; readonly answer: ImageAnswer }
  | { readonly type: 'image-fault'; readonly fault: Fault };
