/** The purposes of vectors in this dialect: a complete table, read in both directions. */
import { EMBED_TASKS, type EmbedTask } from '../../canonical/embedding.ts';

export const TASK_WORDS: Readonly<Record<EmbedTask, string>> = {
  'retrieval-query': 'RETRIEVAL_QUERY',
  'retrieval-document': 'RETRIEVAL_DOCUMENT',
  similarity: 'SEMANTIC_SIMILARITY',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
  'question-answering': 'QUESTION_ANSWERING',
  'fact-verification': 'FACT_VERIFICATION',
  'code-retrieval-query': 'CODE_RETRIEVAL_QUERY',
};

/** This dialect's value for "not specified". */
export const UNSPECIFIED = 'TASK_TYPE_UNSPECIFIED';

export const taskOf = (word: string): EmbedTask | undefined => EMBED_TASKS.find((task) => TASK_WORDS[task] === word);
