// A video vendor: the bodies it accepts, how it names a task, and its answer in each state.
import type { JsonRecord } from '../../json-value.ts';
import type { VendorRequest } from '../../wire.ts';
import type { DialectOptions, Reply } from '../dialect.ts';
import type { ClipState, ClipTask } from './tasks.ts';

export interface ClipFacts {
  readonly model: string;
  readonly prompt: string;
  readonly count: number;
  readonly seconds: number;
}

export interface TaskReport {
  readonly task: ClipTask;
  readonly state: ClipState;
  /** The URL of the nth clip. */
  readonly clipUrl: (nth: number) => string;
}

export interface ClipVendor {
  readonly name: string;
  readonly vendors: readonly string[];
  /** Is the credential accepted? `refusal` words the error. */
  readonly isWelcome: (request: VendorRequest, options: DialectOptions) => boolean;
  readonly submit: {
    readonly path: RegExp;
    /** Its name among the shapes. */
    readonly shape: string;
    /** Rules that a shape cannot express. */
    readonly objection?: (body: JsonRecord, request: VendorRequest) => string | undefined;
    readonly facts: (body: JsonRecord, request: VendorRequest) => ClipFacts;
    readonly accepted: (task: ClipTask, request: VendorRequest) => object;
  };
  /** Where another video is made of a finished one, whose id is the first group; the body's shape. */
  readonly remix?: { readonly path: RegExp; readonly shape: string };
  /** Where its tasks are polled; the first group is the id, unless `taskIn` finds it elsewhere. */
  readonly taskPath: RegExp;
  readonly taskIn?: (request: VendorRequest, body: JsonRecord) => string | undefined;
  readonly statusBody: (report: TaskReport, request: VendorRequest) => object;
  /** HTTP status of a "not yet" answer, if not 200. */
  readonly waitingStatus?: number;
  /** Further requests, such as a file by its name. */
  readonly also?: {
    readonly path: RegExp;
    readonly reply: (request: VendorRequest, find: (id: string) => TaskReport | undefined) => Reply | undefined;
  };
  /** Path of a clip's bytes that needs a credential, unlike `clipUrl`. */
  readonly contentOf?: RegExp;
  readonly refusal: (status: number, message: string) => Reply;
}
