/**
 * Asynchronous image jobs as data: where an answer names the job, where to poll it, and which states mean that it is
 * still running.
 */
import type { Fault } from '../canonical/fault.ts';
import type { TargetFacts } from './dialect.ts';
import type { ImageJob, JobPlace } from './image-dialect.ts';
import { textAt } from './json-paths.ts';

export type JobDescription = {
  readonly pollEveryMs: number;
  /** Paths of the job id in the answer to the submission, and of the state in later answers. */
  readonly id: string;
  readonly state: string;
  readonly underWay: ReadonlySet<string>;
  /** `id` is already encoded for use in a path. */
  place(id: string, target: TargetFacts): JobPlace;
};

export const JOB_FAILED: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider failed to make the image.',
};

export const imageJob = ({ pollEveryMs, id, state, underWay, place }: JobDescription): ImageJob => ({
  pollEveryMs,
  begun: (body, target) => {
    const name = textAt(body, id);
    return name === undefined || name === '' ? { fault: JOB_FAILED } : place(encodeURIComponent(name), target);
  },
  read: (body) => (underWay.has(textAt(body, state) ?? '') ? 'waiting' : 'done'),
});
