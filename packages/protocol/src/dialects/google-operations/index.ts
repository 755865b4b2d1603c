/** Videos of the generative-content protocol: `:predictLongRunning` and the operation it returns, both halves. */
import { videoDialect } from '../video-tasks.ts';
import { descriptor } from './descriptor.ts';

export { type CheckedVideo, checkVideo, videoSpelling } from './check.ts';
export {
  encodeOperation,
  type OperationForm,
  operationName,
  parseOperationName,
  type ReportedOperationState,
} from './operation.ts';
export const googleOperations = videoDialect(descriptor);
