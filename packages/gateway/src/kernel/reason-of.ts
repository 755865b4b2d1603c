/** What an error says; of several causes, such as two addresses that refuse the connection, the first. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const [first] = error instanceof AggregateError ? error.errors : [];
  return error.message || (first === undefined ? error.name : reasonOf(first));
};
