// Vectors derived only from the model's name and the input: the same input always gives the same vector, of length 1.

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Values are exact 32-bit floats, so that numbers and base64 agree. A shorter vector is a prefix of the full one before
 * normalisation.
 */
export function makeVector(model: string, input: string, dimensions: number): readonly number[] {
  let state = FNV_OFFSET;
  for (const byte of Buffer.from(`${model}\n${input}`, 'utf8')) state = Math.imul(state ^ byte, FNV_PRIME) >>> 0;
  if (state === 0) state = FNV_OFFSET;
  const raw = Array.from({ length: dimensions }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0xffffffff - 0.5;
  });
  const length = Math.hypot(...raw) || 1;
  return raw.map((value) => Math.fround(value / length));
}

/** One word is one token. */
export const countWords = (text: string): number => text.match(/\S+/gu)?.length ?? 0;
