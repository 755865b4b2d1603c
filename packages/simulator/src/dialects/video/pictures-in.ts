// Images inside JSON, strictly: a data URI or bare base64 whose bytes match the declared type.
import { asText } from '../../json-value.ts';
import { imageTypeOf, isBase64 } from '../judgement.ts';
import type { Shape } from '../shape-check.ts';

const DATA_URI = /^data:(image\/(?:png|jpeg));base64,(.+)$/u;
export const dataUri: Shape = (found, path) => {
  const [, type, bytes = ''] = DATA_URI.exec(asText(found)) ?? [];
  return isBase64(bytes) && imageTypeOf(bytes) === type
    ? undefined
    : { path, kind: 'pattern', expected: 'data:image/…;base64,…', found };
};
export const bareBase64: Shape = (found, path) =>
  isBase64(asText(found)) && imageTypeOf(asText(found)) !== undefined
    ? undefined
    : { path, kind: 'pattern', expected: 'base64', found };
