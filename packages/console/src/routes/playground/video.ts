/** A video operation of the data plane, as far as it is shown. */
import { object, text } from './answer.ts';

export type Clip = { readonly mime: string } & ({ readonly base64: string } | { readonly url: string });

export type Operation = {
  readonly isDone: boolean;
  readonly percent?: number;
  readonly clips: readonly Clip[];
  readonly problem?: string;
};

function clipOf(value: unknown): Clip | undefined {
  const clip = object(value);
  const mime = text(clip['mimeType']) || 'video/mp4';
  if (text(clip['bytesBase64Encoded']) !== '') return { mime, base64: text(clip['bytesBase64Encoded']) };
  const url = text(clip['gcsUri']) || text(clip['uri']);
  return url === '' ? undefined : { mime, url };
}

export function operationOf(value: unknown): Operation {
  const { done, metadata, response, error } = object(value);
  const { videos, raiMediaFilteredReasons: reasons } = object(response);
  const percent = object(metadata)['progressPercent'];
  const clips = (Array.isArray(videos) ? videos : []).map(clipOf).filter((clip) => clip !== undefined);
  const problem =
    error !== undefined
      ? text(object(error)['message'])
      : Array.isArray(reasons) && clips.length === 0
        ? reasons.join(', ')
        : undefined;
  return {
    isDone: done === true || error !== undefined,
    clips,
    ...(typeof percent === 'number' && { percent }),
    ...(problem !== undefined && { problem }),
  };
}
