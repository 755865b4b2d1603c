// What a vendor of clips is: which bodies it takes, how it names a task, and what it says of one in each state.
import type { JsonRecord } from '../../json-value.ts';
import type { DialectOptions, Reply, StatusFault, VendorRequest } from '../dialect.ts';
import type { Shape } from '../shape-check.ts';
import type { ClipState, ClipTask } from './tasks.ts';

interface ClipFacts {
  readonly model: string;
  readonly prompt: string;
  readonly count: number;
  readonly seconds: number;
}

export interface Telling {
  readonly task: ClipTask;
  readonly state: ClipState;
  /** Where the nth clip lies. */
  readonly clipUrl: (nth: number) => string;
}

export interface ClipVendor {
  readonly name: string;
  readonly vendors: readonly string[];
  /** Only what it is sent: how it refuses strangers is not. */
  readonly isWelcome: (request: VendorRequest, options: DialectOptions) => boolean;
  readonly submit: {
    readonly path: RegExp;
    readonly shape: Shape;
    /** What a shape cannot say. */
    readonly objection?: (body: JsonRecord, request: VendorRequest) => string | undefined;
    readonly facts: (body: JsonRecord, request: VendorRequest) => ClipFacts;
    readonly accepted: (task: ClipTask, request: VendorRequest) => object;
  };
  /** The task a question is about; undefined when it is no question of this vendor's. */
  readonly taskIn: (request: VendorRequest, body: JsonRecord) => string | undefined;
  readonly told: (telling: Telling, request: VendorRequest) => object;
  /** Of an answer that says that it is not done yet, where it is not 200. */
  readonly waitingStatus?: number;
  /** Further things that can be asked for, such as a file by its name. */
  readonly alsoServes?: RegExp;
  readonly also?: (request: VendorRequest, find: (id: string) => Telling | undefined) => Reply | undefined;
  /** Where a clip's bytes lie behind the credential that ordered it. */
  readonly contentOf?: RegExp;
  readonly refusal: (status: number, message: string) => Reply;
  readonly statusReply?: (fault: StatusFault) => Reply;
}

export const json = (status: number, body: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
