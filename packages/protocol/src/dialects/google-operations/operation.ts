/** The operation as callers poll it: unfinished, finished with clips and counts, or finished with an rpc status. */
import type { FaultKind } from '../../canonical/fault.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { VideoFile } from '../../canonical/video.ts';
import { malformed } from '../checking.ts';
import type { ReportedOperationState } from '../media-dialects.ts';
import { RPC_STATUSES } from '../upstream-errors.ts';

const FORM = /^publishers\/([^/]{1,200})\/models\/(.{1,400})\/operations\/([A-Za-z0-9_-]{22,128})$/;

export const operationName = (model: string, id: string): string => {
  const slash = model.indexOf('/');
  return `publishers/${model.slice(0, slash)}/models/${model.slice(slash + 1)}/operations/${id}`;
};

/** The id in an operation name of the path's model; decided by the text alone. */
export function parseOperationName(name: unknown, pathModel: string): string {
  if (typeof name !== 'string' || name === '') throw malformed('operationName', 'is required and must be a text');
  const [, owner, model, id] = FORM.exec(name) ?? [];
  if (owner === undefined || id === undefined) throw malformed('operationName', 'is not the name of an operation');
  if (`${owner}/${model}` !== pathModel)
    throw malformed('operationName', 'belongs to another model than the path names');
  return id;
}

type RpcStatus = (typeof RPC_STATUSES)[FaultKind];

/** The numbers of rpc statuses, which differ from HTTP's. */
const CODES: Readonly<Record<RpcStatus, number>> = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
};

/**
 * A failed operation is final: an unsupported request is the caller's mistake, and a retry does not help against a
 * broken host.
 */
const OF_OPERATIONS: Readonly<Partial<Record<FaultKind, RpcStatus>>> = {
  unsupported: 'INVALID_ARGUMENT',
  'upstream-broken': 'INTERNAL',
};

/**
 * The cloud's list of clips; the developers' API's list is added for clients that read an operation by its own path.
 */
export type OperationForm = 'cloud' | 'developer';

export function encodeOperation(
  name: string,
  operation: ReportedOperationState,
  form: OperationForm = 'cloud',
): JsonObject {
  switch (operation.state) {
    case 'waiting': {
      const { percent } = operation;
      return { name, ...(percent !== undefined && { metadata: { progressPercent: percent } }) };
    }
    case 'failed': {
      const { kind, message } = operation.fault;
      return {
        name,
        done: true,
        error: { code: CODES[OF_OPERATIONS[kind] ?? RPC_STATUSES[kind]], message, details: [] },
      };
    }
    case 'done':
      return {
        name,
        done: true,
        response: {
          ...encodeResponse(operation),
          ...(form === 'developer' && { generateVideoResponse: encodeSamples(operation) }),
        },
      };
  }
}

function encodeResponse({ videos, blocked }: Extract<ReportedOperationState, { state: 'done' }>): JsonObject {
  return {
    ...(videos.length > 0 && { videos: videos.map(encodeVideo) }),
    ...(blocked.length > 0 && { raiMediaFilteredCount: blocked.length, raiMediaFilteredReasons: blocked }),
  };
}

function encodeSamples({ videos, blocked }: Extract<ReportedOperationState, { state: 'done' }>): JsonObject {
  const generatedSamples = videos.map(({ base64, url, mimeType }) => ({
    video: {
      ...(url !== undefined && { uri: url }),
      ...(base64 !== undefined && { encodedVideo: base64 }),
      encoding: mimeType,
    },
  }));
  return {
    ...(videos.length > 0 && { generatedSamples }),
    ...(blocked.length > 0 && { raiMediaFilteredCount: blocked.length, raiMediaFilteredReasons: blocked }),
  };
}

const encodeVideo = ({ base64, url, mimeType }: VideoFile): JsonObject => ({
  ...(url !== undefined && { gcsUri: url }),
  ...(base64 !== undefined && { bytesBase64Encoded: base64 }),
  mimeType,
});
