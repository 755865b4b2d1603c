/** Images of the generative-content protocol: `:predict` with a prompt, both halves. */
import type { DialectId } from '../../canonical/dialect-id.ts';
import { arrayAt, isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { ImageDialect, ImageServerHalf } from '../media-dialects.ts';
import { decodeRpcFault } from '../upstream-errors.ts';
import { decodeAnswer, encodeAnswer } from './answer.ts';
import { encodeCall } from './encode-call.ts';
import { spelling, stances } from './stances.ts';
import { understand } from './understand.ts';

/** Embedding requests share the path; the name of their text member distinguishes them. */
function siblingFor(body: JsonObject): DialectId | undefined {
  const isTexts = arrayAt(body, 'instances').some((each) => isJsonObject(each) && each['content'] !== undefined);
  return isTexts ? 'google-embed' : undefined;
}

export const googlePredict: ImageDialect & { readonly server: ImageServerHalf } = {
  id: 'google-predict',
  operation: 'image',
  stances,
  quirks: (own) => own,
  server: { siblingFor, understand, encodeAnswer, spelling },
  client: { encodeCall, decodeAnswer, decodeFault: decodeRpcFault, sealRefusals: [] },
};
