// The vendors' stores of images that were returned by URL. Nothing is stored: the path contains the seed of an image.
import { makePicture, type PictureType } from '../pictures/picture.ts';
import type { VendorRequest } from '../wire.ts';
import type { SimulatedDialect, UnderstoodRequest } from './dialect.ts';
import { replyOnly } from './replies.ts';

const KEPT = /^\/kept\/([A-Za-z0-9_-]+)\.(png|jpeg|webp)$/u;

export const keptPictures: SimulatedDialect = {
  name: 'kept-pictures',
  vendors: ['pictures'],
  paths: [/^/u],
  understand,
};

function understand({ path, method }: VendorRequest): UnderstoodRequest {
  const [, seed = '', type = 'png'] = KEPT.exec(path) ?? [];
  if (seed === '' || method !== 'GET') {
    const reply = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'gone\n' };
    return { kind: 'refused', reply, reason: 'nothing is kept there', body: undefined };
  }
  const { bytes } = makePicture(Buffer.from(seed, 'base64url').toString(), type as PictureType);
  // A generic content type, as stores send it: only the bytes show the type.
  const headers = { 'content-type': 'application/octet-stream' };
  return { kind: 'reply', reply: { status: 200, headers, body: bytes }, renderer: RENDERER };
}

const RENDERER = replyOnly(({ status }) => ({ status, headers: {}, body: '' }));
