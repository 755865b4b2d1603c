/** What can be wrong with the shape of a JSON text, whatever it means. */
export type JsonProblem =
  | 'not-json'
  | 'not-an-object'
  | 'too-deep'
  | 'too-many-members'
  | 'too-many-elements'
  | 'too-many-values'
  | 'string-too-long'
  | 'duplicate-member'
  | 'forbidden-member';

export class JsonShapeError extends Error {
  readonly problem: JsonProblem;
  readonly member: string | undefined;
  /** The value of the bound that was exceeded, where one was. */
  readonly bound: number | undefined;
  constructor(problem: JsonProblem, member?: string, bound?: number) {
    super(member === undefined ? problem : `${problem}: ${member}`);
    this.name = 'JsonShapeError';
    this.problem = problem;
    this.member = member;
    this.bound = bound;
  }
}
