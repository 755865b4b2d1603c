/**
 * The single entry point for upstream error texts: whatever a dialect reads from one is redacted here, before it is
 * used.
 */
import { type Fault, GatewayError, type ImageAnswer, type VideoProgress } from '@trivium/protocol/canonical';

/** Removes credentials and internal addresses from a text. */
export type RedactUpstream = (text: string) => string;

const MAX_SHOWN_MESSAGE = 500;
const MAX_SHOWN_NAME = 200;

/** Redacted before it is truncated: half a secret is not recognised as one. */
const shown = (text: string, redact: RedactUpstream, length: number): string => redact(text).slice(0, length);

/** An upstream's text as it may be shown. */
export const shownMessage = (text: string, redact: RedactUpstream): string => shown(text, redact, MAX_SHOWN_MESSAGE);

export const redactedFault = (fault: Fault, redact: RedactUpstream): Fault => ({
  ...fault,
  message: shown(fault.message, redact, MAX_SHOWN_MESSAGE),
  ...(fault.field !== undefined && { field: shown(fault.field, redact, MAX_SHOWN_NAME) }),
  ...(fault.code !== undefined && { code: shown(fault.code, redact, MAX_SHOWN_NAME) }),
});

const UNHANDLED: Fault = { kind: 'internal', message: 'The gateway failed to handle this answer.' };

/** For errors thrown while an answer was read. */
export function redactedError(error: unknown, redact: RedactUpstream): GatewayError {
  if (!(error instanceof GatewayError)) return new GatewayError(UNHANDLED, { cause: error });
  const { cause, refusal } = error;
  return new GatewayError(redactedFault(error.fault, redact), { cause, ...(refusal !== undefined && { refusal }) });
}

export function redactedProgress(progress: VideoProgress, redact: RedactUpstream): VideoProgress {
  if (progress.state === 'failed') return { ...progress, fault: redactedFault(progress.fault, redact) };
  if (progress.state !== 'done' || progress.blocked.length === 0) return progress;
  return { ...progress, blocked: progress.blocked.map((reason) => shown(reason, redact, MAX_SHOWN_MESSAGE)) };
}

/** The reasons for blocked images are redacted like errors; the images stay as they are. */
export function redactedImages(answer: ImageAnswer, redact: RedactUpstream): ImageAnswer {
  if (answer.images.every(({ blocked }) => blocked === undefined)) return answer;
  const images = answer.images.map((image) =>
    image.blocked === undefined ? image : { ...image, blocked: shown(image.blocked, redact, MAX_SHOWN_MESSAGE) },
  );
  return { ...answer, images };
}
